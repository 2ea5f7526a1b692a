"""What a stub imports, and the only module of ours that it does: a face of ``grader/worker/student.py``.

The worker provides the same names under ``grader.student`` without the rest of this package.
"""

from grader.worker.student import (
    ACCELERATORS,
    Accelerator,
    Comm,
    Deadlock,
    FloatArray,
    IntArray,
    Request,
    checked_float,
    checked_int,
    checked_vector,
    exercise,
    on_ranks,
)

__all__ = [
    "ACCELERATORS",
    "Accelerator",
    "Comm",
    "Deadlock",
    "FloatArray",
    "IntArray",
    "Request",
    "checked_float",
    "checked_int",
    "checked_vector",
    "exercise",
    "on_ranks",
]
