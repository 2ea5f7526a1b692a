"""Pictures of a bank are part of its variants, and so of everything that is made of them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

pytest.importorskip("pydantic")

from exam.bank.compile import ItemError, compile_lesson
from grader.course import Course, Lesson
from tests.exam.bank_samples import HEAD, common, write

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="15" fill="{}"/></svg>'
DATA = "data:image/svg+xml;base64," + base64.b64encode(SVG.format("red").encode()).decode()
ITEM = common(
    "single",
    """
    options:
      - {text: "![a red disc](disc.svg)", correct: true, feedback: "Look: ![a red disc](disc.svg){width=1cm}"}
      - {text: a square, misconception: an_idea}
      - {text: "[a link](https://example.org/disc.svg)", misconception: no_master_copy}
    """,
)


@pytest.fixture
def banked(lesson: Lesson) -> Lesson:
    write(lesson, HEAD + "  " + ITEM.replace("\n", "\n  "))
    return lesson


def draw(folder: Path, colour: str = "red") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "disc.svg").write_text(SVG.format(colour))


def test_a_picture_becomes_data_wherever_it_is_shown_and_links_stay(banked: Lesson) -> None:
    draw(banked.course.root / "quizzes")
    options = {option.misconception: option for option in compile_lesson(banked).variants[0].options}
    assert options[""].text == f"![a red disc]({DATA})"
    assert options[""].feedback == f"Look: ![a red disc]({DATA}){{width=1cm}}"
    assert options["no_master_copy"].text == "[a link](https://example.org/disc.svg)"


def test_a_picture_may_lie_in_the_private_overlay(banked: Lesson, tmp_path: Path) -> None:
    overlay = tmp_path / "private"
    overlay.mkdir()
    draw(overlay / "quizzes")
    lesson = Course.find(explicit=tmp_path).with_overlay(overlay).lesson("7")
    assert DATA in "".join(compile_lesson(lesson).variants[0].texts)


def test_a_picture_that_is_not_there_is_told_with_its_item(banked: Lesson) -> None:
    with pytest.raises(
        ItemError, match=r"lesson07_zero_fsdp\.yaml:\d+: l07-single, .*no picture 'disc\.svg' in .*quizzes"
    ):
        compile_lesson(banked)


def test_the_page_and_the_paper_show_it(banked: Lesson) -> None:
    pytest.importorskip("pypandoc")
    pytest.importorskip("typst")
    from exam.render.page import page
    from exam.render.paper import pdf, source

    made = []
    for colour in ("red", "blue"):
        draw(banked.course.root / "quizzes", colour)
        quiz = compile_lesson(banked)
        assert "data:image/svg+xml;base64," in page(quiz)
        made.append(pdf(source(quiz).encode()))
    assert made[0] != made[1]
