"""Right answers that other graders fail: full marks here, with a remark where one helps."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pytest

from grader.results import LessonResult, Outcome
from tests.traps.harness import Grader, Trap, batches, exercise, passed, told, with_solution

SECONDS = "return latency + size_bytes / (gigabytes_per_s * 1e9)"
ARGUMENTS = "size_bytes, gigabytes_per_s, latency=0.0"


@dataclass(frozen=True)
class Right(Trap):
    """A right way to write an exercise; ``says`` is the remark on it, or "" for none."""


def _seconds(name: str, code: str, says: str = "") -> Right:
    guard = 'if size_bytes < 0: raise ValueError("size")'
    return Right(name, "transfer_seconds", f"def transfer_seconds({ARGUMENTS}):\n    {guard}\n    {code}\n", says=says)


def _sums(name: str, code: str, says: str = "") -> Right:
    return Right(name, "running_sum", f"def running_sum(values):\n    {code}\n", says=says)


def _chunks(name: str, code: str, says: str = "") -> Right:
    sizes = "sizes = [length // parts + (part < length % parts) for part in range(parts)]"
    return Right(name, "chunk_sizes", f"def chunk_sizes(length, parts):\n    {sizes}\n    {code}\n", says=says)


def _cheapest(name: str, code: str, says: str = "") -> Right:
    return Right(name, "cheapest", f"def cheapest(cost, candidates):\n    {code}\n", says=says)


def _ring(name: str, code: str, says: str = "") -> Right:
    return Right(name, "ring_sum", f"_solved_ring = ring_sum\ndef ring_sum(comm, value):\n    {code}\n", says=says)


RIGHT = [
    # 18: warnings and output
    _seconds("warns", f'import warnings; warnings.warn("deprecated", DeprecationWarning); {SECONDS}'),
    _sums("prints_five_megabytes", 'print("debug " * 900_000); return np.cumsum(values)'),
    _cheapest("prints_control_characters", 'print("\\0\\x1b[2J</testcase>\\ud800"); return min(candidates, key=cost)'),
    _ring("prints_on_ranks", 'print(comm, "<![CDATA["); sys.stderr.write("]]>"); return _solved_ring(comm, value)'),
    _chunks("closes_its_output", "sys.stdout.close(); return tuple(sizes)"),
    # 19: a stall
    Right(
        "stalls_once",
        "first_half",
        """
_stalls = [0, 0, 0.25]
def first_half(length):
    time.sleep(_stalls.pop() if _stalls else 0)
    return Split(length - length // 2, length // 2)
""",
    ),
    # 20: other types that mean the same
    _seconds("numpy_scalar", f"return np.float64({SECONDS[7:]})"),
    _seconds("zero_dimensions", f"return np.array({SECONDS[7:]})", "accepted a 0-d array where a number is asked for"),
    _seconds("single_precision", f"return np.float32({SECONDS[7:]})", "accepted float32 where float64 is asked for"),
    _sums("a_list", "return list(np.cumsum(values))", "accepted a list where an array is asked for"),
    _sums("a_tuple", "return tuple(np.cumsum(values))", "accepted a tuple where an array is asked for"),
    _sums("single_precision_array", "return np.cumsum(values, dtype=np.float32)", "accepted float32 where float64"),
    _sums("integers", "return np.cumsum(values).astype(int)"),
    _chunks("a_list_for_a_tuple", "return sizes", "accepted a list where a tuple is asked for"),
    _chunks("an_array_for_a_tuple", "return np.array(sizes)", "accepted an array where a tuple is asked for"),
    _chunks("floats_in_a_tuple", "return tuple(map(float, sizes))"),
    _cheapest("float_for_an_int", "return float(min(candidates, key=cost))", "accepted a float where an int is asked"),
    _cheapest("numpy_int", "return np.array(candidates)[np.argmin(list(map(cost, candidates)))]", "a numpy int64"),
    _cheapest("zero_dimensional_int", "return np.array(min(candidates, key=cost))", "accepted a 0-d array where"),
    _ring("a_list_from_each_rank", "return _solved_ring(comm, value).tolist()", "accepted a list where an array is"),
    Right(
        "a_record_of_its_own",
        "first_half",
        """
import dataclasses
@dataclasses.dataclass
class Halves:
    first: int
    rest: int
def first_half(length): return Halves(length - length // 2, length // 2)
""",
    ),
    # 24: slow
    _sums(
        "slow",
        "end = time.process_time() + 0.06\n    while time.process_time() < end: pass\n    return np.cumsum(values)",
        "right, but it computes more than 10 times as long as the solution does",
    ),
    # what else honest people do
    Right(
        "mark_forgotten",
        "Meter",
        """
class Meter:
    def __init__(self, start=0.0): self.amounts = [start]
    def add(self, amount):
        self.amounts.append(amount)
        return sum(self.amounts)
""",
    ),
    _cheapest("uses_threads", "from concurrent.futures import ThreadPoolExecutor\n    "
              "with ThreadPoolExecutor(1) as pool: return pool.submit(min, candidates, key=abs).result() "
              "if cost.__name__ == 'abs' else min(candidates, key=cost)"),
]  # fmt: skip


class Graded:
    """Results of batches, each graded when the first of its submissions is asked for."""

    def __init__(self, grader: Grader) -> None:
        self.grader = grader
        self.batch_of = {each.name: tuple(batch) for batch in batches(RIGHT) for each in batch}
        self.grade = functools.cache(self._grade)

    def _grade(self, batch: tuple[Trap, ...]) -> LessonResult:
        return self.grader.graded(with_solution("\n".join(each.code for each in batch)))


@pytest.fixture(scope="module")
def graded(grader: Grader) -> Graded:
    return Graded(grader)


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: right.name)
def test_right_answers_get_full_marks(graded: Graded, right: Right) -> None:
    found = exercise(graded.grade(graded.batch_of[right.name]), right.of)
    assert found.outcome is Outcome.PASSED, told(found) + told(found, "hidden")
    assert found.points == found.max_points


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: right.name)
def test_what_was_accepted_is_said(graded: Graded, right: Right) -> None:
    notes = exercise(graded.grade(graded.batch_of[right.name]), right.of).notes
    assert len(notes) == bool(right.says)
    assert right.says in "".join(notes)


def test_the_solution_gets_no_remark(grader: Grader) -> None:
    result = grader.graded(with_solution(""))
    assert result.full_marks
    assert [each.notes for each in result.exercises if each.notes] == []


def test_in_place_and_no_return(grader: Grader) -> None:
    code = """
def running_sum(values):
    for index in range(1, len(values)):
        values[index] += values[index - 1]
def ring_sum(comm, value): value += 0
def first_half(length): length // 2
"""
    result = grader.graded(with_solution(code))
    for name in ("running_sum", "ring_sum", "first_half"):
        found = exercise(result, name)
        assert found.outcome is Outcome.WRONG
        assert "It returned None. Is there a return? What works in place returns its result as well." in told(found)
        assert "None" in (found.checks[0].counterexample or pytest.fail("no case")).returned


def test_a_changed_argument_is_a_failure_of_its_own(grader: Grader) -> None:
    code = """
def running_sum(values):
    for index in range(1, len(values)):
        values[index] += values[index - 1]
    return values
_ring = ring_sum
def ring_sum(comm, value):
    value[:] = _ring(comm, value)
    return value
"""
    result = grader.graded(with_solution(code))
    sums, ring = exercise(result, "running_sum"), exercise(result, "ring_sum")
    assert passed(sums) == {"test_docstring_example", "test_ones", "test_any_sums"}
    (stay,) = (check for check in sums.checks if check.name == "test_values_stay")
    assert stay.message == "The function changed its argument 1: [1] is 3.0, not 2.0 as before. Work on a copy."
    assert stay.counterexample is not None
    assert stay.counterexample.what == "its argument 1 after the call"
    assert stay.counterexample.returned == "array([1., 3., 6.])"
    assert stay.counterexample.expected == "array([1., 2., 3.])"
    assert passed(ring) == {"test_docstring_example", "test_three_ranks", "test_any_ring"}
    assert "The function changed its argument 1 on rank 0: [0] is 4.0, not 1.0 as before." in told(ring, "hidden")
