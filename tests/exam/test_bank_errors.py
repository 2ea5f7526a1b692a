"""What is wrong with a bank is told at once, with file, line and a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pydantic")

from exam.bank.load import BankErrors, bank_path, load_bank
from grader.course import Lesson
from grader.errors import UserError
from tests.exam.bank_samples import HEAD, ITEM, problems_of, write


def test_all_errors_are_told_at_once_with_line_and_suggestion(lesson: Lesson) -> None:
    broken = ITEM.replace("difficulty: 2", "dificulty: 2").replace("no_master_copy", "no_master_copies")
    second = (
        ITEM.replace("outcome: 7a", "outcome: No")
        .replace("minutes: 3", 'minutes: "3"')
        .replace("l07-state", "l07_state")
        .replace("type: numeric", "type: numerical")
    )
    third = ITEM.replace("source: Raj", "source: 1.5 # Raj").replace("dp / 1e9", "db / 1e9")
    third = third.replace("exam", "home").replace("l07-state", "l07-third").replace("{{ dp }} ranks", "{{ db }} ranks")
    assert problems_of(lesson, HEAD + broken + second + third) == [
        "5: l07-state-bytes: 'difficulty' is missing",
        "8: l07-state-bytes: unknown entry 'dificulty'; is it 'difficulty'?",
        "18: l07-state-bytes: no misconception of the lesson is called 'no_master_copies'; is it 'no_master_copy'?",
        "20: l07_state-bytes: unknown type 'numerical'; is it 'numeric'?",
        "40: l07-third-bytes: pool: 'home' is none of 'practice' or 'exam'",
        "41: l07-third-bytes: source: must be text; put 1.5 between quotes",
        "45: l07-third-bytes: unknown name 'db'; is it 'dp'?",
    ]


def test_the_message_holds_all_problems_and_their_number(lesson: Lesson) -> None:
    path = write(lesson, HEAD + ITEM.replace("difficulty: 2", "difficulty: 4").replace("minutes: 3", "minutes: 0"))
    with pytest.raises(BankErrors) as caught:
        load_bank(lesson)
    assert str(caught.value).splitlines() == [
        f"{path}:8: l07-state-bytes: difficulty: input should be less than or equal to 3, not 4",
        f"{path}:9: l07-state-bytes: minutes: input should be greater than or equal to 1, not 0",
        "2 errors in the bank",
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        *(
            ("choice: [8, 16, 64]", new, f"13: l07-state-bytes: {told}")
            for new, told in [
                ("integer: [8, 4]", "dp: the first bound must be below the second, not [8, 4]"),
                ("log: [0, 4]", "dp: log needs positive bounds"),
                ("choice: [8], value: 3", "dp: needs exactly one of choice, integer, real, log and value"),
                ("choose: [8]", "unknown entry 'choose'; is it 'choice'?"),
            ]
        ),
        ("{relative: 0.01}", "{relative: 1%}", "relative: input should be a valid number, not '1%'"),
        ("{relative: 0.01}", "{relative: 0.01, figures: 3}", "needs relative or absolute (or both), or figures, or"),
        ("figures: 3,", "figures: 3, decimals: 1,", "figures and decimals contradict each other: name one"),
        (", figures: 3, tolerance: {relative: 0.01}", "", "the answer needs a tolerance, or figures or decimals"),
        ("7a", "8a", "7: l07-state-bytes: outcomes of this lesson are 7a and so on"),
        ("7a", "seven", "7: l07-state-bytes: outcome: 'seven' is not of the form 7a"),
        ("id: l07-state-bytes", "id: l07_state", "5: l07_state: id: 'l07_state' is not of the form l07-state-bytes"),
        ("l07-state-bytes", "l06-state-bytes", "5: l06-state-bytes: ids of this lesson begin with l07-"),
        ("pool: exam", "pool: exam\n    exercise: zero_state_byte", "11: l07-state-bytes: the lesson has no exercise"),
    ],
)
def test_values_that_make_no_sense_are_told(lesson: Lesson, old: str, new: str, told: str) -> None:
    (found,) = problems_of(lesson, HEAD + ITEM.replace(old, new, 1))
    assert told in found


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{{ dp }} ranks", "{{ dpp }} ranks", "15: l07-state-bytes: unknown name 'dpp'; is it 'dp'?"),
        ("dp, stage).total", "dp, sstage).total", "17: l07-state-bytes: unknown name 'sstage'; is it 'stage'?"),
        ("{{ dp }} ranks", "{{ dp ranks", "15: l07-state-bytes: expected token 'end of print statement'"),
        ("{{ dp }} ranks", "{{ dp | sigg(3) }} ranks", "15: l07-state-bytes: No filter named 'sigg'."),
        ("zero_state_bytes(1e9, dp", "zero_sate_bytes(1e9, dp", "is it 'zero_state_bytes'?"),
        ("/ 1e9 }}", "}} {{ 1 }}", "17: l07-state-bytes: an expression is all that stands here"),
        ("      stage: {", "      all: {value: '{{ dp }}'}\n      stage: {", "the parameter 'all' is used nowhere"),
        ("      stage: {", "      sum: {value: '{{ dp }}'}\n      stage: {", "the parameter 'sum' hides the function"),
        ("dp: {", "a: {value: '{{ stage }}'}\n      dp: {", "13: l07-state-bytes: unknown name 'stage'"),
        ("dp: {", "a b: {value: 3}\n      dp: {", "'a b' can't be a parameter's name"),
        ("    stem:", "    where: [dq > 8]\n    stem:", "15: l07-state-bytes: unknown name 'dq'; is it 'dp'?"),
    ],
)
def test_what_expressions_refer_to_in_vain_is_told(lesson: Lesson, old: str, new: str, told: str) -> None:
    assert any(told in problem for problem in problems_of(lesson, HEAD + ITEM.replace(old, new, 1)))


def test_the_line_within_a_block_of_text_is_told(lesson: Lesson) -> None:
    block = "stem: |\n      Stage {{ stage }}\n      of ZeRO on {{ amount }} ranks, or {{ dp }}.\n"
    old = ITEM[ITEM.index("stem:") : ITEM.index("    answer:")]
    (found,) = problems_of(lesson, HEAD + ITEM.replace(old, block))
    assert (
        found == "17: l07-state-bytes: unknown name 'amount'; it is no parameter above, and no function of the solution"
    )


@pytest.mark.parametrize(
    ("mistakes", "told"),
    [
        ("[no_such_thing]", "no misconception of the lesson is called 'no_such_thing'"),
        ("[an_idea]", "the idea 'an_idea' is shown by no code: give the mistake a value"),
        ("[{name: an_idea}]", "the idea 'an_idea' is shown by no code: give the mistake a value"),
        ("[{name: an_ideal, value: 3}]", "and no idea of the bank, is called 'an_ideal'; is it 'an_idea'?"),
        ("[{nam: an_idea, value: 3}]", "unknown entry 'nam'; is it 'name'?"),
    ],
)
def test_mistakes_must_be_known(lesson: Lesson, mistakes: str, told: str) -> None:
    old = "[no_master_copy, gradients_divided_from_stage_1_on]"
    found = problems_of(lesson, HEAD + ITEM.replace(old, mistakes))
    assert any(problem.startswith("18: l07-state-bytes: ") and told in problem for problem in found)


def test_an_idea_of_one_file_serves_the_other(lesson: Lesson, tmp_path: Path) -> None:
    old = "[no_master_copy, gradients_divided_from_stage_1_on]"
    write(lesson, HEAD + ITEM.replace(old, "[{name: an_idea, value: 99}]"))
    private = overlay(lesson, tmp_path, "items:\n" + ITEM.replace(old, "[{name: an_idea, value: 99}]"))
    with pytest.raises(BankErrors, match="this id is taken"):
        load_bank(private)
    private = overlay(lesson, tmp_path, ITEM.replace("-bytes", "-more").replace(old, "[{name: an_idea, value: 99}]"))
    assert len(load_bank(private).items) == 2


def overlay(lesson: Lesson, tmp_path: Path, text: str) -> Lesson:
    folder = tmp_path / "private" / "quizzes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / bank_path(lesson).name).write_text(text, "utf-8")
    return lesson.course.with_overlay(tmp_path / "private").lesson("7")


def test_an_overlay_adds_items(lesson: Lesson, tmp_path: Path) -> None:
    write(lesson, HEAD + ITEM)
    both = load_bank(overlay(lesson, tmp_path, HEAD + ITEM.replace("l07-state", "l07-secret")))
    assert [item.id for item in both.items] == ["l07-state-bytes", "l07-secret-bytes"]
    assert both.sha256 != load_bank(lesson).sha256
    assert both.lines["l07-secret-bytes"].endswith("private/quizzes/lesson07_zero_fsdp.yaml:5")


def test_an_id_that_stands_twice_is_an_error(lesson: Lesson) -> None:
    (found,) = problems_of(lesson, HEAD + ITEM + ITEM)
    assert found == f"20: l07-state-bytes: this id is taken; it stands at {bank_path(lesson)}:5 too"


def test_items_may_stand_alone(lesson: Lesson) -> None:
    write(lesson, ITEM)
    bank = load_bank(lesson)
    assert bank.title == "Lesson 7" and [item.id for item in bank.items] == ["l07-state-bytes"]
    assert problems_of(lesson, ITEM.replace("difficulty: 2", "dificulty: 2"))[-1].startswith(
        "4: l07-state-bytes: unknown"
    )


def test_an_empty_file_and_one_that_is_no_text_are_told(lesson: Lesson) -> None:
    assert problems_of(lesson, "") == ["1: the file is empty"]
    assert problems_of(lesson, "just words\n")[0].startswith("1: the file: ")
    bank_path(lesson).write_bytes(b"title: x\nitems: \xff")
    with pytest.raises(BankErrors, match="yaml:2: not UTF-8"):
        load_bank(lesson)
    bank_path(lesson).unlink()
    with pytest.raises(UserError, match="lesson 7 has no item bank: there is no file "):
        load_bank(lesson)


def test_a_byte_order_mark_is_no_harm_and_accents_are_composed(lesson: Lesson) -> None:
    write(lesson, "\ufeff" + HEAD + ITEM.replace("Rajbhandari", "Bje\u0301zier"))
    (item,) = load_bank(lesson).items
    assert item.source.startswith("Bj\u00e9zier")


@pytest.mark.parametrize("text", ["items: 3", "items: [3]", "items: [{}]", "items: [[]]", "items:\n- {id: [1]}", "- 1"])
def test_whatever_stands_there_is_told_without_a_crash(lesson: Lesson, text: str) -> None:
    assert problems_of(lesson, text)


def test_an_item_that_nobody_knows_is_told_with_the_nearest(lesson: Lesson) -> None:
    write(lesson, HEAD + ITEM)
    with pytest.raises(UserError, match="there is no item 'l07-stat-bytes'; is it l07-state-bytes?"):
        load_bank(lesson).item("l07-stat-bytes")
