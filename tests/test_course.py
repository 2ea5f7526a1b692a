"""Finding the course, its lessons and the file to grade."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course, CourseError, Lesson, LessonError
from grader.submissions import SubmissionError, find_submission

NAMES = [
    "01_scale",
    "02_gpu_roofline",
    "03_accelerators",
    "04_precision",
    "05_memory",
    "06_collectives",
    "07_zero_fsdp",
    "08_model_parallel",
    "09_pipeline",
    "10_clusters",
    "11_reliability",
    "12_economics",
]
UNIMPORTABLE = "raise SystemExit('content was imported')\n"


def make_course(root: Path, names: list[str] = NAMES, folder: str = "exercises") -> Course:
    (root / folder).mkdir(parents=True, exist_ok=True)
    for name in names:
        (root / folder / f"lesson{name}.py").write_text(UNIMPORTABLE)
    return Course(root)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_course(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.delenv("GRADE_COURSE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make_course(tmp_path / "course")


# the course


@pytest.mark.parametrize("where", [".", "exercises", "mine/deep", "exercises/lesson06_collectives.py"])
def test_course_is_found_from_any_place_in_it(course: Course, where: str) -> None:
    start = course.root / where
    if not start.suffix:
        start.mkdir(parents=True, exist_ok=True)
    assert Course.find(start) == course


def test_course_is_found_from_the_working_directory(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.exercises)
    assert Course.find() == course


def test_solutions_alone_make_a_course(tmp_path: Path) -> None:
    course = make_course(tmp_path, folder="solutions")
    assert Course.find(tmp_path) == course
    assert [lesson.name for lesson in course.lessons()] == NAMES


@pytest.mark.parametrize("name", ["lesson6.py", "lesson06_x.md", "notes.py", "lesson06_X.py", "xlesson06_x.py"])
def test_other_files_make_no_course(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADE_COURSE", raising=False)
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / name).touch()
    with pytest.raises(CourseError):
        Course.find(tmp_path)


def test_error_names_where_it_looked_and_the_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADE_COURSE", raising=False)
    with pytest.raises(CourseError) as caught:
        Course.find(tmp_path)
    assert str(tmp_path) in caught.value.message
    assert "--course" in caught.value.hint and "GRADE_COURSE" in caught.value.hint


def test_named_course_wins_over_the_one_around(course: Course, tmp_path: Path) -> None:
    other = make_course(tmp_path / "other")
    assert Course.find(course.root, explicit=other.root) == other


def test_relative_course_is_made_absolute(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.exercises)
    assert Course.find(explicit=Path("..")) == course


def test_named_folder_inside_a_course_is_refused_with_the_course(course: Course) -> None:
    with pytest.raises(CourseError) as caught:
        Course.find(explicit=course.exercises)
    assert caught.value.hint == f"Did you mean {course.root}?"


def test_missing_named_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="there is no folder"):
        Course.find(explicit=tmp_path / "nowhere")


def test_variable_counts_only_where_nothing_is_around(course: Course, tmp_path: Path) -> None:
    other = make_course(tmp_path / "other")
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADE_COURSE", str(other.root))
        assert Course.find(course.root) == course
        assert Course.find(outside) == other
        patch.setenv("GRADE_COURSE", str(outside))
        with pytest.raises(CourseError, match="GRADE_COURSE"):
            Course.find(outside)


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a working directory")
def test_deleted_working_directory_is_an_error_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(CourseError, match="working directory is gone"):
        Course.find()


# lessons


def test_lessons_come_by_number(whole: Course) -> None:
    lessons = whole.lessons()
    assert [lesson.name for lesson in lessons] == NAMES
    assert [lesson.number for lesson in lessons] == list(range(1, 13))


def test_lesson_exists_by_its_stub_or_its_solution(tmp_path: Path) -> None:
    make_course(tmp_path, ["01_scale"])
    course = make_course(tmp_path, ["01_scale", "02_gpu_roofline"], folder="solutions")
    assert [lesson.name for lesson in course.lessons()] == ["01_scale", "02_gpu_roofline"]


def test_copy_beside_a_stub_is_no_lesson(course: Course) -> None:
    (course.exercises / "lesson06_collectives_old.py").touch()
    (course.exercises / "lesson06_collectives.md").touch()
    assert course.lesson("6").name == "06_collectives"
    assert [lesson.name for lesson in course.lessons()] == NAMES


def test_two_lessons_of_one_number_are_both_there_if_nothing_tells_them_apart(course: Course) -> None:
    (course.exercises / "lesson06_other.py").touch()
    with pytest.raises(LessonError, match="could be any of 06_collectives, 06_other"):
        course.lesson("6")
    assert course.lesson("6_other").slug == "other"


def test_lesson_knows_its_files(tmp_path: Path) -> None:
    lesson = Lesson(Course(tmp_path), 6, "collectives")
    assert (lesson.name, lesson.file_name) == ("06_collectives", "lesson06_collectives.py")
    paths = [
        lesson.stub,
        lesson.handout_path,
        lesson.solution,
        lesson.public_checks,
        lesson.hidden_checks,
        lesson.manifest_path,
        lesson.misconceptions,
    ]
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "exercises/lesson06_collectives.py",
        "exercises/lesson06_collectives.md",
        "solutions/lesson06_collectives.py",
        "checks/public/lesson06_collectives.py",
        "checks/hidden/lesson06_collectives.py",
        "checks/lesson06_collectives.json",
        "misconceptions/lesson06_collectives.py",
    ]


# what a lesson is called


@pytest.mark.parametrize(
    "name",
    [
        "6",
        "06",
        "lesson6",
        "lesson06",
        "Lesson 6",
        "lesson-06",
        "006",
        "lesson06_collectives",
        "06_collectives",
        "6-collectives",
        "6_coll",
        "COLLECTIVES",
        "coll",
        "lective",
        "lesson06_collectives.py",
        "LESSON06_COLLECTIVES.PY",
        "exercises/lesson06_collectives.py",
        "C:\\course\\exercises\\lesson06_collectives.py",
        "../alice/lesson06_collectives (1).py",
        "lesson06_collectives-1.py",
        " collectives/ ",
    ],
)
def test_lesson_has_many_names(whole: Course, name: str) -> None:
    assert whole.lesson(name).name == "06_collectives"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("zero", "07_zero_fsdp"),
        ("fsdp", "07_zero_fsdp"),
        ("zero-fsdp", "07_zero_fsdp"),
        ("roofline", "02_gpu_roofline"),
        ("parallel", "08_model_parallel"),
        ("model parallel", "08_model_parallel"),
        ("me", "05_memory"),
        ("1", "01_scale"),
        ("10", "10_clusters"),
        ("12", "12_economics"),
        ("lesson_zero", "07_zero_fsdp"),
    ],
)
def test_part_of_a_name_is_enough(whole: Course, name: str, meant: str) -> None:
    assert whole.lesson(name).name == meant


@given(st.sampled_from(NAMES), st.data())
def test_a_prefix_that_no_other_word_has_is_enough(whole: Course, name: str, data: st.DataObject) -> None:
    words = [word for each in NAMES for word in each[3:].split("_")]
    word = data.draw(st.sampled_from(name[3:].split("_")))
    prefix = word[: data.draw(st.integers(1, len(word)))]
    if sum(each.startswith(prefix) for each in words) == 1:
        assert whole.lesson(prefix).name == name


@given(st.text(max_size=30))
def test_any_text_is_a_lesson_or_an_error_in_words(whole: Course, name: str) -> None:
    try:
        assert whole.lesson(name).name in NAMES
    except LessonError as error:
        assert error.message and error.hint


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("colectives", "06_collectives"),
        ("lesson06_colectives", "06_collectives"),
        ("zreo", "07_zero_fsdp"),
        ("lesson7_collectives_zero", None),
        ("economcis", "12_economics"),
        ("13", None),
        ("0", None),
        ("", None),
        ("9" * 5000, None),
        ("xyzzy", None),
    ],
)
def test_unknown_lesson_is_answered_with_the_nearest_and_the_list(whole: Course, name: str, guess: str | None) -> None:
    with pytest.raises(LessonError) as caught:
        whole.lesson(name)
    if guess:
        assert caught.value.message.endswith(f"did you mean {guess}?")
    for each in NAMES:
        assert each in caught.value.hint


def test_ambiguous_name_is_answered_with_the_candidates(whole: Course) -> None:
    with pytest.raises(LessonError, match="05_memory, 08_model_parallel"):
        whole.lesson("m")


def test_very_name_wins_over_those_that_contain_it(tmp_path: Path) -> None:
    course = make_course(tmp_path, ["01_memory", "02_memory_hierarchy", "03_all_memory"])
    assert course.lesson("memory").number == 1
    assert course.lesson("hierarchy").number == 2
    with pytest.raises(LessonError):
        course.lesson("mem")


# the file to grade


@pytest.fixture
def lesson(course: Course) -> Lesson:
    return course.lesson("6")


def test_stub_is_graded_by_default(lesson: Lesson) -> None:
    assert find_submission(lesson) == lesson.stub


def test_any_file_is_graded_if_named(lesson: Lesson, tmp_path: Path) -> None:
    file = tmp_path / "whatever.txt"
    file.touch()
    assert find_submission(lesson, file) == file


def test_of_a_folder_the_lessons_file_is_graded(lesson: Lesson, tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    file = tmp_path / "alice" / "lesson06_collectives.py"
    file.touch()
    assert find_submission(lesson, tmp_path / "alice") == file


@pytest.mark.parametrize("near", ["collectives.py", "lesson6_collectives.py", "exercises/lesson06_collectives.py"])
def test_folder_without_the_file_is_refused_with_the_nearest(lesson: Lesson, tmp_path: Path, near: str) -> None:
    folder = tmp_path / "bob"
    (folder / near).parent.mkdir(parents=True)
    (folder / near).touch()
    (folder / "x.py").touch()
    with pytest.raises(SubmissionError) as caught:
        find_submission(lesson, folder)
    assert caught.value.message == f"there is no lesson06_collectives.py in {folder}"
    assert caught.value.hint == f"Did you mean {folder / near}?"


def test_missing_file_is_refused(lesson: Lesson, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="there is no file"):
        find_submission(lesson, tmp_path / "no.py")
    lesson.stub.unlink()
    with pytest.raises(SubmissionError, match="there is no file"):
        find_submission(lesson)


def test_path_that_cannot_be_looked_at_is_refused(lesson: Lesson, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError):
        find_submission(lesson, tmp_path / ("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_is_refused(lesson: Lesson, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SubmissionError, match="is not a file"):
        find_submission(lesson, tmp_path / "pipe")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_link_out_of_a_submitted_folder_is_refused(lesson: Lesson, tmp_path: Path) -> None:
    folder, solution = tmp_path / "eve", tmp_path / "solution.py"
    folder.mkdir()
    solution.touch()
    (folder / lesson.file_name).symlink_to(solution)
    with pytest.raises(SubmissionError, match="leads out"):
        find_submission(lesson, folder)


# what is remembered


def test_state_is_kept_in_the_course(course: Course) -> None:
    assert course.state == course.root / ".grade"
    assert (course.state / ".gitignore").read_text() == "*\n"
    assert sorted(path.name for path in course.state.iterdir()) == [".gitignore"]


def test_state_goes_to_the_users_folder_if_the_course_cannot_be_written(course: Course, tmp_path: Path) -> None:
    (course.root / ".grade").touch()  # a file, so that no folder can be made: root may write anywhere
    assert course.state.parent == tmp_path / "state" / "grade"
    assert course.state.is_dir()
    assert course.state == Course(course.root).state


def test_two_courses_of_one_user_keep_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    courses = [make_course(tmp_path / name) for name in "ab"]
    for course in courses:
        (course.root / ".grade").touch()
    assert courses[0].state != courses[1].state


def test_no_place_for_state_is_an_error_in_words(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    (course.root / ".grade").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(course.root / ".grade"))
    with pytest.raises(CourseError, match="can save nothing") as caught:
        _ = course.state
    assert "XDG_STATE_HOME" in caught.value.hint


# imports


def test_nothing_heavy_is_imported() -> None:
    program = (
        "import sys, grader.course, grader.manifest, grader.handout, grader.authors.stubs\n"
        "print([name for name in ('numpy', 'pytest', 'hypothesis', 'click', 'rich', 'doctest', 'difflib')"
        " if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
