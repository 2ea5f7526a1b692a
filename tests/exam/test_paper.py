"""A quiz on paper: what stands on its pages, and that the key does not."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("pypandoc")
pytest.importorskip("typst")

from exam.export.targets import TARGETS, as_paper, target
from exam.render.paper import form_code, key_source, pdf, source
from exam.terminal.cli import cli
from exam.variants import Number, VariantSet
from grader.errors import UserError
from tests.exam import samples
from tests.support import ROOT

QUIZ = samples.sample_set()
POINTS = {"a4": (595, 841), "us-letter": (612, 792)}  # of 1/72 inch


def poppler(program: str, made: bytes, *arguments: str) -> str:
    """What one of Poppler's programs says of a PDF."""
    if not shutil.which(program):
        pytest.skip(f"needs {program} (apt install poppler-utils)")
    command = [program, *arguments]
    return subprocess.run(command, input=made, capture_output=True, check=True).stdout.decode()


def pages(made: bytes) -> list[str]:
    """The text of each page."""
    return poppler("pdftotext", made, "-layout", "-", "-").split("\f")[:-1]


def test_every_page_names_its_form_and_its_number() -> None:
    for made in (source(QUIZ, code="F7"), key_source(QUIZ, code="F7")):
        found = pages(pdf(made.encode()))
        for number, page in enumerate(found, start=1):
            assert re.search(rf"form F7 +page {number} of {len(found)}\s*$", page), page
            assert page.count("form F7") == 2


def test_what_is_asked_stands_on_the_paper_as_it_was_written() -> None:
    text = "\n".join(pages(pdf(source(QUIZ).encode())))
    assert "ZeRO & FSDP: <a quiz>" in text and 'a<b && c]]> "q" {x} = ~ # :' in text and "a < b && c" in text
    assert all(f"\n{number}." in text or f" {number}. " in text for number in range(1, len(QUIZ.variants) + 1))
    assert re.search(r"x = \{'a': 1\} +# <b>", text) and "15 questions · 15 points · 30 minutes" in text


def test_nothing_on_the_paper_tells_the_key() -> None:
    text = source(QUIZ)
    assert "Because of" not in text and "31.4" not in text and "think of" not in text
    changed = [
        replace(variant, options=tuple(replace(each, correct=False) for each in variant.options))
        for variant in QUIZ.variants
    ]
    assert source(replace(QUIZ, variants=tuple(changed)), code="F7") == source(QUIZ, code="F7")


def test_the_key_says_what_would_be_written_on_the_paper() -> None:
    text = "\n".join(pages(pdf(key_source(QUIZ).encode())))
    answers = dict(re.findall(r"^ *(\d+)\. +(.*?) *$", text, re.MULTILINE))
    told = {variant.item: answers[str(number)] for number, variant in enumerate(QUIZ.variants, start=1)}
    assert told["l07-single"] == "A" and told["l07-fixed"] == "C" and told["l07-falsehood"] == "B"
    assert told["l07-canvas"] == "A, B, C" and told["l07-match"] == "A, B, C"
    assert told["l07-order"] == "2, 1, 3, 4"  # the second option comes first
    assert told["l07-text"] == "reduce-scatter or reduce scatter or a*b"
    assert told["l07-numeric"] == "31.4 GB (from 31.086 to 31.714)"
    assert told["l07-comma"] == "-3,14 (from -3,145 to -3,135)"


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [
        ("8.42", "8.33684210526", "8.50526315789", "8.42 (from 8.3369 to 8.5052)"),
        ("7", "7", "7", "7"),
        ("2.2e-10", "2.1e-10", "2.3e-10", "2.2e-10 (from 2.1E-10 to 2.3E-10)"),
        ("16000", "15840", "16160", "16000 (from 15840 to 16160)"),
    ],
)
def test_the_range_of_right_numbers_is_rounded_inwards(value: str, low: str, high: str, told: str) -> None:
    one = replace(samples.NUMERIC, number=Number(value, low, high))
    assert f"[{told}]".replace("-", "\\-") in key_source(replace(QUIZ, variants=(one,)))


@pytest.mark.parametrize("size", ["a4", "us-letter"])
def test_paper_comes_in_two_sizes(size: str) -> None:
    made = pdf(source(QUIZ, size=size).encode())  # type: ignore[arg-type]
    width, height = POINTS[size]
    assert re.search(rf"Page size: +{width}\S* x {height}\S* pts", poppler("pdfinfo", made, "-"))


def test_the_same_quiz_makes_the_same_bytes() -> None:
    text = source(QUIZ).encode()
    assert pdf(text) == pdf(text)


def test_other_numbers_and_other_questions_make_another_form() -> None:
    other = replace(QUIZ.variants[0], code="OTHER")
    codes = {form_code(QUIZ), form_code(replace(QUIZ, variants=(other, *QUIZ.variants[1:])))}
    assert len({*codes, form_code(replace(QUIZ, variants=QUIZ.variants[1:]))}) == 3


def test_a_question_longer_than_a_page_goes_on_on_the_next() -> None:
    long = replace(samples.NUMERIC, stem="```\n" + "\n".join(f"line {n}" for n in range(120)) + "\n```\n\nHow many?")
    found = pages(pdf(source(replace(QUIZ, variants=(long,))).encode()))
    assert "line 119" in "".join(found) and "How many?" in found[-1] and len(found) > 1


def test_a_code_block_that_does_not_end_swallows_no_other_question() -> None:
    broken = replace(samples.NUMERIC, stem="```\nnever ends")
    text = source(replace(QUIZ, variants=(broken, samples.TRUE_FALSE)))
    assert "never ends" in text and "#question(2" in text and "half as much again" in text


def test_what_typst_cannot_set_is_told_without_a_traceback() -> None:
    with pytest.raises(UserError, match="Typst can't set the paper: .*unknown variable"):
        pdf(b"#nonsense")


# --- targets and the command ---


def test_what_is_printed_has_a_key_of_its_own() -> None:
    assert [name for name in TARGETS if as_paper(target(name))] == ["typst", "pdf"]


def test_the_command_writes_the_paper_and_the_key_beside_it(tmp_path: Path) -> None:
    out = tmp_path / "quiz7.typ"
    words = ["--course", str(ROOT), "export", "lesson7", "--to", "typst", "--paper", "letter", "--out", str(out)]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    texts = [path.read_text("utf-8") for path in (out, tmp_path / "quiz7.key.typ")]
    assert all('#let size = "us-letter"' in text for text in texts)
    assert "#question(1," in texts[0] and "#answer(" not in texts[0].partition("#opening[")[2]
    assert "#answer(1," in texts[1] and "quiz7.key.typ" in done.output


def test_a_size_of_paper_is_for_what_is_printed(tmp_path: Path) -> None:
    words = ["--course", str(ROOT), "export", "lesson7", "--to", "gift", "--paper", "a4", "--out", str(tmp_path / "q")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2 and "--paper is for what is printed" in done.output


def test_a_set_of_nothing_is_a_paper_too() -> None:
    assert pdf(source(VariantSet("07_zero_fsdp", "Empty", "0" * 64, ())).encode()).startswith(b"%PDF")
