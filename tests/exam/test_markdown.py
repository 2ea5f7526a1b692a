"""Markdown as HTML: as pandoc writes it, and nothing of authors' HTML."""

from __future__ import annotations

import pytest

pytest.importorskip("pypandoc")

from exam.bank.compile import compile_lesson
from exam.render import markdown
from exam.render.markdown import Math, inline, to_html
from exam.variants import VariantSet
from tests.exam import samples
from tests.support import course


def texts_of(quiz: VariantSet) -> list[str]:
    return [text for variant in quiz.variants for text in variant.texts]


ODD = r"""
it's 5 o'clock, "quoted"|a - b -- c|x = 3 & y|1. one|a) b|(1) x|What is 3 < 4?|$5 and $6|$x$|cost $x$5|e.g. a.b@c.d
100 %|# h|a # b|http://x.y/z|2 * 3 * 4|snake_case_x|A. Lincoln|50% of it|...|a … b|~ x|+ x|= x|(a) b|i. x|$ x $|a$b$c
$$x$$|\alpha|$a < b$|p: q|x^2|a~b|--- x|With $p$ ranks, $n/p$ bytes.|$p$ ranks|ends in $x_1$
"""
LINES = ["line\n- item", "p\n1. x", "a:\n: b", "a\nb", "a\n\nb", "  lead", "a  \nb", "a\n  b", "a\n# b", "a\n> b", ""]


@pytest.mark.parametrize("math", ["tex", "mathml"])
def test_what_is_converted_here_is_as_pandoc_would_write_it(math: Math) -> None:
    texts = [*ODD.strip().replace("\n", "|").split("|"), *LINES, *texts_of(samples.sample_set())]
    for number in ("6", "7"):
        texts += texts_of(compile_lesson(course().lesson(number)))
    here = {text: made for text in texts if (made := markdown._plain_paragraph(text, math)) is not None}
    assert len(here) > 100
    for text, theirs in zip(here, markdown._by_pandoc(list(here), math), strict=True):
        assert here[text] == theirs, text


def test_authors_html_is_shown_and_not_obeyed() -> None:
    (found,) = to_html(["<script>alert(1)</script> and <b>bold</b>"])
    assert "<script" not in found and "<b>" not in found and "&lt;b&gt;" in found


def test_math_is_mathml_or_tex() -> None:
    assert (
        "<math" in inline(r"half is $\frac{1}{2}$")
        and inline(r"half is $\frac{1}{2}$", "tex") == r"half is \(\frac{1}{2}\)"
    )


def test_a_code_block_that_does_not_end_swallows_no_other_text() -> None:
    first, second = to_html(["```\nnever ends", "another *text*"])
    assert "never ends" in first and second == "<p>another <em>text</em></p>"


def test_a_picture_keeps_its_data_and_its_text_for_those_who_do_not_see_it() -> None:
    (found,) = to_html(["![a *ring* of four](data:image/svg+xml;base64,PHN2Zy8+)"])
    assert found == '<p><img src="data:image/svg+xml;base64,PHN2Zy8+" alt="a ring of four" /></p>'
