"""What is shown: questions, verdicts, and the review at the end, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from exam.scoring.scorer import to_tell
from exam.take.plain import inline, lines
from exam.take.reply import LETTERS, example, shown
from exam.take.review import Answered, Review
from exam.variants import Kind, Variant
from grader.terminal.style import Style, cells

_INDENT = 2


def question(variant: Variant, number: int, total: int, style: Style) -> list[str]:
    """A question with its options."""
    dot = style.pick("·", "-")
    about = [f"{variant.minutes} min", f"{variant.points} point{'s' * (variant.points != 1)}"]
    head = style.paint(f"Question {number} of {total}", "heading")
    found = [head + style.paint("".join(f" {dot} {each}" for each in about), "quiet"), ""]
    found += lines(variant.stem, style, _INDENT)
    for place, pair in enumerate(variant.pairs, start=1):
        found += ([""] if place == 1 else []) + _labelled(f"{place})", pair.left, style)
    for place, option in enumerate(variant.options):
        found += ([""] if place == 0 else []) + _labelled(f"{LETTERS[place]})", option.text, style)
    return [*found, ""]


def _labelled(label: str, markdown: str, style: Style) -> list[str]:
    """A text with a label before its first line."""
    start = " " * (_INDENT + 2) + label + " "
    found = lines(markdown, style, len(start)) or [start]
    return [start + found[0][len(start) :], *found[1:]]


def prompt(variant: Variant) -> str:
    """What is asked to be typed."""
    match variant.kind:
        case Kind.MULTIPLE:
            return f"All that are right (such as {example(variant)}):"
        case Kind.NUMERIC:
            return _number_prompt(variant)
        case Kind.TEXT:
            strict = variant.text is not None and variant.text.case_sensitive
            return "A word or a few (capital letters count):" if strict else "A word or a few:"
        case Kind.MATCHING:
            return f"Pairs (such as {example(variant)}):"
        case Kind.ORDERING:
            return f"From first to last (such as {example(variant)}):"
        case Kind.TRUE_FALSE:
            return "True or false:"
        case _:
            return "A letter:"


def _number_prompt(variant: Variant) -> str:
    number = variant.number
    assert number is not None
    noun = "whole number" if number.decimals == 0 else "number"
    unit = f" in {number.unit}" if number.unit else ""
    places = ""
    if number.figures:
        places = f", to {number.figures} figure{'s' * (number.figures > 1)}"
    elif number.decimals > 0:
        places = f", to {number.decimals} decimal{'s' * (number.decimals > 1)}"
    return f"A {noun}{unit}{places}:"


def verdict(answered: Answered, style: Style) -> list[str]:
    """What an answer is worth, what there is to say to it, the key, and the explanation."""
    variant, score = answered.variant, answered.score
    if score.correct:
        found = [style.paint(f"  {style.pick('✓ ', '')}Right.", "good")]
    elif score.credit:
        worth = f"  Right in part: {_number(answered.points)} of {variant.points} point{'s' * (variant.points > 1)}."
        found = [style.paint(worth, "odd")]
    else:
        found = [style.paint(f"  {style.pick('✗ ', '')}Not right.", "bad")]
    for text in _feedback(answered):
        found += lines(text, style, _INDENT)
    if not score.correct:
        found += _key(variant, style)
    if variant.explanation:
        found += ["", *lines(variant.explanation, style, _INDENT)]
    return [*found, ""]


def _feedback(answered: Answered) -> list[str]:
    """The scorer's feedback; where it is about one of several options, with the option's letter."""
    variant = answered.variant
    if variant.kind not in (Kind.MULTIPLE, Kind.MATCHING, Kind.ORDERING):
        return list(answered.score.feedback)
    letter = {option.id: LETTERS[place] for place, option in enumerate(variant.options)}
    told = to_tell(variant, answered.response)
    return [f"{letter[option.id]}: {option.feedback}" for option in told if option.feedback]


def _key(variant: Variant, style: Style) -> list[str]:
    """The right answer, as one would type it; of one option its text as well."""
    typed = shown(variant, variant.key)
    if variant.kind in (Kind.SINGLE, Kind.TRUE_FALSE):
        found = lines(variant.option(variant.key).text, style, _INDENT)
        typed = f"{typed}) {found[0].strip()}" if len(found) == 1 else typed
    if variant.number is not None and variant.number.unit:
        typed = f"{typed} {variant.number.unit}"
    return style.prose(f"The right answer: {typed}", _INDENT, _INDENT)


def ending(review: Review, command: str, style: Style) -> list[str]:
    """How it went, what to revisit, and how to go on.

    Args:
        review: The answers.
        command: What was typed to take this quiz.
        style: For which terminal.
    """
    total = sum(variant.points for variant in review.quiz.variants)
    count, asked = len(review.answered), len(review.quiz.variants)
    head = f"{_number(review.points)} of {total} points; {review.right} of {asked} right"
    found = [style.paint(head, "heading"), *_revisit(review, style), ""]
    if not review.finished:
        left = asked - count
        text = f"{left} question{'s are' if left > 1 else ' is'} left. What you answered is kept; go on with"
        return [*found, *_command(text, command, style)]
    return [*found, *_command("Once more from the start:", f"{command} --restart", style)]


def _revisit(review: Review, style: Style) -> list[str]:
    parts = [
        ("Ideas to think over", [_idea(idea.name, idea.count, idea.hint) for idea in review.ideas]),
        ("Exercises that practise this", [f"grade hint {name}" for name in review.exercises]),
        ("To read again", review.reading),
    ]
    found: list[str] = []
    for title, entries in parts:
        if entries:
            found += ["", title, *(line for entry in entries for line in style.prose(entry, _INDENT, _INDENT))]
    if not found and review.answered and review.right == len(review.answered):
        return ["", "There is nothing to revisit."]
    return found


def _idea(name: str, count: int, hint: str) -> str:
    times = f" ({count} times)" if count > 1 else ""
    return f"{name.replace('_', ' ')}{times}" + (f": {hint}" if hint else "")


def _command(text: str, command: str, style: Style) -> list[str]:
    """A sentence that ends with a command; the command is never broken, so that it can be copied."""
    painted = style.paint(style.safe(command), "command")
    if cells(text) + 1 + cells(command) <= style.width:
        return [f"{text} {painted}"]
    return [*style.prose(text), f"  {painted}"]


def greeting(title: str, questions: Sequence[Variant], done: int, style: Style) -> list[str]:
    """What is ahead."""
    minutes, total = sum(variant.minutes for variant in questions), len(questions)
    found = style.prose(title)
    found = [style.paint(line, "heading") for line in found]
    size = f"{total} question{'s' * (total != 1)}, about {minutes} min."
    going_on = f" You have answered {done} of them." if done else ""
    how = " An empty line leaves a question for later; Ctrl-C stops, and what you answered is kept."
    return [*found, *style.prose(size + going_on + how), ""]


def _number(value: Fraction) -> str:
    """A number of points, to two decimals."""
    rounded = round(Decimal(value.numerator) / Decimal(value.denominator), 2)
    return format(rounded.normalize() + 0, "f")


def complaint(text: str, style: Style) -> list[str]:
    """What is expected instead of what could not be read."""
    return [style.paint(line, "odd") for line in style.prose(inline(text), _INDENT)]
