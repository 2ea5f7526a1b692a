"""``quiz take``: a quiz in the terminal, through click's runner and through a pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import exam.bank
from exam.take.progress import Progress
from exam.take.quiz import Quiz
from exam.take.reply import shown
from exam.take.review import review
from exam.take.screen import ending, prompt, question, verdict
from exam.terminal.cli import cli
from exam.variants import Number, Pool, Variant, VariantSet, write_variants
from grader.terminal.style import Style, cells
from tests.exam import samples

TAUGHT = replace(samples.NUMERIC, exercise="zero_state_bytes", reading="Rajbhandari *et al.* 2020, section 5")
THREE = (samples.SINGLE, TAUGHT, samples.BALANCED)
LESSON = "lesson07_zero_fsdp"


def make_course(folder: Path, variants: Sequence[Variant] = THREE, lesson: str = "07_zero_fsdp") -> Path:
    """A course with a compiled quiz for lesson 7 and nothing for lesson 6."""
    (folder / "exercises").mkdir(parents=True)
    (folder / "quizzes").mkdir()
    for name in ("lesson06_collectives.py", f"{LESSON}.py"):
        (folder / "exercises" / name).write_text("")
    write_variants(
        folder / "quizzes" / f"{LESSON}.json", VariantSet(lesson, "ZeRO and FSDP", "0" * 64, tuple(variants))
    )
    return folder


def take(folder: Path, typed: str | bytes, *options: str) -> Result:
    runner = CliRunner(env={"COLUMNS": "80"})
    return runner.invoke(cli, ["--course", str(folder), "take", "lesson7", *options], input=typed)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return make_course(tmp_path / "course")


# --- a sitting ---


def test_a_quiz_is_asked_answered_and_explained(course: Path) -> None:
    done = take(course, "a\n31.4 GB\na b\n")
    assert done.exit_code == 0
    assert done.stdout.count("✓ Right.") == 3
    assert "Question 3 of 3" in done.stdout and "Because of a/b, and x[i]." in done.stdout
    assert "3 of 3 points; 3 of 3 right" in done.stdout and "There is nothing to revisit." in done.stdout
    assert "quiz take lesson7 --restart" in done.stdout


def test_wrong_answers_are_told_why_and_what_to_revisit(course: Path) -> None:
    done = take(course, "b\n29.3\na\n")
    assert done.exit_code == 0
    for text in (
        *("Not 1: think of x₁.", "The right answer: a) Stage 1", "The right answer: 31.4 GB"),
        *("Right in part: 0.5 of 1 point.", "The right answer: a b", "0.5 of 3 points; 0 of 3 right"),
        *("counts gib: A GB is 10⁹ bytes.", "grade hint zero_state_bytes", "Rajbhandari et al. 2020, section 5"),
    ):
        assert text in done.stdout, text


def test_what_cannot_be_read_is_asked_again(course: Path) -> None:
    done = take(course, "x\na\nabout 31\n16,00\n31.4\nq\nb a\n")
    assert done.exit_code == 0 and done.stdout.count("✓ Right.") == 3
    assert "Type the letter of the option, a to d, such as b." in done.stdout
    assert " ".join(done.stdout.split()).count("such as 3.14 or 2e-3.") == 2


def test_another_unit_is_wrong_and_says_so(course: Path) -> None:
    done = take(course, "31.4 MB\n", "--item", "numeric")
    assert "✗ Not right." in done.stdout and "The answer is asked for in GB, not in MB." in done.stdout


def test_what_was_typed_into_a_pipe_is_shown(course: Path) -> None:
    assert "A letter: a\n" in take(course, "a\n").stdout


@pytest.mark.parametrize("typed", ["", "\n", "x\ny\nz", "a\n\n"])
def test_input_that_ends_leaves_the_quiz_unfinished(course: Path, typed: str) -> None:
    done = take(course, typed)
    assert done.exit_code == 1 and "left. What you answered is kept; go on with" in " ".join(done.stdout.split())


def test_bytes_that_are_no_text_are_no_answer(course: Path) -> None:
    done = take(course, b"\xff\xfe\na\n31.4\na b\n")
    assert done.exit_code == 0 and "3 of 3 right" in done.stdout


def test_control_characters_never_reach_the_screen(tmp_path: Path) -> None:
    nasty = replace(samples.TEXT, stem="What \x1b[31mis\x07 it?", explanation="\x1b]0;title\x07")
    done = take(make_course(tmp_path / "course", [nasty]), "\x1b[2Jreduce\x08\n")
    assert done.exit_code == 0 and "\x1b" not in done.stdout and "\x07" not in done.stdout and "\x08" not in done.stdout


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_every_kind_fits_the_screen(variant: Variant, width: int) -> None:
    style = Style(width=width)
    (answered,) = review(Quiz("07_zero_fsdp", "", "", 0, (variant,)), {variant.code: variant.key}).answered
    shown_lines = [*question(variant, 1, 9, style), *verdict(answered, style)]
    assert all(cells(line) <= width for line in shown_lines)
    for option in variant.options:
        assert option.text.split()[0].strip("$*") in " ".join(shown_lines) or "$" in option.text


@pytest.mark.parametrize("variant", samples.ALL, ids=lambda variant: variant.item)
def test_on_a_narrow_screen_there_is_room_for_an_answer(tmp_path: Path, variant: Variant) -> None:
    folder = make_course(tmp_path / "course", [variant])
    runner = CliRunner(env={"COLUMNS": "40"})
    done = runner.invoke(cli, ["--course", str(folder), "take", "7"], input=f"{shown(variant, variant.key)}\n")
    assert done.exit_code == 0 and all(cells(line) <= 40 for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ({"figures": 1, "unit": "GB"}, "A number in GB, to 1 figure:"),
        ({"decimals": 2}, "A number, to 2 decimals:"),
        ({"decimals": 0, "unit": "ms"}, "A whole number in ms:"),
        ({}, "A number:"),
    ],
)
def test_a_number_is_asked_for_as_the_item_wants_it(number: dict[str, Any], text: str) -> None:
    key = Number(value="1", low="1", high="1", **number)
    assert prompt(replace(samples.NUMERIC, number=key)) == text


def test_capital_letters_that_count_are_announced() -> None:
    assert "capital" not in prompt(samples.TEXT)
    assert samples.TEXT.text is not None
    strict = replace(samples.TEXT, text=replace(samples.TEXT.text, case_sensitive=True))
    assert prompt(strict) == "A word or a few (capital letters count):"


def test_options_and_left_sides_are_marked() -> None:
    text = "\n".join(question(samples.MATCHING, 2, 9, Style()))
    assert "    1) stage 1\n    2) stage 2 & more\n    3) stage 3\n\n    a) optimizer state\n" in text


def test_feedback_of_several_options_names_their_letters(course: Path) -> None:
    assert "c: Not 2: think of x₂." in take(course, "a c\n", "--item", "balanced").stdout


def test_every_key_is_right_when_it_is_typed_as_shown(tmp_path: Path) -> None:
    folder = make_course(tmp_path / "course", samples.ALL)
    done = take(folder, "".join(f"{shown(variant, variant.key)}\n" for variant in samples.ALL))
    assert done.exit_code == 0 and f"{len(samples.ALL)} of {len(samples.ALL)} right" in done.stdout


# --- progress ---


def test_a_quiz_goes_on_where_it_was_left(course: Path) -> None:
    assert take(course, "a\n").exit_code == 1
    done = take(course, "31.4\na b\n")
    assert done.exit_code == 0
    assert "You have answered 1 of them." in done.stdout and "Question 1 of 3" not in done.stdout
    assert "3 of 3 right" in done.stdout


def test_what_was_left_for_later_is_asked_next_time(course: Path) -> None:
    assert "Left for later." in take(course, "\n31.4\na b\n").stdout
    done = take(course, "a\n")
    assert done.exit_code == 0 and "Question 1 of 3" in done.stdout and "Question 2 of 3" not in done.stdout


def test_a_finished_quiz_is_reviewed_and_can_be_restarted(course: Path) -> None:
    take(course, "b\n31.4\na b\n")
    again = take(course, "")
    assert again.exit_code == 0 and "Question" not in again.stdout and "2 of 3 points" in again.stdout
    restarted = take(course, "", "--restart")
    assert restarted.exit_code == 1 and "Question 1 of 3" in restarted.stdout and "0 of 3 points" in restarted.stdout
    assert take(course, "").exit_code == 1  # and it stays forgotten


def test_one_item_is_asked_again_and_the_others_are_kept(course: Path) -> None:
    take(course, "b\n31.4\n")
    done = take(course, "a\n", "--item", "l07-single")
    assert done.exit_code == 0 and "Question 1 of 1" in done.stdout and "1 of 1 right" in done.stdout
    assert take(course, "", "--item", "l07-single").exit_code == 1  # asked, and not answered this time
    assert "2 of 3 points" in take(course, "").stdout


def test_restarting_one_item_forgets_that_one(course: Path) -> None:
    take(course, "a\n31.4\na b\n")
    take(course, "", "--item", "single", "--restart")
    assert "You have answered 2 of them." in take(course, "").stdout


def test_a_draw_has_numbers_and_answers_of_its_own(tmp_path: Path) -> None:
    number = replace(TAUGHT.number, value="62.8", low="62", high="63", mistakes=())  # type: ignore[type-var]
    other = replace(TAUGHT, draw=1, code="OTHER", stem="And with twice as many?", number=number)
    folder = make_course(tmp_path / "course", [TAUGHT, other, samples.SINGLE])
    assert take(folder, "31.4\na\n").exit_code == 0
    done = take(folder, "62.8\na\n", "--draw", "1")
    assert done.exit_code == 0 and "And with twice as many?" in done.stdout and "2 of 2 right" in done.stdout
    assert "quiz take lesson7 --draw 1 --restart" in done.stdout
    refused = take(folder, "", "--draw", "2")
    assert refused.exit_code == 2 and "the quiz has the draws 0 to 1" in refused.stderr


def saved(course: Path) -> Path:
    return course / ".grade" / "quizzes" / "07_zero_fsdp.json"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"schema": 1}', "\x00", '{"schema": 1, "bank": "x", "draws": {}}'])
def test_a_damaged_or_outdated_file_counts_as_none(course: Path, content: str) -> None:
    take(course, "a\n")
    saved(course).write_text(content)
    done = take(course, "a\n31.4\na b\n")
    assert done.exit_code == 0 and "3 of 3 right" in done.stdout
    assert json.loads(saved(course).read_text())["draws"]["0"]


@pytest.mark.parametrize("responses", [{"INGLE": ["x"]}, {"INGLE": "gone"}, {"INGLE": None}, [], None])
def test_saved_responses_that_are_none_are_asked_again(course: Path, responses: Any) -> None:
    take(course, "a\n")
    data = json.loads(saved(course).read_text())
    assert samples.SINGLE.code == "INGLE" and data["draws"]["0"] == {"INGLE": "kqzm"}
    saved(course).write_text(json.dumps({**data, "draws": {"0": responses}}))
    assert "Question 1 of 3" in take(course, "").stdout


def test_answers_of_another_window_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "quiz.json"
    one, other = Progress.load(path, "bank", 0), Progress.load(path, "bank", 0)
    one.record("A", "x")
    other.record("B", "y")
    Progress.load(path, "bank", 1).record("A", "z")
    assert Progress.load(path, "bank", 0).responses == {"A": "x", "B": "y"}
    assert Progress.load(path, "bank", 1).responses == {"A": "z"}
    assert Progress.load(path, "new bank", 0).responses == {}


def test_where_nothing_can_be_saved_the_quiz_goes_on_and_says_so_once(course: Path) -> None:
    (course / ".grade").mkdir()
    (course / ".grade" / "quizzes").write_text("in the way")
    done = take(course, "a\n31.4\na b\n")
    assert done.exit_code == 0 and done.stdout.count("Answers can't be saved") == 1 and "3 of 3 right" in done.stdout


# --- the summary as JSON ---


def test_json_goes_to_standard_output_and_questions_to_standard_error(course: Path) -> None:
    done = take(course, "b\n29.3\na\n", "--json")
    summary = json.loads(done.stdout)
    assert "Question 1 of 3" in done.stderr
    assert (summary["finished"], summary["questions"], summary["answered"], summary["right"]) == (True, 3, 3, 0)
    assert (summary["points"], summary["max_points"], summary["draw"]) == (0.5, 3, 0)
    assert summary["items"][2]["credit"] == 0.5 and summary["items"][0]["misconceptions"] == ["idea_1"]
    assert summary["revisit"] == {
        "misconceptions": [
            {"name": "idea_1", "hint": "Not 1: think of x₁.", "count": 1},
            {"name": "counts_gib", "hint": "A GB is 10⁹ bytes.", "count": 1},
        ],
        "exercises": ["zero_state_bytes"],
        "reading": ["Rajbhandari et al. 2020, section 5"],
    }


def test_json_of_an_unfinished_quiz(course: Path) -> None:
    done = take(course, "a\n", "--json")
    summary = json.loads(done.stdout)
    assert done.exit_code == 1 and not summary["finished"] and summary["answered"] == 1


# --- the review ---


def test_ideas_are_counted_and_the_most_frequent_comes_first() -> None:
    others = [replace(samples.SINGLE, item=f"l07-{n}", code=str(n)) for n in range(3)]
    quiz = Quiz("07_zero_fsdp", "", "", 0, tuple(others))
    found = review(quiz, {"0": "tjrd", "1": "bvxw", "2": "bvxw"})
    assert [(idea.name, idea.count) for idea in found.ideas] == [("idea_1", 2), ("idea_2", 1)]
    assert "  idea 1 (2 times): Not 1: think of x₁." in ending(found, "quiz take 7", Style())


def test_points_weigh_and_what_is_unanswered_is_worth_nothing() -> None:
    heavy = replace(samples.BALANCED, points=3)
    found = review(Quiz("07_zero_fsdp", "", "", 0, (heavy, samples.SINGLE)), {heavy.code: ["kqzm"]})
    assert found.points == Fraction(3, 2) and not found.finished
    assert ending(found, "quiz take 7", Style())[0] == "1.5 of 4 points; 0 of 2 right"


def test_a_command_is_never_broken() -> None:
    found = review(Quiz("07_zero_fsdp", "", "", 0, (samples.SINGLE,)), {})
    command = "quiz take lesson7 --draw 3 --item l07-single"
    assert any(line.strip() == command for line in ending(found, command, Style(width=40)))


# --- what there is to take ---


def test_a_lesson_without_a_quiz_names_those_that_have_one(course: Path) -> None:
    done = CliRunner().invoke(cli, ["--course", str(course), "take", "lesson6"])
    assert done.exit_code == 2
    assert "lesson 6 has no quiz yet" in done.stderr and "There are quizzes for lesson 7." in done.stderr


def test_a_bank_without_the_packages_says_what_to_install(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (course / "quizzes" / "lesson06_collectives.yaml").write_text("title: Rings\nitems: []\n")
    monkeypatch.setitem(sys.modules, "pydantic", None)
    monkeypatch.setattr(exam, "bank", exam.bank)  # what is imported anew must not stay there
    for name in [name for name in sys.modules if name.startswith("exam.bank")]:
        monkeypatch.delitem(sys.modules, name)
    done = CliRunner().invoke(cli, ["--course", str(course), "take", "lesson6"])
    assert done.exit_code == 2 and "pip install 'ai480[instructor]'" in done.stderr


def test_an_unknown_item_names_the_nearest(course: Path) -> None:
    done = take(course, "", "--item", "l07-singel")
    assert done.exit_code == 2 and "did you mean l07-single?" in done.stderr


def test_a_part_that_several_items_have_is_refused(course: Path) -> None:
    done = take(course, "", "--item", "l07")
    assert done.exit_code == 2 and "could be any of l07-single, l07-numeric, l07-balanced" in done.stderr


def test_items_of_the_exam_are_never_asked(tmp_path: Path) -> None:
    secret = replace(samples.TEXT, pool=Pool.EXAM)
    folder = make_course(tmp_path / "course", [samples.SINGLE, secret])
    assert "1 question," in take(folder, "").stdout
    refused = take(make_course(tmp_path / "none", [secret]), "")
    assert refused.exit_code == 2 and "there is no item for practice in it" in refused.stderr


def test_a_quiz_of_another_lesson_is_refused(tmp_path: Path) -> None:
    done = take(make_course(tmp_path / "course", lesson="06_collectives"), "")
    assert done.exit_code == 2 and "this is the quiz of lesson 06_collectives" in done.stderr


@pytest.mark.parametrize(
    "damaged",
    [
        replace(samples.SINGLE, options=()),
        replace(samples.NUMERIC, number=None),
        replace(samples.NUMERIC, number=replace(samples.NUMERIC.number, low="50", high="60")),  # type: ignore[type-var]
        replace(samples.NUMERIC, number=replace(samples.NUMERIC.number, low="x")),  # type: ignore[type-var]
        replace(samples.ORDERING, order=("kqzm",)),
        replace(samples.MATCHING, pairs=(replace(samples.MATCHING.pairs[0], option="gone"),)),
    ],
    ids=lambda variant: variant.item,
)
def test_a_damaged_file_is_refused_before_anything_is_asked(tmp_path: Path, damaged: Variant) -> None:
    done = take(make_course(tmp_path / "course", [damaged]), "")
    assert done.exit_code == 2 and "its key is not right; the file is damaged" in done.stderr


def test_taking_a_quiz_needs_none_of_the_instructors_packages(course: Path) -> None:
    program = (
        "import sys; from exam.terminal.cli import cli\n"
        f"try: cli(['--course', {str(course)!r}, 'take', '7'])\n"
        "except SystemExit: print(sorted(name for name in sys.modules if name.partition('.')[0] in "
        "{'pydantic', 'yaml', 'jinja2', 'scipy', 'pypandoc', 'typst', 'matplotlib', 'numpy', 'pytest', 'hypothesis'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], input="a\n", capture_output=True, text=True, check=True)
    assert "Question 1 of 3" in done.stdout and done.stdout.endswith("[]\n")


# --- at a terminal ---


class Typist:
    """Someone at a pseudo-terminal, who waits for a text before typing the next line."""

    def __init__(self, course: Path) -> None:
        self.master, slave = pty.openpty()
        # A shell's job in the background ignores Ctrl-C, and would pass that on.
        listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        program = f"{listens}\nfrom exam.terminal.cli import main; main()"
        command = [sys.executable, "-c", program, "--course", str(course), "take", "7"]
        environment = {**os.environ, "COLUMNS": "60", "TERM": "xterm", "PYTHONUTF8": "1"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def wait_for(self, text: str) -> None:
        while text not in self.seen:
            assert select.select([self.master], [], [], 60)[0], f"no {text!r} in {self.seen!r}"
            assert self._read(), f"it ended without {text!r}: {self.seen!r}"

    def _read(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:  # what reading from a terminal whose other end is closed gives on Linux
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)

    def type(self, text: str) -> None:
        self.seen = ""
        os.write(self.master, text.encode())

    def end(self) -> int:
        while self._read():
            pass
        os.close(self.master)
        return self.process.wait(60)


def test_at_a_terminal_there_is_colour_and_nothing_is_typed_twice(course: Path) -> None:
    typist = Typist(course)
    typist.wait_for("A letter: ")
    typist.type("a\n")
    typist.wait_for("A number in GB, to 3 figures: ")
    assert "\x1b[32m" in typist.seen and typist.seen.startswith("a\r\n") and "A letter: a" not in typist.seen
    typist.type("31.4\n")
    typist.wait_for("All that are right")
    typist.type("a b\n")
    assert typist.end() == 0


@pytest.mark.parametrize("key", ["ctrl-c", "ctrl-d"])
def test_ctrl_c_and_ctrl_d_keep_what_was_answered(course: Path, key: str) -> None:
    typist = Typist(course)
    typist.wait_for("A letter: ")
    typist.type("a\n")
    typist.wait_for("A number in GB")
    if key == "ctrl-c":
        os.kill(typist.process.pid, signal.SIGINT)
    else:
        typist.type("\x04")
    assert typist.end() == 1
    assert re.search(r"2 questions are left", typist.seen) and "Traceback" not in typist.seen
    assert "You have answered 1 of them." in take(course, "").stdout
