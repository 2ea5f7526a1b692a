"""Items become variants: draws, conditions, ids, order, and every kind."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("pydantic")

from exam.bank.compile import ItemError, compile_lesson
from exam.bank.stress import flaws
from exam.scoring import score
from exam.variants import Kind, Policy, Pool, Variant
from grader.course import Lesson
from grader.errors import UserError
from tests.exam.bank_samples import HEAD, ITEM, common, first, maker, numeric, write

CHOICE = common(
    "single",
    """
    parameters: {n: {integer: [1, 1000]}}
    options:
      - {text: "one of {{ n }}", correct: true}
      - {text: two, misconception: an_idea}
      - {text: three, misconception: no_master_copy, feedback: "Not with {{ n }}."}
    """,
)


# --- draws of parameters ---


def drawn(lesson: Lesson, parameters: str, count: int = 40, where: str = "[]") -> list[tuple[str, ...]]:
    names = [part.partition(":")[0].strip() for part in parameters.split("; ")]
    text = numeric(
        "{value: '{{ 1 + 0 * len([" + ", ".join(names) + "]) }}', decimals: 0}",
        f"where: {where}\nparameters:\n" + "".join(f"  {part}\n" for part in parameters.split("; ")),
    )
    make = maker(lesson, text)
    return [tuple(make.variant(make.bank.items[0], draw).parameters.values()) for draw in range(count)]


@pytest.mark.parametrize(
    ("parameters", "values"),
    [
        ("a: {choice: [1, 2.5, yes, true]}", {"1", "2.5", "yes", "True"}),
        ("a: {integer: [3, 5]}", {"3", "4", "5"}),
        ("a: {integer: [8, 30], step: 8}", {"8", "16", "24"}),
        ("a: {choice: [2]}; b: {value: '{{ 2 ** a }}'}; c: {value: '{{ b + 1 }}'}", {("2", "4", "5")}),
        ("a: {value: 7}", {"7"}),
        ("a: {value: seven}", {"seven"}),
    ],
)
def test_parameters_take_all_their_values_and_no_other(lesson: Lesson, parameters: str, values: set[object]) -> None:
    found = drawn(lesson, parameters)
    assert {each if len(each) > 1 else each[0] for each in found} == values


@pytest.mark.parametrize(("parameters", "low", "high"), [("real: [0.5, 2]", 0.5, 2), ("log: [1, 1000]", 1, 1000)])
def test_numbers_are_drawn_to_the_figures_that_are_asked_for(
    lesson: Lesson, parameters: str, low: float, high: float
) -> None:
    values = [float(value) for (value,) in drawn(lesson, f"a: {{{parameters}, figures: 2}}")]
    assert all(low <= value <= high and float(f"{value:.1e}") == value for value in values)
    assert len(set(values)) > 10


def test_conditions_hold_in_every_draw(lesson: Lesson) -> None:
    found = drawn(lesson, "a: {integer: [1, 6]}; b: {integer: [1, 6]}", where='["a < b", "{{ a + b > 9 }}"]')
    assert set(found) == {("4", "6"), ("5", "6")}


def test_conditions_that_cannot_hold_are_an_error_that_names_the_item(lesson: Lesson) -> None:
    with pytest.raises(ItemError, match=r"yaml:5: l07-state-bytes, draw 0: no draw fulfils dp > 64, in 1000 tries"):
        first(lesson, ITEM.replace("    stem:", '    where: ["dp > 64"]\n    stem:'))


def test_a_draw_in_which_a_mistake_comes_too_near_is_drawn_again(lesson: Lesson) -> None:
    near = '{name: an_idea, value: "{{ 4.2 if dp == 64 else 9 }}"},'
    make = maker(lesson, ITEM.replace("no_master_copy,", near))
    found = [make.variant(make.bank.items[0], draw).parameters for draw in range(60)]
    pairs = {(each["dp"], each["stage"]) for each in found}
    assert ("64", "1") not in pairs and len(pairs) == 5 and make.redrawn


def test_an_item_that_never_works_is_an_error_with_its_place(lesson: Lesson) -> None:
    near = '{name: an_idea, value: "{{ zero_state_bytes(1e9, dp, stage).total / 1e9 * 1.001 }}"}'
    with pytest.raises(ItemError, match=r"zero_fsdp.yaml:5: l07-state-bytes, draw 0: the mistake 'an_idea' gives"):
        first(lesson, ITEM.replace("no_master_copy", near))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("dp, stage).total", "dp, 9).total", "ValueError"),
        ("stage).total", "stage).totals", "has no attribute 'totals'"),
        ("on {{ dp }} ranks", "on {{ dp // 0 }} ranks", "ZeroDivisionError"),
    ],
)
def test_what_goes_wrong_in_an_expression_is_told_with_the_item(lesson: Lesson, old: str, new: str, told: str) -> None:
    with pytest.raises(ItemError, match=f"yaml:5: l07-state-bytes, draw 0: .*{told}"):
        first(lesson, ITEM.replace(old, new))


# --- streams ---


def test_an_item_more_reshuffles_nothing(lesson: Lesson) -> None:
    alone = maker(lesson, ITEM)
    before = [alone.variant(alone.bank.items[0], draw) for draw in range(5)]
    more = maker(lesson, ITEM.replace("l07-state", "l07-first") + ITEM)
    assert [more.variant(more.bank.items[1], draw) for draw in range(5)] == before


def test_a_variant_is_the_same_today_and_tomorrow(lesson: Lesson) -> None:
    variant = first(lesson, ITEM, 3)
    assert (variant.parameters, variant.code) == ({"dp": "16", "stage": "1"}, "ZUK2Q")
    choice = first(lesson, CHOICE, 3)
    assert [option.text for option in choice.options] == ["two", "three", "one of 909"]
    assert choice.key == "vsaf"


def test_another_secret_gives_other_draws(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM)
    one, other = (compile_lesson(lesson, draws=8, secret=secret) for secret in ("one", "other"))
    assert [v.parameters for v in one.variants] != [v.parameters for v in other.variants]
    assert {v.code for v in one.variants}.isdisjoint(v.code for v in other.variants)


def test_options_say_nothing_by_id_or_place(lesson: Lesson) -> None:
    make = maker(lesson, CHOICE)
    variants = [make.variant(make.bank.items[0], draw) for draw in range(300)]
    places = Counter([option.correct for option in variant.options].index(True) for variant in variants)
    ranks = Counter(sorted(option.id for option in variant.options).index(variant.key) for variant in variants)
    for counts in (places, ranks):
        assert sum((counts[place] - 100) ** 2 / 100 for place in range(3)) < 13.8  # one in a thousand


def test_no_two_variants_of_a_set_have_one_code(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    write(lesson, HEAD + ITEM)
    monkeypatch.setattr("exam.bank.compile.CODE_LENGTH", 1)
    codes = [variant.code for variant in compile_lesson(lesson, draws=30).variants]
    assert len(set(codes)) == 30
    monkeypatch.undo()
    assert len({variant.code for variant in compile_lesson(lesson, draws=100).variants}) == 100


def test_an_item_without_parameters_has_one_variant(lesson: Lesson) -> None:
    make = maker(lesson, ITEM + "  " + numeric("{value: 3, decimals: 0}").replace("\n", "\n  ").rstrip(" "))
    quiz = compile_lesson(make.subject.lesson, draws=4)
    assert [(slot.item, len(slot.variants)) for slot in quiz.slots] == [("l07-state-bytes", 4), ("l07-numeric", 1)]
    assert [variant.draw for variant in quiz.slots[0].variants] == [0, 1, 2, 3]
    assert quiz.title == "Lesson 7" and quiz.bank == make.bank.sha256


def test_pools_are_kept_apart(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM + ITEM.replace("l07-state", "l07-home").replace("pool: exam", "pool: practice"))
    assert {v.item for v in compile_lesson(lesson, pool=Pool.PRACTICE).variants} == {"l07-home-bytes"}
    assert {v.item for v in compile_lesson(lesson, pool=Pool.EXAM).variants} == {"l07-state-bytes"}
    assert len(compile_lesson(lesson).variants) == 2


def test_a_lesson_without_a_solution_is_told(lesson: Lesson) -> None:
    write(lesson, HEAD + common("text", "answer: {accept: [ring]}"))
    (lesson.course.root / "solutions").unlink()
    with pytest.raises(UserError, match="07_zero_fsdp has no reference solution, from which keys are computed"):
        compile_lesson(lesson)


# --- kinds ---


def options_of(variant: Variant) -> dict[str, tuple[bool, str, str]]:
    return {option.text: (option.correct, option.misconception, option.feedback) for option in variant.options}


def test_a_single_choice_has_its_texts_and_hints(lesson: Lesson) -> None:
    make = maker(lesson, CHOICE)
    variant = make.variant(make.bank.items[0], 0)
    n = variant.parameters["n"]
    assert (
        variant.kind is Kind.SINGLE
        and variant.shuffle
        and options_of(variant)
        == {
            f"one of {n}": (True, "", ""),
            "two": (False, "an_idea", "Think again about this."),
            "three": (False, "no_master_copy", f"Not with {n}."),
        }
    )
    assert not list(flaws(variant))


def test_options_that_are_not_shuffled_or_pinned_stay(lesson: Lesson) -> None:
    rest = """
    shuffle: {}
    parameters: {{n: {{integer: [1, 9]}}}}
    policy: balanced
    options:
      - {{text: "{{{{ n }}}}", correct: true}}
      - {{text: "None of these", pinned: true, misconception: an_idea}}
      - {{text: b, correct: true}}
      - {{text: c, misconception: an_idea}}
    """
    orders = set()
    for draw in range(40):
        variant = first(lesson, common("multiple", rest.format("true")), draw)
        orders.add(tuple(option.text for option in variant.options)[1:])
        assert variant.options[-1].text == "None of these" and variant.options[-1].pinned
    assert len(orders) > 3 and variant.policy is Policy.BALANCED
    fixed = first(lesson, common("multiple", rest.format("false")), 5)
    assert [option.text for option in fixed.options][1:] == ["b", "c", "None of these"] and not fixed.shuffle


@pytest.mark.parametrize(("answer", "key"), [("true", "true"), ("false", "false"), ("'{{ 2 < 1 }}'", "false")])
def test_a_statement_is_true_or_false_with_feedback_for_who_chose_it(lesson: Lesson, answer: str, key: str) -> None:
    rest = f"answer: {answer}\nmisconception: an_idea\nfeedback: {{{key}: So it is.}}"
    variant = first(lesson, common("true_false", rest))
    other = "false" if key == "true" else "true"
    assert [option.id for option in variant.options] == ["true", "false"] and variant.key == key
    assert variant.option(key).feedback == "So it is." and variant.option(key).misconception == ""
    assert variant.option(other).feedback == "Think again about this."
    assert variant.option(other).misconception == "an_idea" and not list(flaws(variant))


def test_a_statement_that_is_neither_is_an_error(lesson: Lesson) -> None:
    with pytest.raises(ItemError, match="the answer must be true or false, not 2"):
        first(lesson, common("true_false", "answer: '{{ 1 + 1 }}'\nmisconception: an_idea"))


def test_a_short_text_accepts_what_is_listed(lesson: Lesson) -> None:
    rest = """
    parameters: {n: {choice: [4]}}
    answer: {accept: ["ring of {{ n }}", ring], case_sensitive: true}
    mistakes: [{text: "tree of {{ n }}", misconception: an_idea}]
    """
    variant = first(lesson, common("text", rest))
    assert variant.text is not None and variant.text.accept == ("ring of 4", "ring") and variant.text.case_sensitive
    assert score(variant, "tree of 4").feedback == ("Think again about this.",)
    assert score(variant, "ring").correct and not score(variant, "Ring").correct


def test_a_matching_has_an_option_for_each_right_side_and_distractors(lesson: Lesson) -> None:
    rest = """
    parameters: {n: {choice: [4]}}
    pairs: [{left: "one of {{ n }}", right: I}, {left: two, right: II}, {left: again one, right: I}]
    distractors: ["{{ n }}"]
    """
    variant = first(lesson, common("matching", rest))
    assert sorted(option.text for option in variant.options) == ["4", "I", "II"]
    assert {pair.left: variant.option(pair.option).text for pair in variant.pairs} == {
        "one of 4": "I",
        "two": "II",
        "again one": "I",
    }
    assert variant.policy is Policy.PER_PART and not list(flaws(variant))
    ids = [option.id for option in variant.options] + [pair.id for pair in variant.pairs]
    assert len(set(ids)) == 6


def test_an_ordering_is_never_shown_in_order(lesson: Lesson) -> None:
    rest = """
    parameters: {n: {integer: [1, 9]}}
    order: ["first {{ n }}", {text: second, feedback: "After {{ n }}."}, third]
    """
    make = maker(lesson, common("ordering", rest))
    for draw in range(30):
        variant = make.variant(make.bank.items[0], draw)
        n = variant.parameters["n"]
        assert [variant.option(each).text for each in variant.order] == [f"first {n}", "second", "third"]
        assert [option.id for option in variant.options] != list(variant.order)
        assert variant.option(variant.order[1]).feedback == f"After {n}." and not list(flaws(variant))


def test_what_describes_an_item_is_carried_along(lesson: Lesson) -> None:
    more = "exercise: zero_state_bytes\n    reading: Section 5\n    family: states\n    points: 3\n    stem:"
    variant = first(lesson, ITEM.replace("stem:", more, 1))
    assert (variant.exercise, variant.reading, variant.family, variant.points) == (
        *("zero_state_bytes", "Section 5", "states", 3),
    )
    assert (variant.lesson, variant.outcome, variant.difficulty, variant.minutes) == ("07_zero_fsdp", "7a", 2, 3)
