"""The bank: strict YAML, errors with their places, draws that never drift, and items of every kind as variants."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")

import exam
from exam.bank import numbers, strict_yaml
from exam.bank.compile import ItemError, Maker, compile_lesson
from exam.bank.draws import Draws
from exam.bank.expressions import ExpressionError, evaluate, render
from exam.bank.load import BankErrors, load_bank
from exam.bank.model import BankFile
from exam.bank.stress import flaws, stress
from exam.bank.subject import Subject
from exam.scoring import score
from exam.variants import Kind, Policy, Pool, VariantSet, read_variants, write_variants
from grader.course import Lesson
from grader.errors import UserError
from tests.exam import samples
from tests.support import ROOT, course

# --- YAML ---


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("No", "No"), ("off", "off"), ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("y", "y")),
        *(("true", True), ("false", False), ("True", "True"), ("null", None), ("~", None)),
        *(("1e-3", 1e-3), ("1e3", 1e3), ("1.0e3", 1e3), ("3.10", 3.1), (".5", 0.5), ("-2", -2), ("0", 0)),
        *(("010", "010"), ("0x1F", "0x1F"), ("1:30", "1:30"), ("12:30:45", "12:30:45"), ("1_000", "1_000")),
        *(("2026-01-31", "2026-01-31"), ("'5'", "5"), ("e5", "e5"), (".", "."), ("nan", "nan"), (".inf", ".inf")),
    ],
)
def test_a_plain_scalar_means_what_it_says(text: str, value: Any) -> None:
    found = strict_yaml.read(f"key: {text}").value["key"]
    assert found == value and type(found) is type(value)


def test_keys_are_words() -> None:
    assert strict_yaml.read("{true: 1, no: 2, 3: 4}").value == {"true": 1, "no": 2, "3": 4}


def test_a_key_that_stands_twice_is_an_error_with_both_lines() -> None:
    found = strict_yaml.read("a: 1\nb: 2\na: 3\n")
    assert [(each.line, each.text) for each in found.problems] == [
        (3, "'a' stands here a second time; first in line 1")
    ]


def test_a_tab_is_named() -> None:
    (problem,) = strict_yaml.read("a:\n\tb: 1\n").problems
    assert problem.line == 2 and problem.text.endswith("indent with spaces, not with a tab")


# --- draws ---


def test_golden_vectors_of_the_stream() -> None:
    draws = Draws("secret", "l07-state-bytes", 0, "parameters")
    assert [draws.word() for _ in range(3)] == GOLDEN_WORDS
    again = Draws("secret", "l07-state-bytes", 1, "parameters")
    assert [again.below(10) for _ in range(8)] == GOLDEN_DIGITS
    assert Draws("s", "i", 0, "order").shuffled("abcdef") == list(GOLDEN_ORDER)
    assert str(Draws("s", "i", 0, "x").log(Decimal(1), Decimal(10**9), 3)) == GOLDEN_LOG
    assert str(Draws("s", "i", 0, "x").real(Decimal(0), Decimal(1), 4)) == GOLDEN_REAL


GOLDEN_WORDS = [5800689936902554384, 13611792466615672610, 17984337378595127494]
GOLDEN_DIGITS = [4, 1, 7, 6, 7, 9, 8, 6]
GOLDEN_ORDER = "edbcfa"
GOLDEN_LOG = "3.73"
GOLDEN_REAL = "0.06350"


def test_names_are_told_apart_where_they_would_run_together() -> None:
    assert Draws("ab", "c").word() != Draws("a", "bc").word()


def test_draws_are_fair() -> None:
    draws = Draws("fair", 1)
    counts = Counter(draws.below(6) for _ in range(6000))
    assert set(counts) == set(range(6)) and sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5


@given(st.integers(1, 2**63), st.integers(0, 1000))
def test_a_draw_stays_below_its_bound(bound: int, seed: int) -> None:
    assert 0 <= Draws("bound", seed).below(bound) < bound


# --- numbers ---


@pytest.mark.parametrize(
    ("value", "figures", "shown"),
    [
        (2.675, 3, "2.68"),
        (0.00012345, 3, "0.000123"),
        (31.4159e9, 3, "31400000000"),
        (1.005, 3, "1.01"),
        (-2.5, 1, "-3"),
    ],
)
def test_figures_are_rounded_half_up_in_decimal(value: float, figures: int, shown: str) -> None:
    assert numbers.spelt(numbers.to_figures(value, figures)).replace("E+", "e") in (shown, f"{shown}")


@pytest.mark.parametrize(
    ("value", "places", "shown"), [(2.675, 2, "2.68"), (-0.5, 0, "-1"), (0.049, 1, "0.0"), (1e9, 2, "1000000000.00")]
)
def test_decimals_are_rounded_half_up(value: float, places: int, shown: str) -> None:
    assert numbers.spelt(numbers.to_decimals(value, places)) == shown


def test_numbers_are_printed_for_people() -> None:
    assert numbers.with_thousands(16384) == "16,384"
    assert numbers.scientific(1.5e9, 2) == r"1.5 \times 10^{9}"
    assert numbers.with_prefix(1.5e9, "B") == "1.5 GB" and numbers.with_prefix(2.5e-6, "s") == "2.5 µs"


# --- expressions ---


def test_expressions_compute_and_print() -> None:
    assert evaluate("{{ ceil(log2(p)) }}", {"p": 5}) == 3
    assert render("{{ x | sig(3) }} and {{ x | fixed(1) }}", {"x": 2.34567}) == "2.35 and 2.3"
    assert render(r"$\frac{a}{b}$", {}) == r"$\frac{a}{b}$"


@pytest.mark.parametrize(
    "source",
    ["{{ missing }}", "{{ ().__class__.__mro__ }}", "{{ 1 / 0 }}", "{{ f(1) }}", "{{ x.real.__class__ }}", "{{ 1 +"],
)
def test_what_an_expression_must_not_or_cannot_do_is_an_error(source: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(source, {"f": len, "x": 1})


# --- errors ---


ITEM = """\
  - id: l07-state-bytes
    type: numeric
    outcome: 7a
    difficulty: 2
    minutes: 3
    pool: exam
    source: Rajbhandari et al. 2020, section 5
    parameters:
      dp: {choice: [8, 16, 64]}
      stage: {choice: [1, 2]}
    stem: Stage {{ stage }} of ZeRO runs on {{ dp }} ranks. How many GB does each hold of a billion parameters?
    answer:
      {value: "{{ zero_state_bytes(1e9, dp, stage).total / 1e9 }}", unit: GB, figures: 3, tolerance: {relative: 0.01}}
    mistakes: [no_master_copy, gradients_divided_from_stage_1_on]
    explanation: Stage {{ stage }} divides {{ "the optimizer state" if stage == 1 else "that and more" }} by dp.
"""
HEAD = "title: Lesson 7\nideas:\n  an_idea: Think again about this.\nitems:\n"


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """Lesson 7 of a course in which tests write the bank."""
    for name in ("exercises", "solutions", "misconceptions", "checks"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "quizzes").mkdir()
    return type(course()).find(explicit=tmp_path).lesson("7")


def write(lesson: Lesson, text: str) -> None:
    (lesson.course.root / "quizzes" / f"{lesson.stub.stem}.yaml").write_text(text, "utf-8")


def problems_of(lesson: Lesson, text: str) -> list[str]:
    write(lesson, text)
    with pytest.raises(BankErrors) as caught:
        load_bank(lesson)
    return [problem.partition("quizzes/lesson07_zero_fsdp.yaml:")[2] for problem in caught.value.problems]


def test_all_errors_are_told_at_once_with_line_and_suggestion(lesson: Lesson) -> None:
    broken = ITEM.replace("difficulty: 2", "dificulty: 2").replace("type: numeric", "type: numerical")
    second = (
        ITEM.replace("outcome: 7a", "outcome: No")
        .replace("minutes: 3", 'minutes: "3"')
        .replace("l07-state", "l07_state")
    )
    found = problems_of(lesson, HEAD + broken + second)
    assert found == [
        "5: l07-state-bytes: unknown type 'numerical'; is it 'numeric'?",
        "20: l07_state-bytes: id: string should match pattern '^l\\d\\d-[a-z0-9]+(-[a-z0-9]+)*$', "
        "not 'l07_state-bytes'",
        "22: l07_state-bytes: outcome: string should match pattern '^\\d{1,2}[a-z]$', not 'No'",
        "24: l07_state-bytes: minutes: input should be a valid integer, not '3'",
    ]


def test_an_unknown_and_a_missing_entry_are_named(lesson: Lesson) -> None:
    found = problems_of(lesson, HEAD + ITEM.replace("difficulty: 2", "dificulty: 2"))
    assert "8: l07-state-bytes: unknown entry 'dificulty'; is it 'difficulty'?" in found
    assert "5: l07-state-bytes: 'difficulty' is missing" in found


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("choice: [8, 16, 64]", "integer: [8, 4]", "the first bound must be below the second, not [8, 4]"),
        ("choice: [8, 16, 64]", "log: [0, 4]", "log needs positive bounds"),
        ("choice: [8, 16, 64]", "choice: [8], value: 3", "needs exactly one of choice, integer, real, log and value"),
        (
            "{relative: 0.01}",
            "{relative: 0.01, figures: 3}",
            "needs relative or absolute (or both), or figures, or range",
        ),
        ("figures: 3,", "figures: 3, decimals: 1,", "figures and decimals contradict each other: name one"),
        ("difficulty: 2", "difficulty: 4", "input should be less than or equal to 3, not 4"),
        ("pool: exam", "pool: both", "input should be 'practice' or 'exam', not 'both'"),
    ],
)
def test_values_that_make_no_sense_are_told(lesson: Lesson, old: str, new: str, told: str) -> None:
    assert any(problem.endswith(told) for problem in problems_of(lesson, HEAD + ITEM.replace(old, new)))


def test_an_id_that_stands_twice_is_an_error(lesson: Lesson) -> None:
    (found,) = problems_of(lesson, HEAD + ITEM + ITEM)
    assert found.startswith("20: the id 'l07-state-bytes' is taken; it stands at ")


def test_an_empty_file_and_one_that_is_no_text_are_told(lesson: Lesson) -> None:
    assert problems_of(lesson, "") == ["1: the file is empty"]
    (lesson.course.root / "quizzes" / f"{lesson.stub.stem}.yaml").write_bytes(b"title: \xff")
    with pytest.raises(BankErrors, match="not UTF-8 at byte 7"):
        load_bank(lesson)


def test_a_byte_order_mark_is_no_harm(lesson: Lesson) -> None:
    write(lesson, "\ufeff" + HEAD + ITEM)
    assert [item.id for item in load_bank(lesson).items] == ["l07-state-bytes"]


def test_an_overlay_adds_items(lesson: Lesson, tmp_path: Path) -> None:
    write(lesson, HEAD + ITEM)
    private = tmp_path / "private"
    (private / "quizzes").mkdir(parents=True)
    (private / "quizzes" / f"{lesson.stub.stem}.yaml").write_text(
        HEAD + ITEM.replace("l07-state", "l07-secret"), "utf-8"
    )
    both = load_bank(lesson.course.with_overlay(private).lesson("7"))
    assert [item.id for item in both.items] == ["l07-state-bytes", "l07-secret-bytes"]
    assert both.sha256 != load_bank(lesson).sha256


# --- variants ---


def maker(lesson: Lesson, text: str) -> Maker:
    write(lesson, HEAD + textwrap.indent(textwrap.dedent(text), "  ") if not text.startswith("  - ") else HEAD + text)
    return Maker(load_bank(lesson), Subject.of(lesson))


def common(kind: str) -> str:
    return (
        f"- id: l07-{kind.replace('_', '-')}\n  type: {kind}\n  outcome: 7a\n  difficulty: 1\n  minutes: 1\n"
        "  pool: practice\n  source: Made for tests\n  stem: What is asked here, at length?\n"
        "  explanation: Because it is so, and not otherwise.\n"
    )


def test_a_key_is_computed_by_the_solution_and_its_bounds_from_the_tolerance(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    for draw in range(20):
        variant = make.variant(make.bank.items[0], draw)
        dp, stage = int(variant.parameters["dp"]), int(variant.parameters["stage"])
        exact = Fraction(2) + (2 if stage == 1 else Fraction(2, dp)) + Fraction(12, dp)
        number = variant.number
        assert number is not None and number.unit == "GB"
        assert abs(Fraction(number.value) - exact) <= exact / 200  # three figures
        assert abs(Fraction(number.low) - exact * Fraction(99, 100)) < Fraction(1, 10**9)
        assert abs(Fraction(number.high) - exact * Fraction(101, 100)) < Fraction(1, 10**9)
        assert not list(flaws(variant))


def test_a_mistake_that_makes_no_difference_in_a_draw_is_left_out(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    for draw in range(20):
        variant = make.variant(make.bank.items[0], draw)
        assert variant.number is not None
        named = {mistake.misconception for mistake in variant.number.mistakes}
        assert ("gradients_divided_from_stage_1_on" in named) == (variant.parameters["stage"] == "1")


def test_a_draw_in_which_a_mistake_comes_too_near_is_drawn_again(lesson: Lesson) -> None:
    near = ITEM.replace(
        "mistakes: [no_master_copy,", 'mistakes: [{name: an_idea, value: "{{ 4.2 if dp == 64 else 9 }}"},'
    )
    make = maker(lesson, near)
    drawn = {
        make.variant(make.bank.items[0], draw).parameters["dp"]
        + make.variant(make.bank.items[0], draw).parameters["stage"]
        for draw in range(60)
    }
    assert "641" not in drawn and {"81", "82", "161", "162", "642"} <= drawn and make.redrawn


def test_an_item_that_never_works_is_an_error_with_its_place(lesson: Lesson) -> None:
    make = maker(
        lesson,
        ITEM.replace(
            "no_master_copy", '{name: an_idea, value: "{{ zero_state_bytes(1e9, dp, stage).total / 1e9 * 1.001 }}"}'
        ),
    )
    with pytest.raises(
        ItemError, match=r"lesson07_zero_fsdp.yaml:5: l07-state-bytes, draw 0: the mistake 'an_idea' gives"
    ):
        make.variant(make.bank.items[0], 0)


def test_an_unknown_misconception_is_told(lesson: Lesson) -> None:
    make = maker(lesson, ITEM.replace("no_master_copy", "no_such_idea"))
    with pytest.raises(
        ItemError, match="no misconception of the lesson, and no idea of the bank, is called 'no_such_idea'"
    ):
        make.variant(make.bank.items[0], 0)


def test_conditions_hold_in_every_draw(lesson: Lesson) -> None:
    make = maker(lesson, ITEM.replace("    stem:", '    where: ["dp > 8", "stage == 1"]\n    stem:'))
    drawn = {tuple(make.variant(make.bank.items[0], draw).parameters.values()) for draw in range(30)}
    assert drawn == {("16", "1")}  # with 64 ranks a mistake comes too near


def test_conditions_that_cannot_hold_are_an_error(lesson: Lesson) -> None:
    make = maker(lesson, ITEM.replace("    stem:", '    where: ["dp > 64"]\n    stem:'))
    with pytest.raises(ItemError, match="no draw fulfils dp > 64, in 1000 tries"):
        make.variant(make.bank.items[0], 0)


def test_an_item_more_reshuffles_nothing(lesson: Lesson) -> None:
    alone = maker(lesson, ITEM)
    before = [alone.variant(alone.bank.items[0], draw) for draw in range(5)]
    more = maker(lesson, ITEM.replace("l07-state", "l07-first") + ITEM)
    assert [more.variant(more.bank.items[1], draw) for draw in range(5)] == before


def test_another_secret_gives_other_draws(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM)
    one, other = (compile_lesson(lesson, draws=8, secret=secret) for secret in ("one", "other"))
    assert [v.parameters for v in one.variants] != [v.parameters for v in other.variants]
    assert {v.code for v in one.variants}.isdisjoint(v.code for v in other.variants)


def test_options_say_nothing_by_id_or_place(lesson: Lesson) -> None:
    text = common("single") + (
        "  parameters: {n: {integer: [1, 1000]}}\n  options:\n    - {text: one, correct: true}\n"
        "    - {text: two, misconception: an_idea}\n    - {text: three, misconception: an_idea}\n"
    )
    make = maker(lesson, text)
    drawn = [make.variant(make.bank.items[0], draw) for draw in range(300)]
    places = Counter([option.correct for option in variant.options].index(True) for variant in drawn)
    ranks = Counter(sorted(option.id for option in variant.options).index(variant.key) for variant in drawn)
    for counts in (places, ranks):
        assert sum((counts[place] - 100) ** 2 / 100 for place in range(3)) < 13.8  # one in a thousand


def test_computed_options_are_numbers_in_order_with_the_feedback_of_their_misconceptions(lesson: Lesson) -> None:
    text = (
        ITEM.replace("type: numeric", "type: single")
        .replace(", tolerance: {relative: 0.01}", "")
        .replace("gradients_divided_from_stage_1_on]", '{name: an_idea, value: "{{ 16 }}"}]')
    )
    make = maker(lesson, text)
    variant = make.variant(make.bank.items[0], 0)
    values = [float(option.text.removesuffix(" GB")) for option in variant.options]
    assert values == sorted(values) and len(values) == 3 and not variant.shuffle
    assert {option.misconception for option in variant.options} == {"", "no_master_copy", "an_idea"}
    assert all(option.feedback for option in variant.options if not option.correct)


def test_too_few_different_options_are_an_error(lesson: Lesson) -> None:
    text = ITEM.replace("type: numeric", "type: single").replace("no_master_copy", "{name: an_idea, value: 99}")
    make = maker(lesson, text.replace("gradients_divided_from_stage_1_on]", "{name: an_idea, value: 99}]"))
    with pytest.raises(ItemError, match="only 2 options differ"):
        make.variant(make.bank.items[0], 0)


def test_the_other_kinds(lesson: Lesson) -> None:
    text = (
        common("multiple")
        + "  policy: balanced\n  options:\n    - {text: a, correct: true}\n    - {text: b, correct: true}\n"
        "    - {text: c, misconception: an_idea}\n    - {text: None of these, misconception: an_idea, pinned: true}\n"
        + common("true_false")
        + '  answer: "{{ zero_state_bytes(1, 2, 3).total < 16 }}"\n  misconception: an_idea\n'
        "  feedback: {true: So it is.}\n"
        + common("text")
        + "  answer: {accept: [ring, a ring]}\n  mistakes: [{text: tree, misconception: an_idea}]\n"
        + common("matching")
        + "  pairs: [{left: one, right: I}, {left: two, right: II}, {left: again one, right: I}]\n"
        "  distractors: [III]\n"
        + common("ordering")
        + "  order: [first, {text: second, feedback: After the first.}, third]\n"
    )
    make = maker(lesson, text)
    multiple, truth, short, matching, ordering = (make.variant(item, 0) for item in make.bank.items)
    assert multiple.policy is Policy.BALANCED and multiple.options[-1].text == "None of these"
    assert truth.key == "true" and [option.feedback for option in truth.options] == [
        "So it is.",
        "Think again about this.",
    ]
    assert short.text is not None and short.text.mistakes[0].feedback == "Think again about this."
    assert len(matching.options) == 3 and score(matching, matching.key).correct
    assert [ordering.option(each).text for each in ordering.order] == ["first", "second", "third"]
    assert [option.id for option in ordering.options] != list(ordering.order)
    for variant in (multiple, truth, short, matching, ordering):
        assert not list(flaws(variant))


def test_pools_are_kept_apart(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM + ITEM.replace("l07-state", "l07-home").replace("pool: exam", "pool: practice"))
    assert {v.item for v in compile_lesson(lesson, pool=Pool.PRACTICE).variants} == {"l07-home-bytes"}
    assert {v.item for v in compile_lesson(lesson, pool=Pool.EXAM).variants} == {"l07-state-bytes"}


# --- stress ---


def test_stress_is_clean_for_a_good_item_and_names_an_idle_mistake(lesson: Lesson) -> None:
    make = maker(lesson, ITEM)
    assert stress(make, make.bank.items[0], 200).problems == []
    idle = maker(lesson, ITEM.replace("stage: {choice: [1, 2]}", "stage: {choice: [2]}"))
    found = stress(idle, idle.bank.items[0], 50)
    assert found.problems == [
        "l07-state-bytes: the mistake 'gradients_divided_from_stage_1_on' never leads to an answer of its own"
    ]


@pytest.mark.parametrize("left", ["{{ x", "nan", "None"])
def test_what_is_left_over_of_a_template_is_found(left: str) -> None:
    variant = samples.variant(Kind.SINGLE, "l07-left", f"What is {left} here?", options=samples.SINGLE.options)
    assert list(flaws(variant))


# --- the contract ---


SCHEMA = json.loads(Path(exam.__file__).with_name("variants.schema.json").read_text("utf-8"))


def test_variants_follow_their_schema_and_come_back(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(samples.sample_set().to_json())
    write_variants(tmp_path / "quiz.json", samples.sample_set())
    assert read_variants(tmp_path / "quiz.json") == samples.sample_set()


@pytest.mark.parametrize("text", ["[]", '{"schema": 9}', "{", '{"schema": 1, "lesson": 3}'])
def test_a_file_that_is_none_is_told_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "quiz.json").write_text(text)
    with pytest.raises(UserError, match=r"quiz\.json: "):
        read_variants(tmp_path / "quiz.json")


def test_the_schema_of_the_bank_is_current() -> None:
    path = Path(exam.__file__).with_name("bank.schema.json")
    assert json.loads(path.read_text("utf-8")) == {"$id": path.name, **BankFile.model_json_schema()}


def test_a_set_groups_the_variants_of_an_item() -> None:
    quiz = VariantSet("07", "Q", "", (samples.SINGLE, samples.NUMERIC, samples.NUMERIC))
    assert [(slot.item, len(slot.variants)) for slot in quiz.slots] == [("l07-single", 1), ("l07-numeric", 2)]
