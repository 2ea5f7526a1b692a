"""Arguments of exercises, checked in one way: so that a solution is about its subject, a student's included."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def checked_int(name: str, value: int, least: int = 0, most: float = math.inf) -> int:
    """An int, given that it is one (numpy's count, bools don't) and lies from ``least`` to ``most``.

    Raises:
        ValueError: Otherwise; names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        bounds = f"of at least {least}" if most == math.inf else f"from {least} to {most}"
        raise ValueError(f"{name} must be an int {bounds}, not {value!r}")
    return int(value)


def checked_float(
    name: str, value: float, *, least: float = 0.0, most: float = math.inf, positive: bool = False
) -> float:
    """A finite float from ``least`` to ``most``, and above zero if ``positive``.

    Raises:
        ValueError: Otherwise; names the argument.
    """
    if not math.isfinite(value) or not least <= value <= most or (positive and value <= 0):
        bounds = f"of at least {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be finite and {'positive' if positive else bounds}, not {value!r}")
    return float(value)


def checked_vector(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A float64 copy of an array of one dimension, so that what the caller passed stays as it is.

    Raises:
        ValueError: If it has another number of dimensions; names the argument.
    """
    vector = np.array(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {vector.shape}")
    return vector
