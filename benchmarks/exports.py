"""A thousand quizzes for Canvas and for Moodle, against text2qti (which makes Canvas packages) on equal ones.

    pip install text2qti
    python -m benchmarks.exports [--runs N] [--json FILE]

A quiz has 20 questions: 10 numeric ones, whose stems and keys hold numbers drawn for this quiz, and 10 multiple
choices, of which the stems do too. Both get the same texts and write their files to memory. Ours begins with variants,
text2qti with its own Markdown, through its Python classes; both convert Markdown and write the whole package.

Goal: at least twice as fast as text2qti, that is half its time.
"""

from __future__ import annotations

import io
import resource
import sys

from benchmarks.measure import Case, Report, calls
from exam.export import canvas_qti12, moodle_xml
from exam.render import markdown
from exam.variants import Kind, Number, Option, Policy, Pool, Variant, VariantSet

QUIZZES = 1000
HALF = 10


def numeric(quiz: int, place: int) -> tuple[str, str]:
    """A stem and its key."""
    billions, ranks = 1 + (quiz * 7 + place) % 90, 2 ** (1 + (quiz + place) % 7)
    stem = f"A model of {billions} billion parameters has 16 bytes each on {ranks} ranks ({quiz}). How many GB a rank?"
    return stem, f"{16 * billions / ranks:.2f}"


def choice(quiz: int, place: int) -> tuple[str, list[str]]:
    """A stem and its options, the right one first."""
    ranks = 3 + (quiz + place) % 60
    stem = (
        f"A ring all-reduce of question {place} runs on {ranks} ranks ({quiz}). How many messages does each rank send?"
    )
    return stem, [str(2 * (ranks - 1)), str(ranks - 1), str(2 * ranks), str(ranks * ranks)]


def variants(quiz: int) -> VariantSet:
    """One quiz as ours."""
    found = []
    for place in range(HALF):
        stem, key = numeric(quiz, place)
        low, high = f"{float(key) - 0.01:.2f}", f"{float(key) + 0.01:.2f}"
        found.append(_variant(Kind.NUMERIC, f"l01-n{place}", stem, number=Number(key, low, high)))
    for place in range(HALF):
        stem, texts = choice(quiz, place)
        options = tuple(Option(f"o{i}", text, i == 0) for i, text in enumerate(texts))
        found.append(_variant(Kind.SINGLE, f"l01-c{place}", stem, options=options))
    return VariantSet("01_scale", f"Quiz {quiz}", f"{quiz:064d}", tuple(found))


def _variant(kind: Kind, item: str, stem: str, **parts: object) -> Variant:
    about = (item, 0, "CODE0", kind, Pool.EXAM, "01_scale", "1a", 1, 1, 1, stem, "Count what each rank holds.")
    return Variant(*about, Policy.ALL_OR_NOTHING, **parts)  # type: ignore[arg-type]


def as_text2qti(quiz: int) -> str:
    """The same quiz in text2qti's Markdown."""
    lines = [f"Quiz title: Quiz {quiz}"]
    number = 1
    for place in range(HALF):
        stem, key = numeric(quiz, place)
        lines += ["", f"{number}.  {stem}", "... Count what each rank holds.", f"=   {key} +- 0.01"]
        number += 1
    for place in range(HALF):
        stem, texts = choice(quiz, place)
        lines += ["", f"{number}.  {stem}", "... Count what each rank holds."]
        lines += [f"{'*' if i == 0 else ''}{chr(ord('a') + i)})  {text}" for i, text in enumerate(texts)]
        number += 1
    return "\n".join(lines) + "\n"


def theirs(texts: list[str]) -> None:
    """Every quiz, by text2qti."""
    from text2qti.config import Config
    from text2qti.qti import QTI
    from text2qti.quiz import Quiz

    config = Config()
    for text in texts:
        QTI(Quiz(text, config=config)).write(io.BytesIO())


def ours(module: object, sets: list[VariantSet]) -> None:
    """Every quiz, by one of our targets; no text is known beforehand."""
    markdown._cache.clear()
    for quiz in sets:
        assert module.write(quiz)  # type: ignore[attr-defined]


def main() -> None:
    """Measure and show."""
    report = Report(str(__doc__))
    sets, texts = [variants(quiz) for quiz in range(QUIZZES)], [as_text2qti(quiz) for quiz in range(QUIZZES)]
    cases = [Case("text2qti, Canvas", lambda: calls(lambda: theirs(texts), 1).per(QUIZZES))]
    for name, module in (("ours, Canvas", canvas_qti12), ("ours, Moodle XML", moodle_xml)):
        cases.append(
            Case(name, lambda module=module: calls(lambda: ours(module, sets), 1).per(QUIZZES), "text2qti, Canvas", 0.5)  # type: ignore[misc]
        )
    report.measure("one quiz of 20 questions", cases)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\nmemory at most, both together: {most / (1024 if sys.platform == 'linux' else 1048576):.0f} MB")
    report.close()


if __name__ == "__main__":
    main()
