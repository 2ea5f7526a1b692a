"""Numbers for people, and what an expression computes and prints."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from exam.bank import numbers
from exam.bank.expressions import BadTemplate, ExpressionError, Use, evaluate, is_expression, render, uses


@pytest.mark.parametrize(
    ("value", "figures", "shown"),
    [
        *((2.675, 3, "2.68"), (0.00012345, 3, "0.000123"), (1.005, 3, "1.01"), (-2.5, 1, "-3"), (-0.5, 1, "-0.5")),
        *((31.4159e9, 3, "31400000000"), (2, 3, "2.00"), (9.996, 3, "10.0"), (999.96, 3, "1000"), (100, 3, "100")),
        *((0, 3, "0"), (2.5e-10, 2, "2.5e-10"), (2e-10, 2, "2.0e-10"), (1.5e20, 2, "1.5e20"), (6e23, 1, "6e23")),
        *((1.15 * 3, 2, "3.5"), (0.1 + 0.2, 1, "0.3"), (np.float64(2.675), 3, "2.68")),  # 3.4499999999999997
    ],
)
def test_figures_are_rounded_half_up_in_decimal(value: float, figures: int, shown: str) -> None:
    assert numbers.spelt(numbers.to_figures(value, figures)) == shown


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        *((2.675, 2, "2.68"), (-2.675, 2, "-2.68"), (-0.5, 0, "-1"), (0.5, 0, "1"), (1.5, 0, "2"), (2.5, 0, "3")),
        *((0.049, 1, "0.0"), (-0.04, 1, "0.0"), (-0.4, 0, "0"), (1e9, 2, "1000000000.00"), (9.99, 1, "10.0")),
    ],
)
def test_decimals_are_rounded_half_up(value: float, places: int, shown: str) -> None:
    assert numbers.spelt(numbers.to_decimals(value, places)) == shown


@given(st.decimals(-(10**6), 10**6, places=6), st.integers(0, 5))
def test_rounding_agrees_with_fractions(value: Decimal, places: int) -> None:
    exact = abs(Fraction(value)) * 10**places
    rounded = math.floor(exact + Fraction(1, 2))
    assert abs(Fraction(numbers.to_decimals(value, places))) * 10**places == rounded


@given(st.decimals("1e-20", "1e20", allow_nan=False).filter(lambda value: value > 0), st.integers(1, 9))
def test_figures_keep_a_number_within_half_a_unit(value: Decimal, figures: int) -> None:
    rounded = numbers.to_figures(value, figures)
    assert abs(rounded - value) <= numbers.half_unit(value, figures)
    assert rounded == rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - figures + 1), ROUND_HALF_UP)


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_what_is_spelt_is_read_by_any_program(value: float) -> None:
    text = numbers.spelt(numbers.decimal(value))
    assert float(text) == pytest.approx(value, rel=1e-14) and Decimal(text) == numbers.decimal(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "many", None, 1j, [1.0], True, np.bool_(1)])
def test_what_is_no_number_is_an_error(value: Any) -> None:
    with pytest.raises(numbers.NotANumber):
        numbers.decimal(value)


@pytest.mark.parametrize(
    ("value", "tolerance", "shown"),
    [
        *(("1.000000000000001", "0.1", "1"), ("14.690909090909091", "0.2", "14.6909090909"), ("100", "0", "100")),
        *(("123456789012345.5", "0.5", "123456789012345.5"), ("-0.0", "0", "0"), ("2.1e-10", "1e-12", "2.1e-10")),
    ],
)
def test_a_bound_has_as_many_digits_as_its_tolerance_needs(value: str, tolerance: str, shown: str) -> None:
    assert numbers.bound(Decimal(value), Decimal(tolerance)) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        *(("{{ 16384 | thousands }}", "16,384"), ("{{ 1e16 | thousands }}", "10,000,000,000,000,000")),
        *(("{{ 1234.5 | thousands }}", "1,234.5"), ("{{ 2.0 | thousands }}", "2"), ("{{ -0.0 | plain }}", "0")),
        *(("{{ 1.5e9 | sci(2) }}", r"1.5 \times 10^{9}"), ("{{ 1.5 | sci(2) }}", "1.5"), ("{{ 0 | sci(2) }}", "0")),
        *(
            ("{{ 1.5e9 | si('B') }}", "1.5 GB"),
            ("{{ 2.5e-6 | si('s') }}", "2.5 µs"),
            ("{{ 999.96 | si('B') }}", "1 kB"),
        ),
        *(("{{ 2.34567 | sig(3) }}", "2.35"), ("{{ 2.34567 | fixed(1) }}", "2.3"), ("{{ 8.0 | plain }}", "8")),
        *(("{{ (0.1 + 0.2) | plain }}", "0.3"), ("{% for k in range(3) %}{{ k }}{% endfor %}", "012")),
        *((r"$\frac{a}{b}$", r"$\frac{a}{b}$"), (r"$x^{10}$ {# no comment #}", r"$x^{10}$ {# no comment #}")),
    ],
)
def test_texts_print_numbers(source: str, shown: str) -> None:
    assert render(source, {}) == shown


def test_expressions_compute() -> None:
    assert evaluate("{{ ceil(log2(p)) }}", {"p": 5}) == 3 and evaluate("p > 4", {"p": 5}) is True
    assert evaluate("sum(range(4)) + sqrt(4) + round(2.6) + abs(-1)", {}) == 12.0


def test_what_is_given_may_be_of_any_type_and_is_told_apart() -> None:
    assert [evaluate("{{ x / 2 }}", {"x": x}) for x in (1, 1.0, np.float32(1), True)] == [0.5] * 4
    assert [evaluate("{{ x }}", {"x": x}) is x for x in (1, 1.0, True)] == [True] * 3
    assert evaluate("{{ len(x) }}", {"x": [1, 2]}) == 2 and evaluate("{{ len(x) }}", {"x": [1]}) == 1


@pytest.mark.parametrize(
    "source",
    [
        *("{{ missing }}", "{{ ().__class__.__mro__ }}", "{{ 1 / 0 }}", "{{ f(1) }}", "{{ x.real.__class__ }}"),
        *("{{ 1 +", "{{ y.append(1) }}", "{{ range(10**9) }}", "{{ f.__globals__ }}", "{{ x | nothing }}"),
    ],
)
def test_what_an_expression_must_not_or_cannot_do_is_an_error(source: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(source, {"f": len, "x": 1, "y": []})


@pytest.mark.parametrize(
    ("source", "whether"),
    [
        ("{{ a }}", True),
        (" {{ a }}\n", True),
        ("{{ a }} {{ b }}", False),
        ("a", False),
        (3, False),
        ("{{ a }}.", False),
    ],
)
def test_an_expression_is_all_that_there_is(source: object, whether: bool) -> None:
    assert is_expression(source) is whether


def test_names_are_found_with_their_lines() -> None:
    assert uses("One {{ a }}\n{% for k in b %}{{ k }}{% endfor %}\n{% if c %}\n{{ f(a) }}{% endif %}") == [
        *(Use("a", 0), Use("b", 1), Use("c", 2), Use("f", 3), Use("a", 3))
    ]


@pytest.mark.parametrize(("source", "line"), [("one\n{{ a + }}", 1), ("{{ a | sgi(3) }}", 0), ("\n\n{% if a %}", 2)])
def test_a_bad_template_says_where(source: str, line: int) -> None:
    with pytest.raises(BadTemplate) as caught:
        uses(source)
    assert caught.value.line == line
