"""The table of what targets can express, for each kind of item and each policy."""

from __future__ import annotations

from exam.export.targets import TARGETS, Capability, target
from exam.variants import Kind, Number, Option, Pair, Policy, Pool, Text, Variant


def rows() -> list[tuple[str, str, Capability]]:
    """Target, kind of item, and how well it is expressed."""
    return [(name, kind, target(name).capability(variant)) for name in TARGETS for kind, variant in _examples()]


def _examples() -> list[tuple[str, Variant]]:
    numbers = Number(value="3.1", low="3.0", high="3.2")
    return [
        ("single choice", _variant(Kind.SINGLE, options=_options(1))),
        ("single choice, an option stays last", _variant(Kind.SINGLE, options=_options(1, pinned=True))),
        ("true or false", _variant(Kind.TRUE_FALSE, options=_options(1)[:2], shuffle=False)),
        ("multiple answers, balanced", _variant(Kind.MULTIPLE, Policy.BALANCED, options=_options(1))),
        ("multiple answers, right minus wrong", _variant(Kind.MULTIPLE, Policy.RIGHT_MINUS_WRONG, options=_options(2))),
        ("multiple answers, all or nothing", _variant(Kind.MULTIPLE, options=_options(2))),
        ("number", _variant(Kind.NUMERIC, number=numbers)),
        ("number with a unit", _variant(Kind.NUMERIC, number=Number("3.1", "3.0", "3.2", unit="GB"))),
        ("number, uneven range", _variant(Kind.NUMERIC, number=Number("3.1", "3.0", "4.0"))),
        ("number below 0.0001", _variant(Kind.NUMERIC, number=Number("2e-6", "1.9e-6", "2.1e-6"))),
        ("number, decimal comma", _variant(Kind.NUMERIC, number=Number("3.1", "3.0", "3.2", decimal_comma=True))),
        ("short text", _variant(Kind.TEXT, text=Text(("ring",)))),
        ("short text, capitals count", _variant(Kind.TEXT, text=Text(("ring",), case_sensitive=True))),
        ("matching, a pair at a time", _matching(Policy.PER_PART)),
        ("matching, all or nothing", _matching(Policy.ALL_OR_NOTHING)),
        ("ordering, all or nothing", _ordering(Policy.ALL_OR_NOTHING)),
        ("ordering, a place at a time", _ordering(Policy.PER_PART)),
    ]


def _variant(kind: Kind, policy: Policy = Policy.ALL_OR_NOTHING, **parts: object) -> Variant:
    about = ("an-item", 0, "CODE", kind, Pool.PRACTICE, "lesson", "1a", 1, 1, 1, "?", "!")
    return Variant(*about, policy, **parts)  # type: ignore[arg-type]


def _options(right: int, *, pinned: bool = False) -> tuple[Option, ...]:
    """Three options, of which the first are right."""
    return tuple(Option(name, name, place < right, pinned=pinned and place == 1) for place, name in enumerate("abc"))


def _matching(policy: Policy) -> Variant:
    pairs = tuple(Pair(f"left{name}", name, name) for name in "ab")
    return _variant(Kind.MATCHING, policy, options=_options(0), pairs=pairs)


def _ordering(policy: Policy) -> Variant:
    return _variant(Kind.ORDERING, policy, options=_options(0), order=("b", "a", "c"))
