"""Banks made of text."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from exam.bank.compile import Maker
from exam.bank.load import BankErrors, bank_path, load_bank
from exam.bank.subject import Subject
from exam.variants import Variant
from grader.course import Lesson

HEAD = "title: Lesson 7\nideas:\n  an_idea: Think again about this.\nitems:\n"
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


def common(kind: str, rest: str) -> str:
    """An item of a kind, with what all items have filled in, for ``maker`` to indent."""
    return (
        f"- id: l07-{kind.replace('_', '-')}\n  type: {kind}\n  outcome: 7a\n  difficulty: 1\n  minutes: 1\n"
        "  pool: practice\n  source: Made for tests\n  stem: What is asked here, at length?\n"
        f"  explanation: Because it is so, and not otherwise.\n{textwrap.indent(textwrap.dedent(rest).strip(), '  ')}\n"
    )


def numeric(answer: str, rest: str = "") -> str:
    """A numeric item."""
    return common("numeric", f"answer: {answer}\n{rest}")


def write(lesson: Lesson, text: str) -> Path:
    path = bank_path(lesson)
    path.write_text(text, "utf-8")
    return path


def maker(lesson: Lesson, text: str) -> Maker:
    """What makes variants of some items, which may lie at the margin."""
    write(lesson, HEAD + (text if text.startswith("  - ") else textwrap.indent(text, "  ")))
    return Maker(load_bank(lesson), Subject.of(lesson))


def first(lesson: Lesson, text: str, draw: int = 0) -> Variant:
    """A variant of the first item."""
    made = maker(lesson, text)
    return made.variant(made.bank.items[0], draw)


def problems_of(lesson: Lesson, text: str) -> list[str]:
    """What is wrong with a bank, without the file's name."""
    path = write(lesson, text)
    with pytest.raises(BankErrors) as caught:
        load_bank(lesson)
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]
