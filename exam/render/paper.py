"""A quiz on paper, as Typst's source: questions with room to answer, and the key on pages of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from exam.variants import Kind, Variant, VariantSet
from grader.errors import UserError

Size = Literal["a4", "us-letter"]

_MARK = "quiztextends7f3a"
_cache: dict[str, str] = {}

HEAD = """\
#set page(paper: "{size}", margin: (x: 22mm, top: 24mm, bottom: 24mm), header: context [
  #set text(size: 9pt, fill: luma(90))
  #title #h(1fr) form {code}
], footer: context [
  #set text(size: 9pt, fill: luma(90))
  form {code} #h(1fr) page #counter(page).display("1 of 1", both: true)
])
#set text(size: 11pt, font: ("Libertinus Serif", "New Computer Modern"))
#set par(justify: false, leading: 0.62em)
#show raw: set text(size: 9.5pt)
#show raw.where(block: true): block.with(fill: luma(245), inset: 7pt, radius: 3pt, width: 100%)
#let horizontalrule = line(length: 100%)
#let question(number, points, body) = block(breakable: false, above: 1.6em, grid(
  columns: (2.2em, 1fr, auto), gutter: 0pt,
  text(weight: "bold")[#number.], body, [#h(1em) #text(size: 9pt, fill: luma(110))[#points]],
))
#let option(letter, body) = grid(columns: (2em, 1fr), gutter: 0pt, row-gutter: 0pt,
  box(width: 1.25em, height: 1.25em, radius: 0.65em, stroke: 0.6pt,
    align(center + horizon, text(size: 8.5pt)[#letter])),
  [#body])
#let blank(width) = box(width: width, line(length: 100%, stroke: 0.6pt))
"""


def source(quiz: VariantSet, *, code: str = "", size: Size = "a4", key: bool = True) -> str:
    """The paper as Typst's source.

    Args:
        quiz: One variant of each item; more are printed as questions of their own.
        code: The form's code, on every page.
        size: The paper.
        key: Whether the key follows, on pages of its own.
    """
    _convert([text for variant in quiz.variants for text in variant.texts])
    code = code or quiz.bank[:6].upper()
    parts = [f"#let title = [{_escaped(quiz.title)}]", HEAD.replace("{size}", size).replace("{code}", code)]
    parts.append(f'#align(center, text(size: 17pt, weight: "bold")[{_escaped(quiz.title)}])\n#v(0.6em)')
    parts.append("#grid(columns: (auto, 1fr, auto, 7em), gutter: 0.6em, [Name], blank(100%), [Number], blank(100%))")
    parts += [_question(number, variant) for number, variant in enumerate(quiz.variants, start=1)]
    if key:
        parts.append(_key(quiz))
    return "\n".join(parts) + "\n"


def pdf(quiz: VariantSet, *, code: str = "", size: Size = "a4", key: bool = True) -> bytes:
    """The paper as PDF.

    Raises:
        UserError: If Typst is not installed.
    """
    try:
        import typst
    except ModuleNotFoundError as error:
        raise UserError("Typst is not here", "Install it with: pip install 'ai480[instructor]'") from error
    made: bytes = typst.compile(source(quiz, code=code, size=size, key=key).encode())
    return made


def _convert(texts: list[str]) -> None:
    """Have pandoc write all texts in one go."""
    from exam.render.markdown import READER

    try:
        import pypandoc  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise UserError("pandoc is not here", "Install it with: pip install 'ai480[instructor]'") from error
    missing = [text for text in dict.fromkeys(texts) if text not in _cache]
    if not missing:
        return
    joined: str = pypandoc.convert_text(
        f"\n\n{_MARK}\n\n".join(missing), "typst", format=READER, extra_args=["--wrap=none"]
    )
    found = re.split(rf"\s*{_MARK}\s*", joined)
    for text, made in zip(missing, found, strict=True):
        _cache[text] = made.strip()


def _typst(markdown: str) -> str:
    return _cache[markdown]


def _escaped(text: str) -> str:
    return re.sub(r"([\\#$*_`<>@\[\]~=+/-])", r"\\\1", text)


def _question(number: int, variant: Variant) -> str:
    points = f"{variant.points} point" + ("s" if variant.points != 1 else "")
    body = "\n".join([_typst(variant.stem), "#v(0.3em)", *_ANSWERS[variant.kind](variant)])
    return f"#question({number}, [{points}])[\n{body}\n]"


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _choices(variant: Variant) -> Iterator[str]:
    if variant.kind is Kind.MULTIPLE:
        yield "#text(size: 9pt, fill: luma(90))[Mark all that are right.]"
    for place, option in enumerate(variant.options):
        yield f"#option[{_letter(place)}][{_typst(option.text)}]"


def _line(variant: Variant) -> Iterator[str]:
    unit = f" {_escaped(variant.number.unit)}" if variant.number and variant.number.unit else ""
    yield f"#blank(9em){unit}"


def _matches(variant: Variant) -> Iterator[str]:
    lefts = "".join(f"#grid(columns: (3em, 1fr), [#blank(2em)], [{_typst(pair.left)}])\n" for pair in variant.pairs)
    rights = "".join(
        f"#grid(columns: (1.6em, 1fr), [{_letter(place)}], [{_typst(option.text)}])\n"
        for place, option in enumerate(variant.options)
    )
    yield f"#grid(columns: (1fr, 1fr), gutter: 1.5em, [{lefts}], [{rights}])"


def _steps(variant: Variant) -> Iterator[str]:
    yield "#text(size: 9pt, fill: luma(90))[Number them, beginning with 1.]"
    for option in variant.options:
        yield f"#grid(columns: (3em, 1fr), [#blank(2em)], [{_typst(option.text)}])"


_ANSWERS: dict[Kind, Callable[[Variant], Iterator[str]]] = {
    Kind.SINGLE: _choices,
    Kind.TRUE_FALSE: _choices,
    Kind.MULTIPLE: _choices,
    Kind.NUMERIC: _line,
    Kind.TEXT: _line,
    Kind.MATCHING: _matches,
    Kind.ORDERING: _steps,
}


def _key(quiz: VariantSet) -> str:
    rows = [
        f"#grid(columns: (2.2em, 1fr), [*{number}.*], "
        f"[*{_escaped(_right(variant))}* #h(0.5em) {_typst(variant.explanation)}])"
        for number, variant in enumerate(quiz.variants, start=1)
    ]
    return '#pagebreak()\n#text(size: 14pt, weight: "bold")[Key]\n' + "\n#v(0.4em)\n".join(rows)


def _right(variant: Variant) -> str:
    """The key as it would be written on the paper."""
    letters = {option.id: _letter(place) for place, option in enumerate(variant.options)}
    if variant.number is not None:
        return f"{variant.number.value} {variant.number.unit}".strip()
    if variant.text is not None:
        return " or ".join(variant.text.accept)
    if variant.kind is Kind.MATCHING:
        return ", ".join(letters[pair.option] for pair in variant.pairs)
    if variant.kind is Kind.ORDERING:
        return ", ".join(str(variant.order.index(option.id) + 1) for option in variant.options)
    return ", ".join(letters[option.id] for option in variant.options if option.correct)
