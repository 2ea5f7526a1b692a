"""Hints: found in a handout, given one at a time, readable in a terminal."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.handout import HandoutError, all_hints, hints, hints_of, next_hint, readable

HANDOUT = r"""# Lesson 6 · Collectives

Ideas, and a `### fake` in code.

```
### not_a_heading
<details><summary>Hint 1</summary>no</details>
```

## Exercises

### ring_all_reduce

Read the paper first.

<details><summary>Hint 1</summary>

Which chunk does rank $r$ send at step 0?

</details>

<details>
<summary>Hint 2</summary>
After $p-1$ steps a rank has **all** of chunk `(r + 1) % p`.

```python
### a comment, not a heading
chunk = (rank - step) % p
```
</details>
<details><summary>Reading</summary>Not a hint.</details>

#### A note

<DETAILS open><Summary> hint 3 </Summary>The last.</DETAILS>

### 6.2 · `tree_all_reduce` (stretch, 45 min)

<details><summary>Hint 1</summary>Draw it for $p = 5$.</details>

### empty_one

### Further reading

## Appendix

<details><summary>Hint 1</summary>belongs to nothing</details>
"""
LESSON, RING = "06_collectives", "ring_all_reduce"


# finding hints


def test_hints_are_found_by_exercise_in_order() -> None:
    found = hints(HANDOUT)
    assert list(found) == ["ring_all_reduce", "tree_all_reduce"]
    assert [len(texts) for texts in found.values()] == [3, 1]
    assert found[RING][0] == "Which chunk does rank $r$ send at step 0?"
    assert found[RING][1].endswith("```python\n### a comment, not a heading\nchunk = (rank - step) % p\n```")
    assert found[RING][2] == "The last."
    assert found["tree_all_reduce"] == ["Draw it for $p = 5$."]


def test_hint_that_is_not_closed_ends_at_the_next_one() -> None:
    text = "### f\n<details><summary>Hint 1</summary>one\n<details><summary>Hint 2</summary>two\n### g\nend"
    assert hints(text) == {"f": ["one", "two"]}


def test_indentation_of_a_hint_is_taken_off_as_a_whole() -> None:
    text = "### f\n<details><summary>Hint 1</summary>\n    a\n      b\n</details>"
    assert hints(text) == {"f": ["a\n  b"]}


@given(st.text(alphabet=string.printable) | st.text())
def test_any_text_is_a_handout(text: str) -> None:
    for texts in hints(text).values():
        assert all(isinstance(readable(each), str) for each in texts)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True),
        st.lists(st.from_regex(r"[a-z .]{0,10}[a-z]", fullmatch=True).map(str.strip), min_size=1, max_size=4),
        max_size=4,
    )
)
def test_what_an_author_writes_is_what_is_found(written: dict[str, list[str]]) -> None:
    sections = []
    for name, texts in written.items():
        folded = [f"<details><summary>Hint {i}</summary>\n\n{t}\n\n</details>" for i, t in enumerate(texts, 1)]
        sections.append("\n\n".join([f"### {name}", *folded]))
    assert hints("\n\n".join(sections)) == written


# the exercise that is meant


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "exercises").mkdir()
    for name in (LESSON, "07_zero_fsdp", "08_model_parallel"):
        (tmp_path / "exercises" / f"lesson{name}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "exercises" / f"lesson{LESSON}.md").write_text(HANDOUT, encoding="utf-8")
    zero = "### zero_state_bytes\n<details><summary>Hint 1</summary>Divide.</details>"
    (tmp_path / "exercises" / "lesson07_zero_fsdp.md").write_text(zero)
    return Course(tmp_path)


@pytest.mark.parametrize("name", ["ring_all_reduce", "ring-all-reduce", "RING", "ring_"])
def test_exercise_is_found_in_whichever_lesson_has_it(course: Course, name: str) -> None:
    lesson, exercise, found = hints_of(course, name)
    assert (lesson.name, exercise, len(found[exercise])) == (LESSON, RING, 3)
    assert hints_of(course, "zero_state")[0].number == 7


def test_unknown_exercise_is_answered_with_the_nearest(course: Course) -> None:
    with pytest.raises(HandoutError, match="did you mean ring_all_reduce"):
        hints_of(course, "rign_all_reduce")
    with pytest.raises(HandoutError) as caught:
        hints_of(course, "ring_all_reduce", course.lesson("7"))
    assert "in lesson 7" in caught.value.message and "zero_state_bytes" in caught.value.hint


def test_ambiguous_exercise_is_answered_with_the_candidates(course: Course) -> None:
    with pytest.raises(HandoutError, match="ring_all_reduce, tree_all_reduce"):
        hints_of(course, "all_reduce")


def test_handout_that_cannot_be_read_is_an_error_in_words(course: Course) -> None:
    course.lesson("7").handout_path.write_bytes(b"\xff\xfe")
    with pytest.raises(HandoutError, match="cannot be read"):
        hints_of(course, "ring")


# one at a time


def test_each_call_gives_one_step_more_and_stays_at_the_last(tmp_path: Path) -> None:
    found = hints(HANDOUT)
    given = [next_hint(tmp_path / "state", LESSON, RING, found) for _ in range(5)]
    assert [hint.number for hint in given] == [1, 2, 3, 3, 3]
    assert [hint.is_last for hint in given] == [False, False, True, True, True]
    assert {hint.total for hint in given} == {3}
    assert given[0].text == "Which chunk does rank r send at step 0?"


def test_exercises_are_remembered_apart(tmp_path: Path) -> None:
    found = hints(HANDOUT)
    next_hint(tmp_path, LESSON, RING, found)
    assert next_hint(tmp_path, LESSON, "tree_all_reduce", found).number == 1
    assert next_hint(tmp_path, "07_zero_fsdp", RING, found).number == 1
    assert next_hint(tmp_path, LESSON, RING, found).number == 2
    assert json.loads((tmp_path / "hints.json").read_text()) == {
        LESSON: {RING: 2, "tree_all_reduce": 1},
        "07_zero_fsdp": {RING: 1},
    }


def test_restart_begins_again(tmp_path: Path) -> None:
    found = hints(HANDOUT)
    for _ in range(2):
        next_hint(tmp_path, LESSON, RING, found)
    assert next_hint(tmp_path, LESSON, RING, found, restart=True).number == 1
    assert next_hint(tmp_path, LESSON, RING, found).number == 2


def test_all_hints_at_once_count_as_given(tmp_path: Path) -> None:
    found = hints(HANDOUT)
    assert [(hint.number, hint.total) for hint in all_hints(tmp_path, LESSON, RING, found)] == [
        (1, 3),
        (2, 3),
        (3, 3),
    ]
    assert next_hint(tmp_path, LESSON, RING, found).number == 3


@pytest.mark.parametrize(
    "memory",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"06_collectives": 3}',
        '{"06_collectives": {"ring_all_reduce": "2"}}',
        '{"06_collectives": {"ring_all_reduce": true}}',
        '{"06_collectives": {"ring_all_reduce": -5}}',
        '{"06_collectives": {"ring_all_reduce": 1e400}}',
        b"\xff\xfe\x00",
    ],
)
def test_damaged_memory_begins_again(tmp_path: Path, memory: str | bytes) -> None:
    (tmp_path / "hints.json").write_bytes(memory if isinstance(memory, bytes) else memory.encode())
    assert next_hint(tmp_path, LESSON, RING, hints(HANDOUT)).number == 1
    assert next_hint(tmp_path, LESSON, RING, hints(HANDOUT)).number == 2


def test_memory_of_a_longer_handout_gives_the_last_hint(tmp_path: Path) -> None:
    (tmp_path / "hints.json").write_text(json.dumps({LESSON: {RING: 99}}))
    assert next_hint(tmp_path, LESSON, RING, hints(HANDOUT)).number == 3


def test_exercise_without_hints_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(HandoutError, match="did you mean ring_all_reduce"):
        next_hint(tmp_path, LESSON, "ring_all_reduc", hints(HANDOUT))


def test_memory_that_cannot_be_saved_is_an_error_with_a_way_to_the_hints(tmp_path: Path) -> None:
    (tmp_path / "hints.json").mkdir()
    with pytest.raises(HandoutError, match="cannot save") as caught:
        next_hint(tmp_path, LESSON, RING, hints(HANDOUT))
    assert "exercises/lesson06_collectives.md" in caught.value.hint


# readable in a terminal


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** and *slanted* and _lined_ and `code`", "bold and slanted and lined and code"),
        ("**rank $r$** sends `x`", "rank r sends x"),
        ("``a ` b``", "a ` b"),
        ("`2 * p * $n$`", "2 * p * $n$"),
        ("2 * p * n", "2 * p * n"),
        ("numpy_array_split and __init__", "numpy_array_split and __init__"),
        (r"it costs \$3 or \*more\*", "it costs $3 or *more*"),
        ("$5 and $6", "$5 and $6"),
        ("a $n$-element buffer, $p$ ranks", "a n-element buffer, p ranks"),
        ("[the paper](https://x.org/a_b_c)", "the paper (https://x.org/a_b_c)"),
        ("a &lt; b<br>c", "a < bc"),
        ("one\ntwo\n\nthree", "one two\n\nthree"),
        ("- one\n  more\n- two\n1. three", "- one more\n- two\n1. three"),
        ("> quoted", "quoted"),
        ("$$\nt = 2(p-1)\\alpha\n$$", "t = 2(p-1)α"),
        ("see\n\n```python\nif $a$:\n    *b*\n```\n\nend", "see\n\n    if $a$:\n        *b*\n\nend"),
        ("```\nnot closed", "    not closed"),
        ("", ""),
    ],
)
def test_markdown_becomes_plain_text(markdown: str, text: str) -> None:
    assert readable(markdown) == text
