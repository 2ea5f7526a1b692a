"""The wire: every value that it supports arrives as it was, and nothing that is sent can harm who reads it."""

from __future__ import annotations

import copy
import dataclasses
import enum
import math
import resource
import socket
import time
import tracemalloc
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.worker import wire
from grader.worker.wire import DTYPES, PREFIX, Record, Unsupported, WireError

quick = settings(deadline=None, max_examples=100)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Plan:
    name: Any
    steps: Any


# --- values ---


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """Arrays of every dtype, of any bits, in every layout."""
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    size = math.prod(shape) * dtype.itemsize
    bits = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8)
    array = (bits & 1 if dtype.kind == "b" else bits).view(dtype).reshape(shape)
    layout = draw(
        st.sampled_from(["as it is", "big-endian", "transposed", "reversed", "strided", "broadcast", "Fortran"])
    )
    if layout == "big-endian":
        return array.astype(dtype.newbyteorder(">"))
    if layout == "transposed":
        return array.T
    if layout == "reversed" and array.ndim:
        return array[::-1]
    if layout == "strided" and array.ndim:
        return array[..., ::2]
    if layout == "broadcast":
        return np.broadcast_to(array, (2, *shape))
    return np.asfortranarray(array) if layout == "Fortran" else array


scalars = arrays().filter(lambda array: array.size > 0).map(lambda array: array.reshape(-1)[0])
floats = st.floats() | st.sampled_from([-0.0, math.inf, -math.inf, math.nan, 5e-324])
text = st.text(st.characters(), max_size=6) | st.sampled_from(
    ["\0", "\ud800", "\udfff\ud800", "\ud83d\ude00", "😀", ","]
)
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(60, 200).map(lambda bits: -(1 << bits)),
    floats,
    st.complex_numbers() | st.sampled_from([complex(-0.0, math.nan), complex(math.inf, -0.0)]),
    text,
    st.binary(max_size=6),
)
# Two keys that hold a NaN and are alike otherwise differ only by identity, which does not cross.
keys = st.recursive(
    plain.filter(lambda value: value == value),
    lambda inner: st.lists(inner, max_size=2).map(tuple) | st.builds(Point, inner, inner),
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(Plan, inner, inner),
        st.builds(lambda a, b: Record("Row", ["count", "b"], [a, b]), inner, inner),
    )


values = st.recursive(plain | scalars | arrays(), _nested, max_leaves=8)


def alike(got: Any, want: Any) -> bool:
    """Whether a value is what another one has to be after crossing, type and bits included."""
    if isinstance(want, np.ndarray):
        native = np.array(want, dtype=want.dtype.newbyteorder("="), order="C")
        fresh = type(got) is np.ndarray and got.flags.c_contiguous and got.flags.writeable
        return fresh and got.dtype == native.dtype and got.shape == native.shape and got.tobytes() == native.tobytes()
    if isinstance(want, np.generic):
        return got.dtype == want.dtype and type(got) is type(want) and alike(got.item(), want.item())
    if isinstance(want, complex):
        return type(got) is complex and alike(got.real, want.real) and alike(got.imag, want.imag)
    if isinstance(want, float):
        same = got == want and math.copysign(1, got) == math.copysign(1, want)
        return type(got) is float and (same or (math.isnan(got) and math.isnan(want)))
    if isinstance(want, dict):
        return type(got) is dict and alike(list(got.items()), list(want.items()))
    fields = wire.field_names(want)
    if fields is not None:
        named = type(got) is Record and got.field_names == fields
        return named and all(alike(getattr(got, field), getattr(want, field)) for field in fields)
    if isinstance(want, list | tuple):
        same_length = type(got) is type(want) and len(got) == len(want)
        return same_length and all(alike(*pair) for pair in zip(got, want, strict=True))
    return type(got) is type(want) and bool(got == want)


def crossed(value: Any) -> Any:
    return wire.unpack(wire.pack({"id": "7"}, value))[1]


@quick
@given(values)
@example({1: 0, 1.5: 0, None: 0, b"": 0, (): 0, math.nan: 0, (math.nan, "a"): 0, 1 << 80: 0, Point(1, (2,)): 0})
@example([[], (), {}, ((),), [[[]]], ({},), np.zeros((0, 3)), np.zeros((3, 0)), np.array(2.5)])
@example("\ud83d\ude00 as two surrogates, which JSON takes for one character")
@example({"\ud83d\ude00": "😀", "😀": "\ud83d\ude00"})
@example([-(1 << 63), (1 << 63) - 1, 1 << 63, -(1 << 63) - 1, 1 << 5000, -(1 << 16383)])
@example(np.array([[1, 2], [3, 4]], order="F"))
def test_every_supported_value_arrives_as_it_was(value: Any) -> None:
    assert alike(crossed(value), value)


@quick
@given(values)
def test_what_arrives_crosses_again_unchanged(value: Any) -> None:
    assert wire.pack({}, crossed(value)) == wire.pack({}, value)


@quick
@given(st.lists(values, max_size=4), st.integers(1, 50))
def test_frames_are_cut_from_a_stream_however_it_is_cut(sent: list[Any], step: int) -> None:
    stream = b"".join(wire.pack({"n": n}, value) for n, value in enumerate(sent))
    frames, found = wire.Frames(), []
    for start in range(0, len(stream), step):
        frames.feed(stream[start : start + step])
        while (frame := frames.next()) is not None:
            found.append((frame[0]["n"], wire.decode(frame[1], frame[2])))
    assert not frames.pending
    assert alike(found, list(enumerate(sent)))


def test_a_stream_that_never_pauses_is_not_kept() -> None:
    frame = wire.pack({}, np.zeros(1000))
    stream, frames = frame * 1000 + frame[:5], wire.Frames()
    step = len(frame) * 3 // 2
    for start in range(0, len(stream), step):
        frames.feed(stream[start : start + step])
        while frames.next() is not None:
            pass
        assert len(frames._data) <= 4 * step


# --- large arrays, whose contents are not copied on the way ---


BIG = np.arange(1 << 14, dtype=np.float64)  # twice as large as what is copied
LARGE = {
    "as it is": BIG,
    "of bytes": np.arange(1 << 17, dtype=np.uint8),
    "of complex numbers": BIG.astype(np.complex64),
    "in two dimensions": BIG.reshape(64, -1),
    "in Fortran order": np.asfortranarray(BIG.reshape(64, -1)),
    "big-endian": BIG.astype(">f8"),
    "reversed": BIG[::-1],
    "strided": np.arange(1 << 15, dtype=np.float64)[::2],
    "read-only": np.broadcast_to(BIG, (2, 1 << 14)),
    "of booleans": BIG > 99,
    "of many booleans": np.arange(1 << 17) % 3 == 0,
    "of booleans that are other bytes": (np.arange(1 << 17) % 5).astype(np.uint8).view(bool),
    "of one byte over the bound": np.zeros(wire.LARGE_BYTES + 1, np.int8),
    "of one byte below the bound": np.zeros(wire.LARGE_BYTES - 1, np.int8),
    "several": [BIG, np.zeros(3), BIG + 1, BIG[:5], b"x", "\ud83d\ude00", BIG + 2],
    "after an odd number of bytes": (b"abc", BIG, np.zeros(3, np.int8), BIG + 1),
    "small ones that are large together": [np.arange(1000.0) + n for n in range(20)],
    "bytes": bytes(1 << 17),
    "in a record": Point(BIG, Plan("x", [BIG])),
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("step", [1 << 30, 4093])
def test_large_arrays_arrive_as_they_were_between_other_frames(name: str, step: int) -> None:
    sent = [1, LARGE[name], "between", LARGE[name], None]
    stream = b"".join(wire.pack({}, value) for value in sent)
    frames, found = wire.Frames(), []
    for start in range(0, len(stream), step):
        frames.feed(stream[start : start + step])
        while (frame := frames.next()) is not None:
            found.append(wire.decode(frame[1], frame[2]))
    assert not frames.pending
    want = [crossed_bools(value) for value in sent]
    assert alike(found, want)


def crossed_bools(value: Any) -> Any:
    """Booleans that are other bytes arrive as 0 and 1."""
    is_bool = isinstance(value, np.ndarray) and value.dtype == bool
    return value.view(np.uint8) != 0 if is_bool else value


@pytest.mark.parametrize("name", LARGE)
def test_large_arrays_go_through_a_socket(name: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as sender:
        for _ in range(2):
            pieces = wire.pieces({"n": 1}, *wire.encode(LARGE[name]))
            done = sender.submit(lambda pieces=pieces: [theirs.sendall(piece) for piece in pieces])
            frames = wire.Frames()
            while (frame := frames.next()) is None:
                assert frames.receive(ours) > 0
            done.result()
            assert frame[0] == {"n": 1}
            assert alike(wire.decode(frame[1], frame[2]), crossed_bools(LARGE[name]))


def test_arrays_of_one_frame_share_no_memory_with_each_other_or_the_sender() -> None:
    sent = [BIG.copy(), BIG.copy(), np.zeros(3)]
    got = crossed(sent)
    for array in got:
        array[:] = -1
        assert all((other == -1).all() or not np.shares_memory(array, other) for other in got)
    assert np.array_equal(sent[0], BIG) and np.array_equal(sent[1], BIG)


def test_a_large_frame_that_breaks_off_is_not_whole() -> None:
    data = wire.pack({}, BIG)
    for cut in (1, 1000, len(data) - 20, len(data) - 100):
        with pytest.raises(WireError):
            wire.unpack(data[:-cut])
    with pytest.raises(WireError):
        wire.unpack(data + b"x")


def test_a_large_frame_that_is_announced_takes_no_memory_before_it_arrives() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = []
    for _ in range(20):
        frames = wire.Frames()
        frames.feed(framed("null", b"", size=(1 << 29) - 100))
        assert frames.next() is None and frames.pending
        kept.append(frames)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # in kB


def test_memory_that_cannot_be_had_for_a_frame_is_its_senders_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_left(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", nothing_left)
    frames = wire.Frames()
    frames.feed(framed("null", b"", size=1 << 20))
    with pytest.raises(WireError, match="no memory"):
        frames.next()


@pytest.mark.parametrize(
    "make", [lambda inner: [inner], lambda inner: (inner,), lambda inner: {0: inner}, lambda inner: Point(0, inner)]
)
def test_both_ends_agree_on_how_deep_is_too_deep(make: Callable[[Any], Any]) -> None:
    value: Any = 0
    for _ in range(wire.MAX_DEPTH):
        value = make(value)
    assert alike(crossed(value), value)
    with pytest.raises(Unsupported, match="nested too deeply"):
        wire.encode(make(value))


class Shade(enum.IntEnum):
    DARK = 3


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingFloat(float):
    def __sub__(self, other: float) -> float:
        return 0.0


class LyingText(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingList(list[Any]):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class LyingArray(np.ndarray[Any, Any]):
    def __eq__(self, other: object) -> Any:
        return np.ones(self.shape, dtype=bool)

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (LyingInt(3), 3),
        (Shade.DARK, 3),
        (LyingFloat(2.5), 2.5),
        (LyingText("a"), "a"),
        (LyingList([1, LyingInt(2)]), [1, 2]),
        (np.zeros(2).view(LyingArray), np.zeros(2)),
        (OrderedDict(a=1), {"a": 1}),
        (np.str_("a"), "a"),
        (np.bytes_(b"a"), b"a"),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"ab"), b"ab"),
        (np.array([0, 2, 255], np.uint8).view(bool), np.array([False, True, True])),
        (np.ma.masked_array([1.0, 2.0], [True, False]), np.array([1.0, 2.0])),
    ],
)
def test_what_only_looks_plain_arrives_plain(value: Any, arrives: Any) -> None:
    assert alike(crossed(value), arrives)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({1, 2}, "a set"),
        ((n for n in "ab"), "a generator"),
        (object(), "an object"),
        (len, "a builtin_function_or_method"),
        (np.array([object()]), "an array of dtype object"),
        (np.array(["a"]), "an array of dtype <U1"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "an array of dtype datetime64"),
        (np.zeros(1, dtype=[("a", "f8")]), "an array of dtype"),
        (np.longdouble(1), "a numpy"),
        (np.empty((0, 1 << 40)), "an array of shape"),
        pytest.param(1 << 16384, "an int of 16385 bits", id="a long int"),
        ([[{"a": (range(3),)}]], "a range"),
        ([0] * ((1 << 20) + 1), "more than 1,048,576 values"),
        (Point, "a type"),
        (Plan, "a type"),
    ],
)
def test_what_is_not_plain_data_is_refused_by_name(value: Any, named: str) -> None:
    with pytest.raises(Unsupported, match=named):
        wire.pack({}, value)


def test_too_large_an_array_is_refused_before_it_is_sent() -> None:
    with pytest.raises(Unsupported, match="MB, which is too large to send"):
        wire.frame({}, None, [bytes(1 << 28), bytes(1 << 28)])


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(Unsupported, match="nested too deeply"):
        wire.encode(endless)


# --- records ---


def test_a_record_is_a_tuple_with_names() -> None:
    record = crossed(Point(1, [2.0]))
    assert record == (1, [2.0]) and (record.x, record.y) == (1, [2.0])
    assert repr(record) == "Point(x=1, y=[2.0])"
    with pytest.raises(AttributeError, match="Point has no field 'z'; it has x, y"):
        _ = record.z


def test_fields_named_like_methods_of_a_tuple_are_found() -> None:
    bucket = namedtuple("bucket", "count index")
    record = crossed(bucket(5, [1]))
    assert (record.count, record.index) == (5, [1])


def test_a_copied_record_is_the_same_record() -> None:
    record = crossed(Plan("a", [1]))
    twin = copy.deepcopy(record)
    assert twin == record and twin.steps is not record.steps and repr(twin) == repr(record)


def test_records_are_built_by_whoever_decodes() -> None:
    encoded, buffers = wire.encode([Point(1, 2)])
    built = wire.decode(encoded, b"".join(buffers), record=lambda name, fields, values: (name, fields, values))
    assert built == [("Point", ["x", "y"], [1, 2])]


# --- functions ---


def test_functions_cross_as_numbers_where_they_are_collected() -> None:
    functions: list[Callable[..., Any]] = []
    encoded, _ = wire.encode([len, {"f": max}], functions)
    assert functions == [len, max]
    assert wire.decode(encoded, function=["first", "second"].__getitem__) == ["first", {"f": "second"}]
    with pytest.raises(WireError, match="a function where only data may stand"):
        wire.decode(encoded)


def test_texts_stand_for_functions_in_arguments_that_go_back() -> None:
    arguments = ([len, 1], {"f": (max, "x")})
    assert wire.without_functions(arguments) == (["a function", 1], {"f": ("a function", "x")})


# --- sizes ---


@pytest.mark.parametrize(
    ("value", "elements", "nbytes"),
    [
        (None, 0, 0),
        (3, 1, 8),
        (1 << 70, 1, 8),
        (True, 1, 8),
        (2j, 1, 16),
        (np.float32(1), 1, 4),
        (np.zeros((3, 4), np.float16), 12, 24),
        (np.zeros((0, 4)), 0, 0),
        ([1, 2.5, [3]], 3, 24),
        ((np.zeros(3), None), 3, 24),
        ({1: np.zeros(2)}, 3, 24),
        (Point(1, np.zeros(2)), 3, 24),
        (b"abc", 3, 3),
        ("", 0, 0),
        ("fwd", 1, 3),
        ("12345678,", 2, 9),
        ("\ud83d\ude00", 1, 6),
    ],
)
def test_elements_and_bytes_are_counted(value: Any, elements: int, nbytes: int) -> None:
    assert wire.measure(wire.encode(value)[0]) == (elements, nbytes)


@quick
@given(values)
def test_every_value_can_be_measured(value: Any) -> None:
    elements, nbytes = wire.measure(wire.encode(value)[0])
    assert elements >= 0 and nbytes >= 0


# --- hostile frames ---


def framed(encoded: str, buffers: bytes = b"", *, header_size: int | None = None, size: int | None = None) -> bytes:
    """A frame around a value that is JSON text, perhaps with a prefix that lies."""
    header = f"[{{}},{encoded}]".encode()
    prefix = PREFIX.pack(len(header) if header_size is None else header_size, len(buffers) if size is None else size)
    return prefix + header + buffers


@contextmanager
def modestly(megabytes: float = 64, seconds: float = 5) -> Iterator[None]:
    """Whatever happens here takes little memory and little CPU time."""
    tracemalloc.start()
    began = time.process_time()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < seconds
    assert peak < megabytes * 1e6


ONE_HASH = ",".join(f"[{n * ((1 << 61) - 1)},0]" for n in range(20_000))
HOSTILE = {
    "nothing": b"",
    "surplus bytes": wire.pack({}, 1) + b"x",
    "a second frame": wire.pack({}, 1) * 2,
    "a truncated frame": wire.pack({}, [1, 2, 3])[:-1],
    "a truncated prefix": wire.pack({}, 1)[:7],
    "a header of 2 GB": framed("1", header_size=1 << 31),
    "a header of 4 GB": framed("1", header_size=(1 << 32) - 1),
    "buffers of 2 GB": framed("1", size=1 << 31),
    "buffers of 2**64 bytes": framed("1", size=(1 << 64) - 1),
    "buffers that nobody names": framed("1", b"12345678"),
    "depth 100,000": framed("[" * 100_000 + "]" * 100_000),
    "objects of depth 100,000": framed('{"t":[' * 100_000 + "]}" * 100_000),
    "depth 61": framed('{"t":[' * 62 + "]}" * 62),
    "a million lists": framed("[" + "[]," * (1 << 20) + "[]]"),
    "a million and more numbers": framed("[" + "0," * (1 << 21) + "0]"),
    "a negative dimension": framed('{"a":["float64",[-1]]}'),
    "two negative dimensions": framed('{"a":["float64",[-2,-2]]}', bytes(32)),
    "a dimension that is no number": framed('{"a":["float64",["3"]]}', bytes(24)),
    "a dimension that is true": framed('{"a":["float64",[true]]}', bytes(8)),
    "a dimension that is NaN": framed('{"a":["float64",[NaN]]}'),
    "a dimension that is a float": framed('{"a":["float64",[1.0]]}', bytes(8)),
    "an infinite dimension": framed('{"a":["float64",[Infinity]]}'),
    "dimensions of 2**60": framed('{"a":["float64",[1073741824,1073741824]]}'),
    "an empty array of immense shape": framed('{{"a":["float64",[0,{}]]}}'.format(",".join(["536870912"] * 20))),
    "too many dimensions": framed('{{"a":["float64",[{}]]}}'.format(",".join(["1"] * 33)), bytes(8)),
    "an array of less than its shape": framed('{"a":["float64",[3]]}', bytes(16)),
    "an array of more than its shape": framed('{"a":["float64",[1]]}', bytes(16)),
    "two arrays of one buffer": framed('[{"a":["float64",[1]]},{"a":["float64",[1]]}]', bytes(8)),
    "dtype object": framed('{"a":["object",[1]]}', bytes(8)),
    "dtype O": framed('{"a":["O",[1]]}', bytes(8)),
    "a dtype of 2 GB": framed('{"a":["V2147483647",[1]]}', bytes(8)),
    "a dtype that is a list": framed('{"a":[["f8","f8"],[1]]}', bytes(8)),
    "a structured dtype": framed('{"a":["f8,f8",[1]]}', bytes(16)),
    "booleans that are neither": framed('{"a":["bool",[2]]}', b"\1\2"),
    "an int of 5,000 digits": framed("1" * 5000),
    "an int of 5,000 hexadecimal digits": framed('{"i":"%s"}' % ("f" * 5000)),
    "an int that is none": framed('{"i":"xyz"}'),
    "an int that is a number": framed('{"i":5}'),
    "a length that is NaN": framed('{"b":NaN}'),
    "a length that is negative": framed('{"b":-1}'),
    "a length of 2**70": framed('{"b":1180591620717411303424}'),
    "bytes beyond the frame": framed('{"b":9}', b"12345678"),
    "text beyond the frame": framed('{"u":9}', b"12345678"),
    "text that is none": framed('{"u":2}', b"\xff\xff"),
    "a scalar out of range": framed('{"s":["int8",300]}'),
    "a scalar of text": framed('{"s":["float64","1.0"]}'),
    "a scalar of another kind": framed('{"s":["int64",2.5]}'),
    "a complex scalar that is real": framed('{"s":["float64",[1.0,2.0]]}'),
    "a scalar of dtype object": framed('{"s":["object",1]}'),
    "a scalar too large for a float": framed('{"s":["float64",1%s]}' % ("0" * 400)),
    "a complex number of one part": framed('{"c":[1.0]}'),
    "a complex number of text": framed('{"c":["1","2"]}'),
    "a complex number too large": framed('{"c":[1%s,0]}' % ("0" * 400)),
    "a dict of lists as keys": framed('{"d":[[[1],2]]}'),
    "a dict of arrays as keys": framed('{"d":[[{"a":["float64",[1]]},2]]}', bytes(8)),
    "a dict of single things": framed('{"d":[[1]]}'),
    "a dict of text": framed('{"d":["ab"]}'),
    "a dict that is an object": framed('{"d":{}}'),
    "a dict of 20,000 keys with one hash": framed(f'{{"d":[{ONE_HASH}]}}'),
    "a tuple of no list": framed('{"t":"ab"}'),
    "a record of too few values": framed('{"r":["P",["x","y"],[1]]}'),
    "a record without a name": framed('{"r":[1,["x"],[1]]}'),
    "a record with a field that is a number": framed('{"r":["P",[1],[1]]}'),
    "a record whose fields are text": framed('{"r":["P","ab",[1,2]]}'),
    "a function": framed('{"f":0}'),
    "an unknown tag": framed('{"pickle":"gASVAAAA"}'),
    "no tag": framed("{}"),
    "two tags": framed('{"t":[],"d":[]}'),
    "no JSON": PREFIX.pack(3, 0) + b"abc",
    "no text": PREFIX.pack(3, 0) + b"\xff\xfe\xfd",
    "JSON and more": PREFIX.pack(8, 0) + b"[{},1]  ",
    "JSON of another form": PREFIX.pack(2, 0) + b"[]",
    "an envelope that is a list": PREFIX.pack(6, 0) + b"[[],1]",
    "three parts": PREFIX.pack(8, 0) + b"[{},1,2]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_frame_is_refused_in_little_time_and_space(name: str) -> None:
    with modestly(), pytest.raises(WireError):
        wire.unpack(HOSTILE[name])


def test_a_huge_length_is_refused_before_the_rest_arrives() -> None:
    for prefix in (PREFIX.pack((1 << 25) + 1, 0), PREFIX.pack(10, 1 << 29), PREFIX.pack(0, (1 << 64) - 1)):
        frames = wire.Frames()
        frames.feed(prefix)
        with pytest.raises(WireError, match="a frame of"):
            frames.next()


def test_a_pickle_is_only_bytes() -> None:
    payload = b"cos\nsystem\n(S'true'\ntR."
    assert crossed(payload) == payload


@st.composite
def mutated_frames(draw: st.DrawFn) -> bytes:
    """Valid frames in which bytes are changed, put in, or left out."""
    data = bytearray(wire.pack({"id": "ab", "is": "returned"}, draw(values)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        kind = draw(st.sampled_from(["change", "insert", "cut", "repeat"]))
        if kind == "change" and data:
            data[place] = draw(st.integers(0, 255))
        elif kind == "insert":
            data[place:place] = draw(
                st.binary(max_size=4) | st.sampled_from([b"-", b"9", b"[", b"{", b'"', b",", b"e9"])
            )
        elif kind == "cut":
            del data[place : place + draw(st.integers(1, 12))]
        else:
            data[place:place] = data[place : place + 12]
    if draw(st.booleans()) and len(data) > PREFIX.size:  # a prefix that fits again, so that the rest is looked at
        header = data.rfind(b"]") + 1 - PREFIX.size
        if header > 0:
            data[: PREFIX.size] = PREFIX.pack(header, len(data) - PREFIX.size - header)
    return bytes(data)


@settings(deadline=None, max_examples=300)
@given(mutated_frames())
def test_a_mutated_frame_is_a_value_or_refused(data: bytes) -> None:
    try:
        _, value = wire.unpack(data)
    except WireError:
        return
    wire.measure(wire.encode(value)[0])  # whatever it is, it is plain data


odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats()
    | st.sampled_from([1 << 70, "", "float64", "object", "0x1f"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*"tdbucrsaifz"]), inner, max_size=2),
    max_leaves=6,
)


@settings(deadline=None, max_examples=300)
@given(odd, st.binary(max_size=24))
@example({"s": ["complex64", [1e300, 0]]}, b"")
@example({"r": ["P", "ab", [1, 2]]}, b"")
def test_json_of_any_form_is_a_value_or_refused(encoded: Any, buffers: bytes) -> None:
    try:
        value = wire.decode(encoded, buffers)
    except WireError:
        return
    wire.encode(value)
    wire.measure(encoded)


@pytest.mark.sweep
@settings(deadline=None, max_examples=3_000)
@given(mutated_frames())
def test_many_mutated_frames_are_values_or_refused(data: bytes) -> None:
    try:
        _, value = wire.unpack(data)
    except WireError:
        return
    wire.measure(wire.encode(value)[0])


@pytest.mark.sweep
@settings(deadline=None, max_examples=3_000)
@given(values)
def test_a_great_many_values_arrive_as_they_were(value: Any) -> None:
    assert alike(crossed(value), value)
