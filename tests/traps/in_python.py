"""Submissions that try to get points by what they return, raise, patch or remember. Numbers are GRADER_TRAPS' lines."""

from __future__ import annotations

from grader.results import Outcome
from tests.traps.harness import Trap

RIGHT = "latency + size_bytes / (gigabytes_per_s * 1e9)"
ARGUMENTS = "(size_bytes, gigabytes_per_s, latency=0.0)"
EXAMPLE = "test_docstring_example"

ESCAPES = [  # lines 1 and 2
    Trap(
        "skips_with_unittest",
        "transfer_seconds",
        f'def transfer_seconds{ARGUMENTS}:\n    raise unittest.SkipTest("not today")\n',
        says="raised SkipTest: not today",
    ),
    Trap(
        "skips_with_pytest",
        "first_half",
        """
def first_half(length):
    try:
        import pytest
    except ImportError:  # a worker has no pytest; what pytest raises looks like this
        class Skipped(BaseException):
            __module__, __name__ = "_pytest.outcomes", "Skipped"
        raise Skipped("allow_module_level=True")
    pytest.skip(allow_module_level=True)
""",
        says="raised Skipped",
    ),
    Trap(
        "interrupts",
        "running_sum",
        "def running_sum(values): raise KeyboardInterrupt\n",
        says="raised KeyboardInterrupt",
    ),
    Trap(
        "leaves_as_a_generator",
        "cheapest",
        "def cheapest(cost, them): raise GeneratorExit\n",
        says="raised GeneratorExit",
    ),
    Trap(
        "exits_in_a_method",
        "Meter",
        "class Meter(Meter):\n    def add(self, amount): sys.exit(0)\n",
        earns=(EXAMPLE,),
        says="raised SystemExit: 0",
    ),
    Trap(
        "cancels",
        "ring_sum",
        'class exit(BaseException): returncode = 0\ndef ring_sum(comm, value): raise exit("xfail")\n',
        says="rank 0 raised exit: xfail",
    ),
    Trap(
        "ends_the_process",
        "transfer_seconds",
        f"def transfer_seconds{ARGUMENTS}: os._exit(0)\n",
        says="the process ended itself with exit code 0",
    ),
    Trap("exits", "first_half", "def first_half(length): sys.exit(0)\n", says="raised SystemExit: 0"),
    Trap(
        "ends_after_its_answer",
        "running_sum",
        """
def running_sum(values):
    channel = _worker().channel
    def last_flush(flush=channel.flush):
        flush()
        os._exit(0)
    channel.flush = last_flush
    return np.cumsum(values)
""",
        earns=(EXAMPLE, "test_ones", "test_values_stay"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "breaks_the_interpreter",
        "cheapest",
        "def cheapest(cost, candidates): ctypes.string_at(8)\n",
        says="the process was ended by a segmentation fault",
    ),
    Trap(
        "a_thread_ends_the_process",
        "ring_sum",
        """
def ring_sum(comm, value):
    if comm.rank == comm.size - 1:
        threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0)), daemon=True).start()
        time.sleep(30)
    return comm.recv(comm.size - 1)
""",
        says="returned nothing: the process ended itself with exit code 0",
    ),
]

LIARS = [  # line 3
    Trap(
        "equals_everything",
        "transfer_seconds",
        f"""
class Equal:
    def __eq__(self, other): return True
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __hash__(self): return 0
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __abs__ = __float__ = __sub__
    def __array__(self, *a, **k): return np.zeros(())
    def __array_ufunc__(self, *a, **k): return np.bool_(True)
    def __reduce__(self): return (os.system, ("echo owned",))
def transfer_seconds{ARGUMENTS}: return Equal()
""",
        outcome=Outcome.WRONG,
        says="returned an Equal",
    ),
    Trap(
        "an_int_that_lies",
        "first_half",
        """
class LyingInt(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    def __int__(self): return 4
    __hash__, __index__, __abs__ = int.__hash__, __int__, __int__
def first_half(length): return Split(LyingInt(-1), LyingInt(-1))
""",
        outcome=Outcome.WRONG,
        says="Split(first=-1, rest=-1)",
    ),
    Trap(
        "an_array_that_lies",
        "running_sum",
        """
class LyingArray(np.ndarray):
    def __eq__(self, other): return np.ones(np.shape(other), bool)
    def __array_ufunc__(self, *inputs, **options): return np.ones(4, bool)
    def __array__(self, *a, **k): return np.array([1.0, 2.0, 3.0, 4.0])
    def tobytes(self, *a): return np.array([1.0, 2.0, 3.0, 4.0]).tobytes()
def running_sum(values): return np.full(len(values), -5.0).view(LyingArray)
""",
        earns=("test_values_stay",),
        outcome=Outcome.WRONG,
        says="array([-5., -5., -5., -5.])",
    ),
    Trap(
        "a_text_that_lies",
        "cheapest",
        """
class LyingText(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def cheapest(cost, candidates): return LyingText("cheap")
""",
        outcome=Outcome.WRONG,
        says="'cheap'",
    ),
    Trap(
        "a_float_that_lies",
        "Meter",
        """
class LyingFloat(float):
    def __eq__(self, other): return True
    def __float__(self): return 3.0
    def __sub__(self, other): return 0.0
    __hash__, __rsub__ = float.__hash__, __sub__
class Meter(Meter):
    def add(self, amount): return LyingFloat(-7.0)
""",
        earns=(EXAMPLE,),
        outcome=Outcome.WRONG,
        says="[-7.0, -7.0]",
    ),
    Trap(
        "says_it_is_an_array",
        "ring_sum",
        """
class Mask:
    __class__ = np.ndarray
    dtype, ndim, shape = np.dtype("float64"), 1, (10**9,)
    def __len__(self): return 10**9
    def __array__(self, *a, **k): return np.zeros(2)
def ring_sum(comm, value): return Mask()
""",
        outcome=Outcome.WRONG,
        says="returned an array of shape (1000000000,)",
    ),
    Trap(
        "answers_late",
        "Meter",
        """
class Meter(Meter):
    def __init__(self, start=0.0):
        super().__init__(start)
        self.boxes = []
    def add(self, amount):
        for box, total in self.boxes:
            box[...] = total  # what was returned is put right when the next step is known
        self.boxes.append((np.array(-1.0), super().add(amount)))
        return self.boxes[-1][0]
""",
        earns=(EXAMPLE,),
        outcome=Outcome.WRONG,
        says="[array(-1.), array(-1.)]",
    ),
]

SPIES = [  # line 4
    Trap(
        "walks_frames_and_objects",
        "transfer_seconds",
        f"""
_WANTED = {{"solutions", "checks", "hypothesis", "_pytest", "judge", "converse", "perform"}}
def transfer_seconds{ARGUMENTS}:
    found, frame = set(), sys._getframe()
    while frame:
        found |= {{frame.f_code.co_name, *map(str, frame.f_globals.get("__name__", "?").split("."))}}
        frame = frame.f_back
    for each in gc.get_objects():
        name = getattr(getattr(each, "__code__", None), "co_filename", "") or getattr(each, "__file__", "")
        found |= {{part for part in _WANTED if f"/{{part}}/" in str(name)}}
    found |= {{"judge" for name in sys.modules if name.startswith(("grader.judge", "hypothesis", "_pytest"))}}
    return " ".join(sorted(found & _WANTED)) or "nothing"
""",
        outcome=Outcome.WRONG,
        says="'nothing'",
    ),
    Trap(
        "reads_its_caller",
        "first_half",
        """
def first_half(length):
    import inspect, linecache
    try:
        texts = "".join("".join(linecache.getlines(frame.filename)) for frame in inspect.stack())
    except OSError:
        texts = ""
    return "seen" if "expect(" in texts or "xyzzy" in texts else "nothing"
""",
        outcome=Outcome.WRONG,
        says="'nothing'",
    ),
    Trap(
        "looks_for_open_files",
        "running_sum",
        """
def running_sum(values):
    readable = []
    for number in range(256):
        try:
            os.read(number, 0)
            readable.append(number)
        except OSError:
            pass
    return [len(readable), *sorted(os.environ)]
""",
        earns=("test_values_stay",),
        outcome=Outcome.WRONG,
        says="[4, 'LC_ALL', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', ",
    ),
]

MEMORY = [  # lines 14 and 16
    Trap(
        "wrong_now_and_then",
        "transfer_seconds",
        f"def transfer_seconds{ARGUMENTS}: return {RIGHT} + (random.random() < 0.3)\n",
        earns=(EXAMPLE, "test_a_megabyte"),  # Python's generator is seeded: the first two draws are above 0.3
        outcome=Outcome.WRONG,
    ),
    Trap(
        "right_once",
        "first_half",
        """
_called = []
def first_half(length):
    _called.append(1)
    return Split(length - length // 2, length // 2) if len(_called) == 1 else Split(0, 0)
""",
        earns=(EXAMPLE, "test_half_of_eight"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "keeps_its_array",
        "running_sum",
        """
_kept = np.zeros(0)
def running_sum(values):
    global _kept
    _kept = np.concatenate([_kept, values])
    return np.cumsum(_kept)
""",
        earns=(EXAMPLE, "test_ones", "test_values_stay"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "counts_its_calls",
        "cheapest",
        """
_calls = 0
def cheapest(cost, candidates):
    global _calls
    _calls += 1
    return min(candidates, key=cost) if _calls < 4 else max(candidates, key=cost)
""",
        earns=(EXAMPLE, "test_the_smallest_square"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "keeps_totals_in_the_class",
        "Meter",
        """
class Meter:
    total = None
    def __init__(self, start=0.0): Meter.total = Meter.total or start
    def add(self, amount):
        Meter.total += amount
        return Meter.total
""",
        earns=(EXAMPLE, "test_totals"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "ranks_that_share_a_global",
        "ring_sum",
        """
_seen = []
def ring_sum(comm, value):
    _seen.append(value)
    comm.barrier()
    return sum(_seen) if len(_seen) == comm.size else value
""",
        earns=("test_the_ring_keeps_values",),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "returns_the_example",
        "transfer_seconds",
        f"def transfer_seconds{ARGUMENTS}: return 2.0\n",
        earns=(EXAMPLE,),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "has_a_table_of_what_is_public",
        "first_half",
        "def first_half(length): return Split(*{5: (3, 2), 8: (4, 4)}.get(length, (0, 0)))\n",
        earns=(EXAMPLE, "test_half_of_eight"),
        outcome=Outcome.WRONG,
    ),
    Trap(
        "record_with_lying_names",
        "first_half",
        """
from collections import namedtuple
def first_half(length): return namedtuple("Split", "rest first")(length - length // 2, length // 2)
""",
        earns=(EXAMPLE, "test_half_of_eight"),  # in the right order; by name it is wrong
        outcome=Outcome.WRONG,
    ),
]
