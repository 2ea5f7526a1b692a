"""The page of a quiz in a real browser: it grades as the scorer does, works by keyboard, and is accessible."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exam.render.page import page
from exam.scoring import numbers, score
from exam.scoring.grid import responses
from exam.variants import Kind, VariantSet
from tests.exam import samples
from tests.exam.browser import AXE, browser, npm

pytest.importorskip("pypandoc")

SECOND = replace(samples.NUMERIC, draw=1, code="OTHER", stem="How many GB, with *other* numbers?")
QUIZ = VariantSet("07_zero_fsdp", "ZeRO & FSDP: <a quiz>", "0" * 64, (*samples.ALL, SECOND))
NUMBERS = {slot.item: place for place, slot in enumerate(QUIZ.slots, start=1)}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "quiz.html"
    path.write_text(page(QUIZ, hints={"counts_gib": "A GB is a thousand million bytes."}), "utf-8")
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def tab(chromium: Any, written: Path) -> Iterator[Any]:
    context = chromium.new_context()
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    opened.goto(written.as_uri())
    yield opened
    context.close()
    assert problems == []


def card(tab: Any, item: str) -> Any:
    return tab.locator(f"#question-{NUMBERS[item]}")


# --- what needs no browser ---


def test_the_page_asks_for_nothing_from_outside(written: Path) -> None:
    text = written.read_text("utf-8")
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", text) and "@import" not in text and "fetch(" not in text


def test_nothing_in_the_data_ends_the_script(written: Path) -> None:
    data = written.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0]
    assert "<" not in data and len(json.loads(data)["slots"]) == len(QUIZ.slots)


# --- grading ---


def test_the_page_grades_as_the_scorer_does(tab: Any) -> None:
    compared = 0
    for place, slot in enumerate(QUIZ.slots):
        variant = slot.variants[0]
        grid = [each for each in responses(variant) if each is not None]
        program = (
            "([place, all]) => { const v = JSON.parse(document.getElementById('data').textContent).slots[place][0];"
            " return all.map((one) => { const s = score(v, one); return [s.credit, s.ideas, Boolean(s.problem)]; }); }"
        )
        for response, (credit, ideas, problem) in zip(grid, tab.evaluate(program, [place, grid]), strict=True):
            ours = score(variant, response)
            assert Fraction(*credit) == ours.credit, (variant.item, response)
            assert tuple(ideas) == ours.misconceptions and problem == bool(ours.problem), (variant.item, response)
            compared += 1
    assert compared > 150


def test_units_and_capitals_are_compared_as_the_scorer_compares_them(tab: Any) -> None:
    variant = {"kind": "text", "text": {"accept": ["Straße"], "case_sensitive": False, "mistakes": []}}
    assert tab.evaluate("(v) => score(v, 'STRASSE').credit", variant) == [1, 1]
    for text in ("3 m²", "3 m^2", "3Ⅷ", "3½", "3 µs", "3 μs"):
        ours = numbers.read(text)
        assert tab.evaluate("(t) => readNumber(t)?.unit ?? null", text) == (ours and ours.unit), text


@pytest.mark.parametrize(
    "text", ["1.5×10^9", "2·10⁻³", "−3.14", "1 000", "16,00", "nan", "0x1", "1e-3", "45.80", "1e500"]
)
def test_numbers_are_read_as_the_scorer_reads_them(tab: Any, text: str) -> None:
    ours = numbers.read(text)
    theirs = tab.evaluate(
        "(t) => { const n = readNumber(t); return n && [String(n.digits), n.exponent, n.unit]; }", text
    )
    if ours is None:
        assert theirs is None
    else:
        digits, exponent, unit = theirs
        assert ours.value == int(digits) * Fraction(10) ** exponent and unit == ours.unit


# --- behaviour ---


def test_a_wrong_choice_is_told_with_its_feedback_and_the_explanation(tab: Any) -> None:
    single = card(tab, "l07-single")
    single.locator(".option").nth(1).click()
    single.get_by_role("button", name="Check").click()
    told = single.get_by_role("status").inner_text()
    assert told.startswith("Not right.") and "Not 1: think of" in told and "Because of" in told
    marks = [row.inner_text().split("\n")[-1].strip() for row in single.locator(".option").all()]
    assert marks[:2] == ["✓ right", "✗ wrong"] and single.locator(".mark").count() == 2
    assert tab.locator("#progress").inner_text() == f"1 of {len(QUIZ.slots)} answered, 0 right: 0 of 15 points"


def test_what_is_no_number_can_be_typed_again(tab: Any) -> None:
    numeric = card(tab, "l07-numeric")
    numeric.get_by_role("textbox").fill("many")
    numeric.get_by_role("textbox").press("Enter")
    assert "A number is asked for, in GB" in numeric.get_by_role("status").inner_text()
    numeric.get_by_role("textbox").fill("31.4 GB")
    numeric.get_by_role("textbox").press("Enter")
    assert numeric.get_by_role("status").inner_text().startswith("Right.")


def test_new_numbers_are_another_variant(tab: Any) -> None:
    numeric = card(tab, "l07-numeric")
    numeric.get_by_role("textbox").fill("29.3")
    numeric.get_by_role("button", name="Check").click()
    assert "A GB is" in numeric.get_by_role("status").inner_text()
    numeric.get_by_role("button", name="New numbers").click()
    assert "with other numbers" in numeric.inner_text()
    assert tab.evaluate("document.activeElement.tagName") == "LEGEND"
    assert tab.locator("#progress").inner_text().startswith("0 of")


def test_an_order_is_made_with_the_keyboard_alone(tab: Any) -> None:
    order = card(tab, "l07-order")
    order.get_by_role("button", name="Move up: all-gather").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "Move up: all-gather"
    order.get_by_role("button", name="Check").press("Enter")
    assert order.get_by_role("status").first.inner_text().startswith("Right.")


def test_a_choice_is_made_with_the_keyboard_alone_and_the_focus_goes_to_what_is_said(tab: Any) -> None:
    single = card(tab, "l07-single")
    single.get_by_role("radio").first.focus()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.className") == "verdict wrong"
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Try again"


def test_what_was_missed_and_what_belongs_elsewhere_is_marked_with_a_word(tab: Any) -> None:
    several, order = card(tab, "l07-balanced"), card(tab, "l07-order")
    several.get_by_role("checkbox").nth(0).check()
    several.get_by_role("button", name="Check").click()
    assert several.locator(".mark").all_inner_texts() == ["✓ right", "✓ right, missed"]
    assert "Right in part: 0.5 of 1 point." in several.get_by_role("status").inner_text()
    order.get_by_role("button", name="Check").click()
    assert order.locator(".mark").all_inner_texts()[:3] == ["✗ place 2 is right", "✗ place 1 is right", "✓ right"]


def test_a_key_with_a_decimal_comma_is_told_with_it(tab: Any) -> None:
    comma = card(tab, "l07-comma")
    comma.get_by_role("textbox").fill("3")
    comma.get_by_role("button", name="Check").click()
    assert "The answer is -3,14." in comma.get_by_role("status").inner_text()


def test_menus_and_names_of_buttons_hold_formulas_as_plain_text(chromium: Any, tmp_path: Path) -> None:
    texts = samples.options("$\\frac{n}{p}$ bytes", "$n^2$ **bytes**", "`n` bytes", right=())
    match = replace(samples.MATCHING, options=texts, pairs=samples.MATCHING.pairs[:2])
    order = replace(samples.ORDERING_PARTS, options=texts, order=tuple(each.id for each in texts[::-1]))
    path = tmp_path / "quiz.html"
    path.write_text(page(replace(QUIZ, variants=(match, order))), "utf-8")
    tab = chromium.new_page()
    tab.goto(path.as_uri())
    menu = tab.locator("select").first.locator("option").all_inner_texts()
    names = [each.get_attribute("aria-label") for each in tab.locator(".steps button").all()[::2]]
    tab.close()
    assert menu == ["choose …", "A: n/p bytes", "B: n² bytes", "C: n bytes"]
    assert names == ["Move up: n/p bytes", "Move up: n² bytes", "Move up: n bytes"]


def test_starting_again_begins_with_other_numbers(tab: Any) -> None:
    tab.get_by_role("button", name="Start again").click()
    assert "with other numbers" in card(tab, "l07-numeric").inner_text()


def test_without_scripts_the_page_says_what_it_needs(chromium: Any, written: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(written.as_uri())
    said = tab.locator("main").inner_text()
    context.close()
    assert "in JavaScript" in said and "quiz take" in said


def test_matches_are_menus_and_are_paid_one_by_one(tab: Any) -> None:
    match = card(tab, "l07-match")
    menus = match.locator("select")
    menus.nth(0).select_option("kqzm")
    menus.nth(1).select_option("kqzm")
    match.get_by_role("button", name="Check").click()
    assert match.get_by_role("status").inner_text().startswith("Right in part: 0.33 of 1 point.")


def answer_all(tab: Any) -> None:
    """Give every question some answer."""
    for slot in QUIZ.slots:
        variant, place = slot.variants[0], card(tab, slot.item)
        if variant.number is not None or variant.text is not None:
            place.get_by_role("textbox").fill("29.3" if slot.item == "l07-numeric" else "7" if variant.number else "x")
        elif variant.kind is Kind.MATCHING:
            place.locator("select").nth(0).select_option(index=1)
        elif variant.kind is not Kind.ORDERING:
            place.locator(".option").nth(0).click()
        place.get_by_role("button", name="Check").click()


def test_when_all_is_answered_the_page_says_what_to_look_at_again(tab: Any) -> None:
    answer_all(tab)
    summary = tab.locator("#summary")
    assert summary.is_visible() and "A GB is a thousand million bytes." in summary.inner_text()


# --- accessibility ---


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1000])
def test_axe_finds_nothing(chromium: Any, written: Path, scheme: str, width: int) -> None:
    axe = (npm(*AXE) / "axe.min.js").read_text("utf-8")
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(written.as_uri())
    tab.evaluate(axe)
    found = tab.evaluate("axe.run()")["violations"]
    answer_all(tab)
    found += tab.evaluate("axe.run()")["violations"]
    scroll = tab.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in found] == []
    assert scroll <= width, "the page is wider than the screen"
