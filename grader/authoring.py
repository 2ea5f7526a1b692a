"""What authors of checks and misconceptions import."""

from grader.judge.checks import check
from grader.judge.expectations import expect, rounding_error
from grader.judge.failures import CheckFailed
from grader.judge.local import public_checks
from grader.judge.misconceptions import misconception
from grader.judge.strategies import buffers_for_ranks, patterned, positive, rank_counts, sizes

__all__ = [
    "CheckFailed",
    "buffers_for_ranks",
    "check",
    "expect",
    "misconception",
    "patterned",
    "positive",
    "public_checks",
    "rank_counts",
    "rounding_error",
    "sizes",
]
