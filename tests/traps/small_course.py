"""A course of one small lesson, so that a grading takes well under a second."""

from __future__ import annotations

from pathlib import Path

from grader.authors.contents import read_contents
from grader.authors.stubs import stub_source
from grader.course import Course, Lesson

FILE_NAME = "lesson42_traps.py"
MISCONCEPTION = "counts in bits where bytes are asked for"  # part of what the misconceptions file says
CHECK_MARK = "xyzzy"  # stands in the source of the hidden checks and nowhere else

SOLUTION = '''"""Lesson 42 · Traps."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from grader.student import Comm, FloatArray, exercise


class Split(NamedTuple):
    """How many come first, and how many are left."""

    first: int
    rest: int


@exercise(outcome="42a", minutes=5, difficulty=1)
def transfer_seconds(size_bytes: int, gigabytes_per_s: float, latency: float = 0.0) -> float:
    """Time to move a message: latency plus size over bandwidth.

    Raises:
        ValueError: If the size is negative.

    Example:
        >>> transfer_seconds(4_000_000_000, 2.0)
        2.0
    """
    if size_bytes < 0:
        raise ValueError("size_bytes must not be negative")
    return latency + size_bytes / (gigabytes_per_s * 1e9)


@exercise(outcome="42a", minutes=5, difficulty=1)
def chunk_sizes(length: int, parts: int) -> tuple[int, ...]:
    """Lengths of the chunks that ``numpy.array_split`` makes.

    Example:
        >>> chunk_sizes(5, 2)
        (3, 2)
    """
    return tuple(length // parts + (part < length % parts) for part in range(parts))


@exercise(outcome="42a", minutes=5)
def first_half(length: int) -> Split:
    """The first half, rounded up, and the rest.

    Example:
        >>> first_half(5)
        Split(first=3, rest=2)
    """
    return Split(length - length // 2, length // 2)


@exercise(outcome="42b", minutes=5)
def running_sum(values: FloatArray) -> FloatArray:
    """The sum of each entry and all before it; ``values`` is not changed.

    Example:
        >>> running_sum(np.array([1.0, 2.0, 4.0]))
        array([1., 3., 7.])
    """
    return np.cumsum(values)


@exercise(outcome="42b", minutes=5)
def cheapest(cost: Callable[[int], float], candidates: Sequence[int]) -> int:
    """The candidate that costs least.

    Example:
        >>> cheapest(abs, [3, -1, 2])
        -1
    """
    return min(candidates, key=cost)


@exercise(outcome="42b", minutes=5)
class Meter:
    """Adds up what it is given.

    Example:
        >>> chunk_sizes(4, 2)  # an example cannot use a class
        (2, 2)
    """

    def __init__(self, start: float = 0.0) -> None:
        """Begin at ``start``."""
        self.total = start

    def add(self, amount: float) -> float:
        """Add an amount and return the total."""
        self.total += amount
        return self.total


@exercise(outcome="42c", minutes=5, difficulty=3)
def ring_sum(comm: Comm, value: FloatArray) -> FloatArray:
    """The sum of every rank's array, passed once around the ring.

    Example:
        >>> on_ranks(ring_sum, [[1.0], [2.0]])
        [array([3.]), array([3.])]
    """
    total = travelling = np.array(value)
    for _ in range(comm.size - 1):
        travelling = comm.sendrecv(travelling, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        total = total + travelling
    return total
'''

PUBLIC_CHECKS = '''"""Public checks."""

import numpy as np

from grader.authoring import check, expect


@check("transfer_seconds", points=2)
def test_a_megabyte(student):
    """A megabyte takes a millisecond at 1 GB/s, and twice as long at half of that."""
    expect(student.transfer_seconds(1_000_000, 1.0), "seconds").close(1e-3)
    expect(student.transfer_seconds(1_000_000, 0.5), "seconds").close(2e-3)


@check("chunk_sizes", points=2)
def test_seven_in_three(student):
    """Seven in three are 3, 2 and 2."""
    expect(student.chunk_sizes(7, 3), "chunk sizes").equal((3, 2, 2))


@check("first_half", points=2)
def test_half_of_eight(student):
    """Half of eight is four."""
    expect(student.first_half(8), "the halves").equal((4, 4))


@check("running_sum", points=2)
def test_ones(student):
    """Ones add up to a count."""
    expect(student.running_sum(np.ones(4)), "running sum").equal(np.array([1.0, 2.0, 3.0, 4.0]))


@check("cheapest", points=2)
def test_the_smallest_square(student):
    """The number with the smallest square is found."""
    expect(student.cheapest(lambda x: x * x, [3, -2, 5]), "the cheapest").equal(-2)


@check("Meter", points=2)
def test_totals(student):
    """Every total holds all amounts so far."""
    expect(student.Meter.sequence((1.0,), [("add", 2.0), ("add", 3.0)]), "totals").equal([3.0, 6.0])


@check("ring_sum", points=2)
def test_three_ranks(student):
    """Three ranks all get the sum."""
    run = student.ring_sum.on_ranks([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    expect(run.results, "what each rank returned").all_equal(np.array([6.0, 60.0]))
'''

HIDDEN_CHECKS = '''"""Hidden checks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring import buffers_for_ranks, check, expect, patterned, sizes

xyzzy = None


@check("transfer_seconds", points=3, examples=10)
@given(size=sizes(1, 10**9), rate=st.sampled_from([0.7, 1.3, 2.9]), latency=st.sampled_from([0.0, 0.0123]))
def test_latency_and_bandwidth(student, reference, size, rate, latency):
    """Latency and transfer time add up."""
    expect(student.transfer_seconds(size, rate, latency=latency), "seconds").close(
        reference.transfer_seconds(size, rate, latency=latency)
    )


@check("transfer_seconds", points=1)
def test_negative_sizes(student):
    """A negative size raises ValueError."""
    student.transfer_seconds.must_raise(ValueError, -1, 1.0)


@check("chunk_sizes", points=3, examples=10)
@given(length=sizes(0, 500), parts=st.integers(1, 7))
def test_all_chunks(student, reference, length, parts):
    """The sizes are those of array_split."""
    expect(student.chunk_sizes(length, parts), "chunk sizes").equal(reference.chunk_sizes(length, parts))


@check("first_half", points=3, examples=10)
@given(length=sizes(0, 1000))
def test_any_half(student, reference, length):
    """The first half is at most one longer than the rest."""
    found = student.first_half(length)
    expect(found.first, "the first half").equal(length - length // 2)
    expect(found, "both halves").equal(reference.first_half(length))


@check("running_sum", points=3, examples=10)
@given(length=sizes(1, 30), seed=st.integers(0, 100))
def test_any_sums(student, reference, length, seed):
    """The sums are those of the rule."""
    values = patterned(length, seed)
    expect(student.running_sum(values), "running sum").equal(reference.running_sum(values))


@check("running_sum", points=1)
def test_values_stay(student):
    """The values are as they were."""
    student.running_sum.keeps_arguments(np.array([1.0, 2.0, 3.0]))


@check("cheapest", points=3, examples=10)
@given(candidates=st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True), best=st.integers(-50, 50))
def test_any_cost(student, reference, candidates, best):
    """The candidate next to any number is found."""
    costs = {one: abs(one - best) * 2 - (one > best) for one in candidates}
    expect(student.cheapest(costs.__getitem__, candidates), "the cheapest").equal(
        reference.cheapest(costs.__getitem__, candidates)
    )


@check("Meter", points=3, examples=10)
@given(amounts=st.lists(st.integers(0, 9), max_size=6))
def test_any_totals(student, reference, amounts):
    """Totals are sums of amounts."""
    steps = [("add", float(amount)) for amount in amounts]
    expect(student.Meter.sequence((), steps), "totals").equal(reference.Meter.sequence((), steps))


@check("ring_sum", points=3, examples=10)
@given(buffers=buffers_for_ranks(min_ranks=1, max_ranks=4, min_length=1, max_length=5))
def test_any_ring(student, reference, buffers):
    """Every rank sends the arrays that the ring takes around, and gets the sum."""
    run = student.ring_sum.on_ranks(buffers)
    expected = reference.ring_sum.on_ranks(buffers)
    expect(run.results, "what each rank returned").all_equal(sum(buffers))
    expect(run.sends, "what each rank sent").equal(expected.sends)
    expect(run.bytes_per_rank, "bytes sent by each rank").equal(expected.bytes_per_rank)


@check("ring_sum", points=1)
def test_the_ring_keeps_values(student):
    """Every rank's array is as it was."""
    student.ring_sum.on_ranks_keeps_arguments([[1.0, 2.0], [3.0, 4.0]])
'''

MISCONCEPTIONS = f'''"""Known wrong ways."""

from grader.authoring import misconception

misconception(
    "bits",
    of="transfer_seconds",
    instead_of="size_bytes / (",
    wrote="8 * size_bytes / (",
    says="a formula that {MISCONCEPTION}",
    hint="How many bits has a byte?",
)
'''


def write_course(root: Path) -> Lesson:
    """Write the course's files and return its lesson."""
    lesson = Lesson(Course(root), 42, "traps")
    texts = {
        lesson.solution: SOLUTION,
        lesson.public_checks: PUBLIC_CHECKS,
        lesson.hidden_checks: HIDDEN_CHECKS,
        lesson.misconceptions: MISCONCEPTIONS,
        lesson.stub: stub_source(SOLUTION, "the solution"),
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    read_contents(lesson).manifest.write(lesson.manifest_path)
    return lesson
