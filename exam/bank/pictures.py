"""Pictures become part of the variants, as data in their Markdown: what reads variants needs no folder."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from exam.variants import Number, Text, Variant

Key = TypeVar("Key", Number, Text)

_PICTURE = re.compile(r"(!\[[^\]]*\]\()([^)\s:]+)(?=[)\s])")  # a target with a colon is data already, or elsewhere


def with_pictures(variant: Variant, folders: Sequence[Path]) -> Variant:
    """The variant with the pictures that its texts show.

    Args:
        variant: Its pictures are named relative to one of the folders.
        folders: Where to look, in order.

    Raises:
        ValueError: If a picture is in none of them.
    """

    def embedded(match: re.Match[str]) -> str:
        return match[1] + _data(match[2], folders)

    if not any(_PICTURE.search(text) for text in variant.texts):
        return variant
    return _with_texts(variant, lambda text: _PICTURE.sub(embedded, text))


def _data(name: str, folders: Sequence[Path]) -> str:
    for folder in folders:
        if (folder / name).is_file():
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            return f"data:{kind};base64,{base64.b64encode((folder / name).read_bytes()).decode('ascii')}"
    raise ValueError(f"there is no picture {name!r} in {' or '.join(map(str, folders))}")


def _with_texts(variant: Variant, change: Callable[[str], str]) -> Variant:
    """The variant with each of its Markdown texts changed."""
    return replace(
        variant,
        stem=change(variant.stem),
        explanation=change(variant.explanation),
        options=tuple(
            replace(each, text=change(each.text), feedback=change(each.feedback)) for each in variant.options
        ),
        pairs=tuple(replace(each, left=change(each.left)) for each in variant.pairs),
        number=_with_feedback(variant.number, change) if variant.number else None,
        text=_with_feedback(variant.text, change) if variant.text else None,
    )


def _with_feedback(key: Key, change: Callable[[str], str]) -> Key:
    return replace(key, mistakes=tuple(replace(each, feedback=change(each.feedback)) for each in key.mistakes))
