"""The lint: flaws of items, of banks, and bots that know only tricks."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pydantic")

from exam.bank.compile import Maker
from exam.bank.lint import Severity, bank_rules, bots, item_rules, lint
from exam.bank.lint.run import outcomes_of
from exam.bank.load import load_bank
from exam.bank.subject import Subject
from exam.variants import Kind, Option, Variant
from tests.exam import samples
from tests.support import course

STEM = "Which of the three stages of ZeRO divides the optimizer state, and nothing else?"
WHY = "Each stage divides one thing more than the one before it."


def choice(*texts: str, stem: str = STEM, right: int = 0, pinned: int = -1, explanation: str = WHY) -> Variant:
    """A single choice, flawless but for what the test puts in."""
    options = tuple(
        Option(f"id{place}", text, pinned=place == pinned, correct=True)
        if place == right
        else Option(f"id{place}", text, False, "Think.", f"idea_{place}", place == pinned)
        for place, text in enumerate(texts)
    )
    return samples.variant(Kind.SINGLE, "l07-one", stem, options=options, explanation=explanation)


GOOD = choice("The first stage", "The second stage", "The third stage")


def rules(variant: Variant) -> set[str]:
    return {finding.rule for finding in item_rules.findings(variant)}


def test_a_good_item_has_no_flaw() -> None:
    assert rules(GOOD) == set()


@pytest.mark.parametrize(
    ("variant", "rule"),
    [
        (choice("The first stage, which is the one that divides it", "The second", "The third"), "longest"),
        (choice("Stage 1", "Another stage", "A third stage"), "only-the-key"),
        (choice("It usually is stage one", "It is stage two", "It is stage three"), "only-the-key"),
        (choice("The first `stage`", "The second stage", "The third stage"), "only-the-key"),
        (choice("Of the first", "Always the second", "Only the third"), "absolutes"),
        (choice("It divides the optimizer state", "It sends gradients", "It keeps parameters"), "echo"),
        (choice("The first stage", "The second stage"), "count"),
        (choice(*(f"The stage {word}" for word in ("one", "two", "three", "four", "five", "six"))), "count"),
        (choice("The first stage.", "The second stage", "The third stage"), "parallel"),
        (choice("The first", "The second", "None of these"), "not-pinned"),
        (choice("The first", "The second", "None of these", pinned=2), "all-or-none"),
        (choice("The first", "The second", "Both A and B"), "letters"),
        (choice("The first", "The second", "Everything above"), "letters"),
        (choice("The first", "The second", "The third", stem="Which?"), "short"),
        (replace(GOOD, stem="ZeRO divides the optimizer state in this stage."), "no-question"),
        (replace(GOOD, stem="Which stage does not divide the gradients at all?"), "negative"),
        (replace(GOOD, stem="Which stage is **not** one that does not send parameters?"), "double-negative"),
        (replace(GOOD, stem=f"{STEM} ![](stages.svg)"), "alt-text"),
        (choice("The first", "The second", "The third", explanation="Yes."), "explanation"),
        (replace(samples.NUMERIC, stem="How much does each rank hold of it in the end?"), "unit"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_flaw_is_found(variant: Variant, rule: str) -> None:
    assert rule in rules(variant)


def test_an_emphasised_negation_and_a_picture_with_words_are_no_flaws() -> None:
    stem = "Which stage does **not** divide the gradients at all? ![three stages as bars](stages.svg)"
    assert rules(choice("The first stage", "The second stage", "The third stage", stem=stem)) == set()


def test_a_wrong_option_without_idea_or_feedback_is_found() -> None:
    bare = tuple(replace(option, feedback="", misconception="") for option in GOOD.options)
    assert rules(replace(GOOD, options=bare)) == {"no-idea", "no-feedback"}


# --- bots ---


def many(*texts: str, right: int, count: int = 20) -> list[Variant]:
    return [replace(choice(*texts, right=right), item=f"l07-{place}") for place in range(count)]


def tricks(variants: list[Variant]) -> set[str]:
    return {score.bot for score in bots.scores(variants) if score.knows_a_trick}


@pytest.mark.parametrize(
    ("texts", "right", "bot"),
    [
        (("a long option indeed", "short", "brief"), 0, "the longest option"),
        (("12 GB", "8 GB", "16 GB"), 0, "a number in the middle"),
        (("12 GB", "8 GB", "16 GB"), 2, "the largest number"),
        (("12 GB", "8 GB", "16 GB"), 1, "the smallest number"),
        (("always", "never", "in stage one"), 2, "nothing that says always or all"),
        (("the optimizer state", "words", "others"), 0, "what repeats the stem"),
        (("aa", "bb", "cc"), 0, "the first option"),
    ],
)
def test_a_bot_finds_the_trick_of_a_bank(texts: tuple[str, ...], right: int, bot: str) -> None:
    assert bot in tricks(many(*texts, right=right))


def test_on_a_bank_without_tricks_every_bot_is_at_chance() -> None:
    balanced = [replace(choice("aa", "bb", "cc", right=place % 3), item=f"l07-{place}") for place in range(21)]
    assert tricks(balanced) == set()


def test_a_bank_in_which_true_is_always_right_is_found() -> None:
    assert tricks([replace(samples.TRUE_FALSE, item=f"l07-{place}") for place in range(12)]) == {"always true"}


def test_a_bots_chance_is_that_of_guessing() -> None:
    (score,) = [
        each for each in bots.scores(many("aa", "bb", "cc", right=1, count=3)) if each.bot == "the first option"
    ]
    assert (score.hits, score.items) == (0.0, 3)
    assert (score.chance, score.likelihood) == pytest.approx((1.0, 1.0))


# --- the bank ---


def test_stems_that_are_nearly_the_same_are_found() -> None:
    twin = replace(GOOD, item="l07-two")
    found = {finding.rule for finding in bank_rules._alike([GOOD, twin])}
    assert found == {"alike"}


def test_a_stem_that_gives_another_answer_away_is_found_unless_they_are_enemies() -> None:
    telling = replace(GOOD, item="l07-two", stem="A reduce-scatter leaves each rank a chunk. Which stage uses it?")
    assert [finding.item for finding in bank_rules._cues([samples.TEXT, telling])] == ["l07-text"]
    enemies = [replace(each, family="collectives") for each in (samples.TEXT, telling)]
    assert list(bank_rules._cues(enemies)) == []


@pytest.mark.parametrize("number", ["6", "7"])
def test_the_banks_of_the_course_are_clean(number: str) -> None:
    lesson = course().lesson(number)
    maker = Maker(load_bank(lesson), Subject.of(lesson))
    found = lint(maker)
    assert [each for each in found if each.severity is Severity.ERROR] == []
    assert found == []
    assert outcomes_of(maker) == sorted({item.outcome for item in maker.bank.items})
