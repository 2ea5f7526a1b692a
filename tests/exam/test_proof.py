"""The page for authors: everything of an item, several draws beside each other, nothing of it obeyed as HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

pytest.importorskip("pypandoc")

from exam.render.proof import proof
from exam.variants import VariantSet
from tests.exam import samples
from tests.exam.browser import AXE, browser, npm

SECOND = replace(samples.NUMERIC, draw=1, code="OTHER", parameters={"n": "7 <b>"})
QUIZ = VariantSet("07_zero_fsdp", "ZeRO & FSDP: <a quiz>", "0" * 64, (*samples.ALL, SECOND))
FINDINGS = [("", "error: the bank has a flaw [bank]"), ("l07-single", "warning: the key is <b>long</b> [longest]")]
PAGE = proof(QUIZ, FINDINGS)


def section(item: str) -> str:
    """What stands of an item."""
    return PAGE.partition(f'<h2 id="{item}">')[2].partition("</section>")[0]


def keys(item: str) -> list[str]:
    """The text of what is marked as right."""
    found = re.findall(r'<li class="key">(.*?)</li>', section(item), re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", each)).strip() for each in found]


def test_every_item_and_every_draw_is_there() -> None:
    assert "15 items, 16 variants" in PAGE
    assert [PAGE.count(f'<h2 id="{slot.item}">') for slot in QUIZ.slots] == [1] * 15
    assert all(f"draw {variant.draw}, {variant.code}" in section(variant.item) for variant in QUIZ.variants)


@pytest.mark.parametrize(
    ("item", "right"),
    [
        ("l07-single", ["✓ key Stage 1"]),
        ("l07-canvas", ["✓ key all-gather", "✓ key reduce-scatter", "✓ key all-reduce"]),
        ("l07-numeric", ["✓ key 31.4 GB (from 31.086 to 31.714)"] * 2),
        ("l07-comma", ["✓ key -3,14 (from -3.145 to -3.135)"]),
        ("l07-text", ["✓ key reduce-scatter or reduce scatter or a*b"]),
        ("l07-match", ["✓ key stage 1 → optimizer state", "✓ key stage 2 &amp; more → gradients",
                       "✓ key stage 3 → parameters"]),
    ],
)  # fmt: skip
def test_the_key_is_marked_with_a_word(item: str, right: list[str]) -> None:
    assert keys(item) == right


def test_an_order_stands_as_it_should_be() -> None:
    items = re.findall(r"<li><p>(.*?)</p>", section("l07-order").partition("<ol>")[2])
    assert items == ["all-gather", "compute", "reduce-scatter", "free"]


def test_mistakes_stand_with_their_idea_and_what_is_said_to_them() -> None:
    told = section("l07-numeric")
    assert told.index("29.3") < told.index("counts_gib") < told.index("bytes.</p>") and "n = 7 &lt;b&gt;" in told


def test_what_the_lint_says_stands_beside_the_item() -> None:
    assert "warning: the key is &lt;b&gt;long&lt;/b&gt; [longest]" in section("l07-single")
    assert "the bank has a flaw" in PAGE.partition("<nav")[0]
    assert 'l07-single</a> <span class="lint">1 finding</span>' in PAGE


class Balanced(HTMLParser):
    """Fails where an element ends that does not stand open, or where something is fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script" and not any(name == "src" or name.startswith("on") for name, _ in attrs)
        if tag not in ("meta", "br", "img", "hr", "link"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def test_it_is_whole_html_that_fetches_and_runs_nothing() -> None:
    parser = Balanced()
    parser.feed(PAGE)
    assert parser.opened == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1200])
def test_axe_finds_nothing(scheme: str, width: int) -> None:
    axe = (npm(*AXE) / "axe.min.js").read_text("utf-8")
    with browser() as chromium:
        tab = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        tab.set_content(PAGE)
        tab.evaluate(axe)
        found = tab.evaluate("axe.run()")["violations"]
        scroll = tab.evaluate("document.documentElement.scrollWidth")
    assert [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in found] == []
    assert scroll <= width, "the page is wider than the screen"
