"""From what was typed to a response: options are lettered a, b, c as they are shown, left sides numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from exam.variants import Kind, Variant

LETTERS = ascii_lowercase
MOST_OPTIONS = len(LETTERS)

_APART = re.compile(r"[\s,;.()>→-]+")
_MATCH = re.compile(r"(\d+)\s*[-=:.)→]*\s*([a-z])")


@dataclass(frozen=True)
class Reply:
    """What was typed, understood or not.

    Attributes:
        response: The response, as ``exam.variants`` describes it; None if it was not understood.
        complaint: What is expected instead, with an example; "" if it was understood.
    """

    response: Any = None
    complaint: str = ""


def understood(variant: Variant, typed: str) -> Reply:
    """What an answer to a question means."""
    return _READERS[variant.kind](variant, typed)


def shown(variant: Variant, response: Any) -> str:
    """A response as one would type it."""
    letter = {option.id: LETTERS[place] for place, option in enumerate(variant.options)}
    match variant.kind:
        case Kind.NUMERIC | Kind.TEXT:
            return str(response)
        case Kind.MATCHING:
            given = ((number, response.get(pair.id)) for number, pair in enumerate(variant.pairs, start=1))
            return " ".join(f"{number}{letter[option]}" for number, option in given if option is not None)
        case Kind.ORDERING:
            return " ".join(letter[step] for step in response)
        case Kind.MULTIPLE:
            return " ".join(sorted(letter[option] for option in response))
        case _:
            return letter[response]


def example(variant: Variant) -> str:
    """An answer of the right form; whether it is right is left to chance, or ruled out."""
    match variant.kind:
        case Kind.MULTIPLE:
            return f"{LETTERS[0]} {_last(variant)}"
        case Kind.MATCHING:
            swapped = (place ^ 1 for place in range(len(variant.pairs)))
            return " ".join(f"{n}{LETTERS[min(p, len(variant.options) - 1)]}" for n, p in enumerate(swapped, start=1))
        case Kind.ORDERING:  # as they are shown: that is never the right order
            return " ".join(LETTERS[: len(variant.options)])
        case _:
            return LETTERS[1]


def _last(variant: Variant) -> str:
    return LETTERS[len(variant.options) - 1]


def _typed(variant: Variant, typed: str) -> Reply:  # noqa: ARG001
    """A number or a text: the scorer reads it."""
    return Reply(typed)


def _one(variant: Variant, typed: str) -> Reply:
    word = typed.strip().casefold()
    if variant.kind is Kind.TRUE_FALSE and (named := _named(variant, word)):
        return Reply(named)
    letters = _letters(word)
    if variant.kind is Kind.TRUE_FALSE and letters not in ([each] for each in LETTERS[: len(variant.options)]):
        return Reply(complaint="Type true or false, or the letter before it, such as b.")
    if len(letters) > 1:
        return Reply(complaint=f"Choose one: type its letter alone, such as {example(variant)}.")
    return _with_options(variant, letters, lambda ids: ids[0], "Type the letter of the option")


def _named(variant: Variant, word: str) -> str:
    """The option of a true-or-false question that a word or its first letter names."""
    names = {"t": "true", "true": "true", "f": "false", "false": "false"}
    found = [option.id for option in variant.options if option.id == names.get(word)]
    return found[0] if found else ""


def _some(variant: Variant, typed: str) -> Reply:
    asked = "Type the letters of all options that are right"
    return _with_options(variant, list(dict.fromkeys(_letters(typed.casefold()))), list, asked)


def _order(variant: Variant, typed: str) -> Reply:
    letters, count = _letters(typed.casefold()), len(variant.options)
    asked = f"Type all {count} letters, each once, from first to last"
    if all(len(each) == 1 for each in letters) and sorted(letters) != list(LETTERS[:count]):
        return Reply(complaint=f"{asked}, such as {example(variant)}.")
    return _with_options(variant, letters, list, asked)


def _matches(variant: Variant, typed: str) -> Reply:
    text, lefts = typed.strip().casefold(), len(variant.pairs)
    found = _MATCH.findall(text)
    asked = f"Type each number, 1 to {lefts}, once, and after it a letter, a to {_last(variant)}"
    complete = sorted(int(number) for number, _ in found) == list(range(1, lefts + 1))
    if not complete or _APART.sub("", _MATCH.sub("", text)) or any(each > _last(variant) for _, each in found):
        return Reply(complaint=f"{asked}, such as {example(variant)}.")
    chosen = {variant.pairs[int(number) - 1].id: variant.options[LETTERS.index(each)].id for number, each in found}
    return Reply({pair.id: chosen[pair.id] for pair in variant.pairs})


def _letters(text: str) -> list[str]:
    """The words of a text; a single word, such as "acd", by its letters."""
    words = [word for word in _APART.split(text) if word and word != "and"]
    return list(words[0]) if len(words) == 1 else words


def _with_options(variant: Variant, letters: Sequence[str], made: Callable[[list[str]], Any], asked: str) -> Reply:
    known = LETTERS[: len(variant.options)]
    if not letters or any(len(each) != 1 or each not in known for each in letters):
        return Reply(complaint=f"{asked}, {known[0]} to {known[-1]}, such as {example(variant)}.")
    return Reply(made([variant.options[known.index(each)].id for each in letters]))


_READERS: dict[Kind, Callable[[Variant, str], Reply]] = {
    Kind.SINGLE: _one,
    Kind.TRUE_FALSE: _one,
    Kind.MULTIPLE: _some,
    Kind.NUMERIC: _typed,
    Kind.TEXT: _typed,
    Kind.MATCHING: _matches,
    Kind.ORDERING: _order,
}
