"""Mathematics for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import latex


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("2(p-1)", "2(p-1)"),
        (r"\alpha + \beta n", "α + β n"),
        (r"\lceil \log_2 p \rceil", "⌈log₂ p⌉"),
        (r"\left\lceil \frac{n}{p} \right\rceil", "⌈n/p⌉"),
        (r"2\times3 \le 7", "2×3 ≤ 7"),
        (r"2\log_2 p", "2 log₂ p"),
        (r"\log\log p", "log log p"),
        (r"\frac{a}{b}", "a/b"),
        (r"\frac12", "1/2"),
        (r"\frac{a+b}{2n}", "(a+b)/(2n)"),
        (r"\frac{2(p-1)}{p}\,n\beta", "2(p-1)/p·nβ"),
        (r"(p-1)\alpha + \frac{p-1}{p} n\beta", "(p-1)α + (p-1)/p·nβ"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\frac{a}{b} + 1", "a/b + 1"),
        (r"10^9", "10⁹"),
        (r"2^{-6}", "2⁻⁶"),
        (r"2^{n-1}", "2^(n-1)"),
        (r"x_{i+1}^T", "x_(i+1)^T"),
        (r"B_{\text{crit}}", "B_crit"),
        (r"x_i", "x_i"),
        (r"\sum_{i=0}^{p-1} x_i", "Σ_(i=0)^(p-1) x_i"),
        (r"\sqrt{n} \ne \sqrt{a+b}", "√n ≠ √(a+b)"),
        (r"(r - s) \bmod p", "(r - s) mod p"),
        (r"\text{if } p > 1", "if p > 1"),
        (r"\operatorname{tr}\Sigma", "tr Σ"),
        (r"\|g\|", "‖g‖"),
        (r"50\%", "50%"),
        (r"\unknown{x}", "unknown x"),
        ("}}{", ""),
        ("x^", "x"),
        ("\\", "\\"),
    ],
)
def test_mathematics_becomes_plain_text(source: str, text: str) -> None:
    assert latex.plain(source) == text


@given(st.text(alphabet="\\{}^_ab1 +-fracsqrtlog", max_size=60))
def test_no_mathematics_is_too_damaged_to_show(source: str) -> None:
    text = latex.plain(source)
    assert not set(text) & {"\ue000", "\ue001", "{", "}"} - set("{}" if "\\{" in source or "\\}" in source else "")


@given(st.from_regex(r"[a-z0-9 ()+=<>/,.-]*", fullmatch=True))
def test_plain_mathematics_stays_as_it_is(source: str) -> None:
    assert latex.plain(source).replace(" ", "") == source.replace(" ", "")
