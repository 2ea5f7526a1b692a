"""Markdown with LaTeX math as HTML, by pandoc: many texts in one call, each text once.

Raw HTML and raw TeX of authors are shown as text, never passed through.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from exam.variants import VariantSet
from grader.errors import UserError

Math = Literal["mathml", "tex"]

_WITHOUT = (
    "raw_html",
    "raw_tex",
    "raw_attribute",
    "native_divs",
    "native_spans",
    "citations",
    "example_lists",
    "implicit_figures",  # whose captions would show the text that is for those who don't see a picture
    "smart",
)
READER = "-".join(("markdown", *_WITHOUT, "auto_identifiers"))
_MARK = "quiztextends7f3a"
_MARK_LINE = re.compile(rf"\s*(?:<p>)?{_MARK}(?:</p>)?\s*")
_PARAGRAPH = re.compile(r"<p>(.*)</p>", re.DOTALL)
_cache: dict[tuple[Math, str], str] = {}


def to_html(texts: Iterable[str], math: Math = "mathml") -> list[str]:
    r"""HTML of each text: MathML, or TeX between ``\(`` and ``\)`` for platforms that typeset it themselves.

    Raises:
        UserError: If pandoc is not installed.
    """
    wanted = list(texts)
    missing = [text for text in dict.fromkeys(wanted) if (math, text) not in _cache]
    if missing:
        for text, found in zip(missing, _convert(missing, math), strict=True):
            _cache[math, text] = found
    return [_cache[math, text] for text in wanted]


def convert_all(quiz: VariantSet, math: Math = "tex") -> None:
    """Have every text of a quiz converted in one go; ``to_html`` has it at hand then."""
    to_html((text for variant in quiz.variants for text in variant.texts), math)


def inline(text: str, math: Math = "mathml") -> str:
    """HTML of a text without its paragraph, if it has but one."""
    (found,) = to_html([text], math)
    only = _PARAGRAPH.fullmatch(found)
    return only[1] if only and "<p>" not in only[1] else found


def _convert(texts: list[str], math: Math) -> list[str]:
    """The plainest texts here, all others by pandoc in one call."""
    found = {text: _plain_paragraph(text, math) for text in texts}
    others = [text for text, made in found.items() if made is None]
    found |= zip(others, _by_pandoc(others, math) if others else (), strict=True)
    return [found[text] or "" for text in texts]


def _plain_paragraph(text: str, math: Math) -> str | None:
    """One paragraph without any mark but TeX between dollar signs, as pandoc would write it; None for other texts.

    Thousands of stems with drawn numbers are such, and a call of pandoc takes as long as a hundred of them.
    """
    lines = text.strip().split("\n")
    joined = " ".join(lines)
    if "" in lines[1:] or any(_BLOCK.match(line) for line in lines) or (math == "mathml" and "$" in joined):
        return None
    pieces = _MATH.split(joined)
    if any(_MARKUP.search(piece) for piece in pieces[::2]):
        return None
    made = [rf"\({_escaped(piece)}\)" if place % 2 else _escaped(piece) for place, piece in enumerate(pieces)]
    return f"<p>{''.join(made)}</p>" if joined else ""


_MATH = re.compile(r"\$(?=[^\s$])((?:[^$\\]|\\.)*?[^\s$\\])\$(?!\d)")
_MARKUP = re.compile(r"[*_`\[\]<>\\^~#|$&@:!+=-]{2}|[*_`\[\]<>\\^~|$&]|  |\w@")
_BLOCK = re.compile(r"\s|([-+*>#:|%~]|\d+[.)]|\(?[a-zA-Z]+[.)]|\(?\d+\)|\.\.)(\s|$)|[#>|:%~=-]")


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _by_pandoc(texts: list[str], math: Math) -> list[str]:
    made = convert(texts, "html5", "--mathml" if math == "mathml" else "--mathjax", "--syntax-highlighting=none")
    return [_unwrapped_math(each) for each in made] if math == "tex" else made


def convert(texts: list[str], to: str, *options: str) -> list[str]:
    """Each text as pandoc writes it in some format: all in one call.

    Raises:
        UserError: If pandoc is not installed.
    """
    found = _MARK_LINE.split(_pandoc(f"\n\n{_MARK}\n\n".join(texts), to, options)) if texts else []
    if len(found) != len(texts):  # a code block that does not end has swallowed others
        found = [_pandoc(text, to, options) for text in texts]
    return [each.strip() for each in found]


def _pandoc(markdown: str, to: str, options: Sequence[str]) -> str:
    try:
        import pypandoc  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise UserError("pandoc is not here", "Install it with: pip install 'ai480[instructor]'") from error
    made: str = pypandoc.convert_text(markdown, to, format=READER, extra_args=["--wrap=none", *options])
    return made


def _unwrapped_math(text: str) -> str:
    return re.sub(r'<span class="math (?:inline|display)">(.*?)</span>', r"\1", text, flags=re.DOTALL)
