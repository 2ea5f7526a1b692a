"""A quiz on paper, as Typst's source: questions with room to answer; the key is a document of its own."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Literal

from exam.render.markdown import convert
from exam.variants import Kind, Number, Variant, VariantSet
from grader.errors import UserError

Size = Literal["a4", "us-letter"]

CODE_LENGTH = 6
_STYLE = Path(__file__).with_name("paper.typ")
_PICTURE = re.compile(
    r'image\.decode\("<svg [^>]*><image [^>]*"data:image/(?P<kind>[^;]+);base64,(?P<data>[^\\]*)\\" /></svg>"'
)
_FORMATS = {"svg+xml": "svg", "jpeg": "jpg"}
_cache: dict[str, str] = {}


def form_code(quiz: VariantSet) -> str:
    """What tells this paper from one with other questions or other numbers."""
    asked = "\n".join(f"{variant.item} {variant.code}" for variant in quiz.variants)
    return hashlib.sha256(asked.encode()).hexdigest()[:CODE_LENGTH].upper()


def source(quiz: VariantSet, *, code: str = "", size: Size = "a4") -> str:
    """The paper as Typst's source.

    Args:
        quiz: One variant of each item; more are printed as questions of their own.
        code: The form's code, on every page; computed from what is asked, unless given.
        size: The paper.

    Raises:
        UserError: If pandoc is not installed.
    """
    _convert(quiz)
    points, minutes = (sum(getattr(each, name) for each in quiz.variants) for name in ("points", "minutes"))
    facts = f"{len(quiz.variants)} questions · {points} points · {minutes} minutes"
    questions = [_question(number, variant) for number, variant in enumerate(quiz.variants, start=1)]
    return "\n".join([_begin(quiz.title, code or form_code(quiz), size), f"#opening[{facts}]", *questions, ""])


def key_source(quiz: VariantSet, *, code: str = "", size: Size = "a4") -> str:
    """The key of the same paper, with explanations.

    Raises:
        UserError: If pandoc is not installed.
    """
    _convert(quiz)
    answers = [
        f"#answer({number}, [{_escaped(_right(variant))}])[\n{_typst(variant.explanation)}\n]"
        for number, variant in enumerate(quiz.variants, start=1)
    ]
    return "\n".join([_begin(f"{quiz.title} · key", code or form_code(quiz), size), "#opening()", *answers, ""])


def pdf(typst_source: bytes) -> bytes:
    """Typst's source as PDF.

    Raises:
        UserError: If Typst is not installed, or can't set something.
    """
    try:
        import typst
    except ModuleNotFoundError as error:
        raise UserError("Typst is not here", "Install it with: pip install 'ai480[instructor]'") from error
    try:
        made: bytes = typst.compile(typst_source)
    except RuntimeError as error:
        raise UserError(f"Typst can't set the paper: {error}") from error
    return made


def _begin(title: str, code: str, size: Size) -> str:
    named = f'#let title = [{_escaped(title)}]\n#let code = [{_escaped(code)}]\n#let size = "{size}"'
    return f"{named}\n{_STYLE.read_text('utf-8')}"


def _convert(quiz: VariantSet) -> None:
    """Have pandoc write all texts in one go."""
    texts = [text for variant in quiz.variants for text in variant.texts]
    missing = [text for text in dict.fromkeys(texts) if text not in _cache]
    made = (_PICTURE.sub(_picture, text) for text in convert(missing, "typst"))
    _cache.update(zip(missing, made, strict=True))


def _picture(match: re.Match[str]) -> str:
    """A picture that is data, as Typst reads it; pandoc wraps it in a way that Typst no longer knows."""
    data = ", ".join(map(str, base64.b64decode(match["data"])))
    return f'image(bytes(({data},)), format: "{_FORMATS.get(match["kind"], match["kind"])}"'


def _typst(markdown: str) -> str:
    return _cache[markdown]


def _escaped(text: str) -> str:
    return re.sub(r"([\\#$*_`<>@\[\]~=+/-])", r"\\\1", text)


def _question(number: int, variant: Variant) -> str:
    points = f"{variant.points} point" + ("s" if variant.points != 1 else "")
    answers = "\n".join(_ANSWERS[variant.kind](variant))
    return f"#question({number}, [{points}])[\n{_typst(variant.stem)}\n#answers[\n{answers}\n]\n]"


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _choices(variant: Variant) -> Iterator[str]:
    if variant.kind is Kind.MULTIPLE:
        yield "#hint[Any number of them may be right: mark all that are.]"
    for place, option in enumerate(variant.options):
        yield f"#option[{_letter(place)}][{_typst(option.text)}]"


def _line(variant: Variant) -> Iterator[str]:
    unit = variant.number.unit if variant.number else ""
    yield f"#reply({'9em' if variant.number else '60%'})[{_escaped(unit)}]"


def _matches(variant: Variant) -> Iterator[str]:
    lefts = "".join(f"#place-for[{_typst(pair.left)}]\n" for pair in variant.pairs)
    rights = "".join(
        f"#lettered[{_letter(place)}][{_typst(option.text)}]\n" for place, option in enumerate(variant.options)
    )
    yield "#hint[Write the letter of what belongs to each.]"
    yield f"#sides[\n{lefts}][\n{rights}]"


def _steps(variant: Variant) -> Iterator[str]:
    yield "#hint[Number them from first to last, beginning with 1.]"
    for option in variant.options:
        yield f"#place-for[{_typst(option.text)}]"


_ANSWERS: dict[Kind, Callable[[Variant], Iterator[str]]] = {
    Kind.SINGLE: _choices,
    Kind.TRUE_FALSE: _choices,
    Kind.MULTIPLE: _choices,
    Kind.NUMERIC: _line,
    Kind.TEXT: _line,
    Kind.MATCHING: _matches,
    Kind.ORDERING: _steps,
}


def _right(variant: Variant) -> str:
    """The key as it would be written on the paper."""
    letters = {option.id: _letter(place) for place, option in enumerate(variant.options)}
    if variant.number is not None:
        return f"{variant.number.shown} {variant.number.unit}".strip() + _range(variant.number)
    if variant.text is not None:
        return " or ".join(variant.text.accept)
    if variant.kind is Kind.MATCHING:
        return ", ".join(letters[pair.option] for pair in variant.pairs)
    if variant.kind is Kind.ORDERING:
        return ", ".join(str(variant.order.index(option.id) + 1) for option in variant.options)
    return ", ".join(letters[option.id] for option in variant.options if option.correct)


def _range(number: Number) -> str:
    """From where to where answers are right, with two places more than the key has; rounded inwards."""
    last = Decimal(number.value).as_tuple().exponent
    assert isinstance(last, int)  # a key is finite
    place = Decimal(1).scaleb(last - 2)
    low = Decimal(number.low).quantize(place, ROUND_CEILING).normalize()
    high = Decimal(number.high).quantize(place, ROUND_FLOOR).normalize()
    if low == high:
        return ""
    notation = "" if "e" in number.value.lower() else "f"
    least, most = (replace(number, value=format(bound, notation)).shown for bound in (low, high))
    return f" (from {least} to {most})"
