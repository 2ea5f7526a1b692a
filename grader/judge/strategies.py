"""Draws for checks: shapes and patterns, not element by element, so that few examples shrink to a readable case."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

FAVOURITES = (1, 2, 3, 5, 8, 4, 7, 6)
COUNTING_SEEDS = 3  # seeds below this give counting patterns, which are easy to follow by hand


def rank_counts(low: int = 1, high: int = 8) -> st.SearchStrategy[int]:
    """Numbers of ranks; powers of two are no more likely than others."""
    favoured = [count for count in FAVOURITES if low <= count <= high]
    return st.sampled_from(sorted({*favoured, low, high}))


def sizes(low: int = 0, high: int = 40) -> st.SearchStrategy[int]:
    """Lengths; the ends of the range are favoured."""
    edges = [size for size in (low, low + 1, high - 1, high) if low <= size <= high]
    return st.one_of(st.integers(low, high), st.sampled_from(edges))


def positive(low: float, high: float) -> st.SearchStrategy[float]:
    """Positive floats, log-uniform between two bounds, to four significant digits."""
    steps = st.integers(0, 1000)
    return steps.map(lambda step: min(max(float(f"{low * (high / low) ** (step / 1000):.4g}"), low), high))


def patterned(length: int, seed: int) -> NDArray[np.float64]:
    """A float64 array of small integers, so that sums are exact.

    Seeds 0, 1 and 2 count (1, 2, 3 …; 10, 20, 30 …; 100, 200, 300 …); others are scattered between -9 and 9.
    """
    if seed < COUNTING_SEEDS:
        return np.arange(1, length + 1, dtype=np.float64) * 10.0**seed
    return np.random.default_rng(seed).integers(-9, 10, length).astype(np.float64) + 0.0


@st.composite
def buffers_for_ranks(
    draw: st.DrawFn, min_ranks: int = 1, max_ranks: int = 6, min_length: int = 0, max_length: int = 40
) -> list[NDArray[np.float64]]:
    """One buffer for each rank, all of one length, of integers as floats: every sum of them is exact."""
    ranks = draw(rank_counts(min_ranks, max_ranks))
    length = draw(sizes(min_length, max_length))
    seed = draw(st.integers(0, 99))
    if seed == 0 and ranks <= 8:
        return [patterned(length, 0) * 10.0**rank for rank in range(ranks)]
    return [patterned(length, COUNTING_SEEDS + 100 * seed + rank) for rank in range(ranks)]
