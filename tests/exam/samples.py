"""Variants of every kind and policy, with what breaks exporters in them."""

from __future__ import annotations

from exam.variants import Kind, Mistake, Number, Option, Pair, Policy, Pool, Text, Variant, VariantSet

NASTY = 'a<b && c]]> "q" {x} = ~ # : \\ $5 & 100%'


def variant(kind: Kind, item: str, stem: str, **parts: object) -> Variant:
    """A variant; what a test does not care about is filled in."""
    common = {
        "item": item,
        "draw": 0,
        "code": item[-5:].upper().replace("-", "X"),
        "kind": kind,
        "pool": Pool.PRACTICE,
        "lesson": "07_zero_fsdp",
        "outcome": "7a",
        "difficulty": 2,
        "minutes": 2,
        "points": 1,
        "stem": stem,
        "explanation": "Because of $\\frac{a}{b}$, and `x[i]`.",
        "source": "Made for tests",
    }
    return Variant(**{**common, **parts})  # type: ignore[arg-type]


def options(*texts: str, right: tuple[int, ...], pinned: tuple[int, ...] = ()) -> tuple[Option, ...]:
    ids = ["kqzm", "bvxw", "tjrd", "hpna", "gcye", "wfus"]
    return tuple(
        Option(
            ids[place],
            text,
            place in right,
            "" if place in right else f"Not {place}: think of $x_{place}$.",
            "" if place in right else f"idea_{place}",
            place in pinned,
        )
        for place, text in enumerate(texts)
    )


SINGLE = variant(
    Kind.SINGLE,
    "l07-single",
    "Which stage divides the *optimizer state* alone, if $\\Psi < 10^9$ and `a < b && c`?\n\n"
    "```python\nx = {'a': 1}  # <b>\nif x:\n    pass\n```",
    options=options("Stage 1", f"Nothing: {NASTY}", "Stage $\\frac{1}{2}$", "None of these", right=(0,), pinned=(3,)),
)
SHUFFLE_OFF = variant(
    Kind.SINGLE,
    "l07-fixed",
    "How many bytes?",
    options=options("8 GB", "12 GB", "16 GB", right=(2,)),
    shuffle=False,
)
TRUE_FALSE = variant(
    Kind.TRUE_FALSE,
    "l07-truth",
    "Stage 3 sends half as much again as stage 0.",
    options=(Option("true", "True", True), Option("false", "False", False, "Count the gathers.", "two_passes")),
    shuffle=False,
)
FALSE_TRUE = variant(
    Kind.TRUE_FALSE,
    "l07-falsehood",
    "Stage 1 sends more than stage 0.",
    options=(Option("true", "True", False, "It sends the same.", "stage_1_costs"), Option("false", "False", True)),
    shuffle=False,
)
BALANCED = variant(
    Kind.MULTIPLE,
    "l07-balanced",
    f"Which of these does stage 2 divide? {NASTY}",
    options=options("gradients", "optimizer state", "parameters", "activations", right=(0, 1)),
    policy=Policy.BALANCED,
)
CANVAS = variant(
    Kind.MULTIPLE,
    "l07-canvas",
    "Which are collectives?",
    options=options("all-gather", "reduce-scatter", "all-reduce", "send", "compute", right=(0, 1, 2)),
    policy=Policy.RIGHT_MINUS_WRONG,
)
ALL_OR_NOTHING = variant(
    Kind.MULTIPLE,
    "l07-strict",
    "Which are true?",
    options=options("a = b", "c → d", "e ~ f", right=(1,)),
    policy=Policy.ALL_OR_NOTHING,
)
NUMERIC = variant(
    Kind.NUMERIC,
    "l07-numeric",
    "How many GB ($10^9$ bytes)?",
    number=Number(
        value="31.4",
        low="31.086",
        high="31.714",
        unit="GB",
        figures=3,
        mistakes=(Mistake("29.3", "counts_gib", "A GB is $10^9$ bytes.", "29.007", "29.593"),),
    ),
)
ASYMMETRIC = variant(
    Kind.NUMERIC,
    "l07-range",
    "Roughly how many seconds?",
    number=Number(value="2.5", low="2", high="4"),
)
SMALL = variant(
    Kind.NUMERIC,
    "l07-small",
    "How many seconds per byte?",
    number=Number(value="2.2e-10", low="2.1e-10", high="2.3e-10", figures=2),
)
COMMA = variant(
    Kind.NUMERIC,
    "l07-comma",
    "Wie viele?",
    number=Number(value="-3.14", low="-3.145", high="-3.135", decimals=2, decimal_comma=True),
)
TEXT = variant(
    Kind.TEXT,
    "l07-text",
    "What is the collective called that leaves each rank a chunk of the sum?",
    text=Text(
        ("reduce-scatter", "reduce scatter", "a*b"),
        mistakes=(Mistake("all-reduce", "whole_sum", "That leaves the whole sum everywhere."),),
    ),
)
MATCHING = variant(
    Kind.MATCHING,
    "l07-match",
    "What does each stage divide first?",
    options=options("optimizer state", "gradients", "parameters", "activations", right=()),
    pairs=(Pair("pone", "stage 1", "kqzm"), Pair("ptwo", "stage 2 & more", "bvxw"), Pair("ptri", "stage 3", "tjrd")),
    policy=Policy.PER_PART,
)
ORDERING = variant(
    Kind.ORDERING,
    "l07-order",
    "Order the steps of FSDP's backward pass.",
    options=options("compute", "all-gather", "reduce-scatter", "free", right=()),
    order=("bvxw", "kqzm", "tjrd", "hpna"),
    policy=Policy.ALL_OR_NOTHING,
)
ORDERING_PARTS = variant(
    Kind.ORDERING,
    "l07-orderparts",
    "Order these.",
    options=options("two", "one", "three", right=()),
    order=("bvxw", "kqzm", "tjrd"),
    policy=Policy.PER_PART,
)

ALL = (
    *(SINGLE, SHUFFLE_OFF, TRUE_FALSE, FALSE_TRUE, BALANCED, CANVAS, ALL_OR_NOTHING),
    *(NUMERIC, ASYMMETRIC, SMALL, COMMA, TEXT, MATCHING, ORDERING, ORDERING_PARTS),
)


def sample_set() -> VariantSet:
    """All of them as one quiz."""
    return VariantSet("07_zero_fsdp", "ZeRO & FSDP: <a quiz>", "0" * 64, ALL)
