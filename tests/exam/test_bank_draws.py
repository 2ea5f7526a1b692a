"""Draws that never drift."""

from __future__ import annotations

import hashlib
from collections import Counter
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from exam.bank.draws import Draws

# A change of one of these is a change of every quiz.
GOLDEN_WORDS = [5800689936902554384, 13611792466615672610, 17984337378595127494]
GOLDEN_DIGITS = [4, 1, 7, 6, 7, 9, 8, 6]
GOLDEN_ORDER = "edbcfa"
GOLDEN_LOG = "3.73"
GOLDEN_REAL = "0.06350"


def test_golden_vectors_of_the_stream() -> None:
    draws = Draws("secret", "l07-state-bytes", 0, "parameters")
    assert [draws.word() for _ in range(3)] == GOLDEN_WORDS
    again = Draws("secret", "l07-state-bytes", 1, "parameters")
    assert [again.below(10) for _ in range(8)] == GOLDEN_DIGITS
    assert Draws("s", "i", 0, "order").shuffled("abcdef") == list(GOLDEN_ORDER)
    assert str(Draws("s", "i", 0, "x").log(Decimal(1), Decimal(10**9), 3)) == GOLDEN_LOG
    assert str(Draws("s", "i", 0, "x").real(Decimal(0), Decimal(1), 4)) == GOLDEN_REAL


def test_the_stream_is_what_it_is_said_to_be() -> None:
    names = b"".join(
        len(part).to_bytes(8, "big") + part
        for part in (b"ai480 draws 1", b"secret", b"l07-state-bytes", b"0", b"parameters")
    )
    key = hashlib.sha256(names).digest()
    blocks = [hashlib.sha256(key + count.to_bytes(8, "big")).digest() for count in range(3)]
    assert [int.from_bytes(block[:8], "big") for block in blocks] == GOLDEN_WORDS


def test_names_are_told_apart_where_they_would_run_together() -> None:
    assert Draws("ab", "c").word() != Draws("a", "bc").word()


def test_draws_are_fair() -> None:
    draws = Draws("fair", 1)
    counts = Counter(draws.below(6) for _ in range(6000))
    assert set(counts) == set(range(6)) and sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5


def test_every_order_is_as_likely() -> None:
    draws = Draws("fair", "orders")
    counts = Counter("".join(draws.shuffled("abc")) for _ in range(6000))
    assert len(counts) == 6 and sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5


def test_a_logarithmic_draw_is_as_likely_in_each_decade() -> None:
    draws = Draws("fair", "decades")
    counts = Counter(draws.log(Decimal(1), Decimal(1000), 6).adjusted() for _ in range(3000))
    assert sum((counts[decade] - 1000) ** 2 / 1000 for decade in range(3)) < 13.8


@given(st.integers(1, 2**63), st.integers(0, 1000))
def test_a_draw_stays_below_its_bound(bound: int, seed: int) -> None:
    assert 0 <= Draws("bound", seed).below(bound) < bound


_POSITIVE = st.decimals("1e-9", "1e12", places=12)


@given(_POSITIVE, _POSITIVE, st.integers(1, 9), st.integers(0, 1000))
def test_a_number_lies_within_its_bounds_and_has_few_figures(
    one: Decimal, other: Decimal, figures: int, seed: int
) -> None:
    low, high = sorted((one, other))
    for drawn in (Draws(seed).real(low, high, figures), Draws(seed).log(low, high, figures)):
        assert low <= drawn <= high
        assert len(drawn.as_tuple().digits) <= figures or drawn in (low, high)
