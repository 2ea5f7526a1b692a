"""One submission in its workers: what comes back of calls that work, fail, hang, die, or lie."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import grader.judge.bench
from grader.judge import link
from grader.judge.bench import Bench, Source, describe_end
from grader.judge.calls import Answer, Call
from grader.judge.launch import launcher
from grader.judge.limits import Limits
from grader.judge.workers import Started
from grader.worker import wire
from grader.worker.capture import CAP_BYTES
from tests.support import bench

SUBMISSION = '''
import ctypes, dataclasses, os, sys, threading, time, warnings
from typing import NamedTuple

class Point(NamedTuple):
    x: float
    y: float

@dataclasses.dataclass
class Plan:
    steps: list

class Counter:
    def __init__(self, start, *, step=1):
        if step == 0:
            raise ValueError("step")
        self.value, self.step = start, step
    def add(self, times=1):
        self.value += times * self.step
        return self.value
    def fail(self):
        self.value = -1
        raise KeyError("fail")
    def itself(self):
        return self

calls = 0

def count():
    global calls
    calls += 1
    return calls

def pid():
    return os.getpid()

def add(x, y, *, scale=1):
    return (x + y) * scale

def swap(point):
    return type(point).__name__, Point(point.y, point.x), Plan([1])

def nothing():
    pass

def raises(kind):
    if kind == "value":
        raise ValueError("text")
    if kind == "deep":
        return raises(kind)
    if kind == "exit":
        sys.exit(0)
    if kind == "mute":
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError
        raise Mute
    if kind == "interrupt":
        raise KeyboardInterrupt
    if kind == "skip":
        import unittest
        raise unittest.SkipTest("skip me")
    if kind == "input":
        input()
    if kind == "undefined":
        return undefined_name

def dies(how):
    if how == "exit":
        os._exit(3)
    if how == "zero":
        os._exit(0)
    if how == "segfault":
        ctypes.string_at(0)

def dies_later():
    threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0)), daemon=True).start()
    return "right"

def hangs(how, f=None):
    if how == "loops":
        while True:
            pass
    if how == "catches all":
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    if how == "in numpy":
        while True:
            np.linalg.svd(np.ones((500, 500)))
    if how == "sleeps":
        time.sleep(60)
    if how == "naps":
        while True:
            time.sleep(0.02)
    if how == "asks":
        while True:
            f(1)
    if how == "trickles":  # a frame of 1 MB, a byte at a time
        channel = worker().channel
        channel._socket.sendall(b"\\0\\0\\x10\\0" + b"\\0" * 8)
        while True:
            channel._socket.sendall(b"[")
            time.sleep(0.02)

def takes(how):
    if how == "bytes":
        return len(bytearray(3 << 30))
    if how == "array":
        return np.ones(1 << 40).sum()
    if how == "list":
        grown = []
        while True:
            grown.append(bytes(1 << 24))

def returns(what):
    if what == "generator":
        return (n for n in range(3))
    if what == "set":
        return {"a": [{1}]}
    if what == "objects":
        return np.array([object()])
    if what == "too much":
        return [0] * (1 << 21)
    if what == "itself":
        endless = []
        endless.append(endless)
        return endless

def prints(what):
    if what == "much":
        for _ in range(500):
            print("x" * 10_000)
    elif what == "descriptor":
        os.write(1, b"hello"), os.write(2, b"hello")
    elif what == "closed":
        sys.stdout.close()
        print("still here")
    elif what == "both":
        print("out")
        print("err", file=sys.stderr)
        print("raw", file=sys.__stdout__)
    else:
        print(what, end="")
    return len(what)

def warns():
    warnings.warn("careful")
    with np.errstate(all="warn"):
        return np.float64(1) / np.float64(0)

def changes(items, array, f):
    items.append(9)
    array += 1
    return "done"

def asks(f, x):
    return f(x), f(x, y=2)

def error_of(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)

def worker():
    import gc
    from grader.worker.serve import Worker
    return next(thing for thing in gc.get_objects() if isinstance(thing, Worker))

def forges(fields, value=None, raw=b""):
    """Sends a frame of its own making before the worker's reply."""
    me = worker()
    if fields is not None:
        me.channel.post(wire().pack({"id": me.request["id"], **fields}, value))
    me.channel._outgoing += raw
    me.channel.flush()
    time.sleep(0.03)
    return "real"

def forges_afterwards():
    me = worker()
    name = me.request["id"]
    def later():
        time.sleep(0.05)
        me.channel._socket.sendall(wire().pack({"id": name, "is": "returned"}, "surplus"))
    threading.Thread(target=later, daemon=True).start()
    return "real"

def wire():
    from grader.worker import wire
    return wire
'''

QUICK = {"cpu_seconds": 0.3, "idle_seconds": 0.6, "memory_bytes": 1 << 28}


class Point(NamedTuple):
    x: float
    y: float


@pytest.fixture(scope="module")
def subject() -> Iterator[Bench]:
    with bench(SUBMISSION, pool=False, **QUICK) as ready:
        yield ready


@pytest.fixture(scope="module")
def pooled() -> Iterator[Bench]:
    with bench(SUBMISSION, pool=True, **QUICK) as ready:
        yield ready


@pytest.fixture(params=["subject", "pooled"], ids=["zygote", "pool"])
def either(request: pytest.FixtureRequest) -> Bench:
    ready: Bench = request.getfixturevalue(request.param)
    return ready


def call(subject: Bench, name: str, *positional: Any, **keywords: Any) -> Answer:
    return subject.perform(Call(name, positional, keywords))


def serves(subject: Bench) -> bool:
    return call(subject, "add", 1, 2).value == 3


# --- loading ---


def test_a_submission_is_loaded_and_its_names_are_known(either: Bench) -> None:
    assert either.problem is None
    assert {"count", "Counter", "Point"} <= set(either.callables)
    assert "calls" not in either.callables


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        ("def f(:\n", "raised", "SyntaxError"),
        ("def f():\n\tif 1:\n        pass\n", "raised", "TabError"),
        ("1 / 0\n", "raised", "ZeroDivisionError"),
        ("import no_such_module_anywhere\n", "raised", "ModuleNotFoundError"),
        ("input()\n", "raised", "EOFError"),
        ("raise SystemExit(0)\n", "raised", "SystemExit"),
        ("import os\nos._exit(0)\n", "died", "the process ended itself with exit code 0"),
        ("import ctypes\nctypes.string_at(0)\n", "died", "the process was ended by a segmentation fault"),
        ("while True: pass\n", "timed_out", "0.2 s of computing"),
    ],
)
def test_a_submission_that_does_not_load_has_a_problem_and_no_calls(
    text: str, kind: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grader.judge.bench, "LOAD_CPU_SECONDS", 0.2)
    with bench(text) as subject:
        assert subject.problem is not None and subject.callables == []
        value = subject.problem.value
        assert (subject.problem.kind, value["type"] if kind == "raised" else value) == (kind, told)
        for again in (Call("f"), Call("f", per_rank=(1, 2))):
            answer = subject.perform(again)
            assert (answer.kind, answer.value) == (kind, value)


def test_a_syntax_error_has_line_column_and_text() -> None:
    with bench("x = 1\ny = (2\n") as subject:
        assert subject.problem is not None
        line, column, text = subject.problem.value["syntax"]
        assert (line, column, text) == (4, 5, "y = (2")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbfdef f():\n    return 'BOM'\n",
        b"# -*- coding: latin-1 -*-\ndef f():\n    return '\xe9'\n",
        b"\xff\xfe",
        b"\0",
    ],
)
def test_files_of_any_encoding_load_or_say_why(content: bytes) -> None:
    with bench(content) as subject:
        if b"def" in content:
            assert call(subject, "f").value in ("BOM", "é")
        elif content:
            assert subject.problem is not None and subject.problem.value["type"] == "SyntaxError"
        else:
            assert subject.problem is None and subject.callables == []
        assert call(subject, "g").kind == "raised"


@pytest.mark.parametrize("forged", ["{'callables': 5}", "{'callables': [1, None, 'f']}", "[]", "None"])
def test_a_forged_list_of_names_is_taken_for_what_it_is(forged: str) -> None:
    text = (
        "import gc\nfrom grader.worker.serve import Worker\nfrom grader.worker import wire\n"
        "me = next(t for t in gc.get_objects() if isinstance(t, Worker))\n"
        f"me.channel.post(wire.pack({{'id': me.request['id'], 'is': 'returned'}}, {forged}))\n"
        "me.channel.flush()\n"
        "import time; time.sleep(0.05)\n"
    )
    with bench(text) as subject:
        assert subject.callables in ([], ["f"])
        assert call(subject, "f").kind in ("forged", "raised")


def test_lines_of_a_source_are_found() -> None:
    source = Source("s.py", "\ufeffa = 1\n  b = 2\n".encode())
    assert [source.line(number) for number in (0, 1, 2, 3)] == ["", "a = 1", "b = 2", ""]
    assert len(source.sha256) == 64


# --- calls that work ---


def test_values_come_back_with_keywords_and_records(either: Bench) -> None:
    assert call(either, "add", 1, 2, scale=3).value == 9
    assert np.array_equal(call(either, "add", np.arange(3), 1.5).value, [1.5, 2.5, 3.5])
    name, swapped, plan = call(either, "swap", Point(1.0, 2.0)).value
    assert name == "Point" and (swapped.x, swapped.y) == (2.0, 1.0) and plan.steps == [1]
    assert call(either, "nothing").value is None


def test_state_is_kept_between_calls_and_lost_with_the_worker(either: Bench) -> None:
    either.renew()
    assert [call(either, "count").value for _ in range(3)] == [1, 2, 3]
    first = call(either, "pid").value
    either.renew()
    assert call(either, "count").value == 1
    assert call(either, "pid").value != first


def test_arguments_are_looked_back_at(subject: Bench) -> None:
    items, array = [1], np.zeros(2)
    answer = subject.perform(Call("changes", (items, array, len), look_back=True))
    assert answer.value == "done"
    (after_items, after_array, function), keywords = answer.arguments
    assert (after_items, function, keywords) == ([1, 9], "a function", {})
    assert np.array_equal(after_array, [1, 1])
    assert items == [1] and np.array_equal(array, [0, 0])


def test_a_sequence_gives_what_every_step_gave(subject: Bench) -> None:
    steps = (("add", (), {}), ("add", (2,), {}), ("fail", (), {}), ("add", (), {"times": 3}), ("step", (), {}))
    results = subject.perform(Call("Counter", (10,), {"step": 5}, steps=steps)).value
    assert [kind for kind, _ in results] == ["returned", "returned", "raised", "returned", "returned"]
    assert [results[index][1] for index in (0, 1, 3, 4)] == [15, 25, 14, 5]
    assert results[2][1]["type"] == "KeyError"


def test_a_sequence_that_cannot_begin_or_be_told_says_so(subject: Bench) -> None:
    answer = subject.perform(Call("Counter", (1,), {"step": 0}, steps=()))
    assert (answer.kind, answer.value["type"]) == ("raised", "ValueError")
    answer = subject.perform(Call("Counter", (1,), steps=(("itself", (), {}),)))
    assert (answer.kind, answer.value) == ("unsupported", "a Counter")


def test_functions_of_the_judge_are_asked(subject: Bench) -> None:
    asked: list[Any] = []

    def f(x: Any, y: int = 1) -> Any:
        asked.append((x, y))
        return x * y

    first, second = call(subject, "asks", f, np.arange(2)).value
    assert np.array_equal(first, [0, 1]) and np.array_equal(second, [0, 2])
    assert [y for _, y in asked] == [1, 2]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("no"), ("ValueError", "no")),
        (ZeroDivisionError("by zero"), ("ZeroDivisionError", "by zero")),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "bad"), ("CollectiveError", "UnicodeDecodeError: 'utf-8' codec")),
        (type("Own", (Exception,), {})("mine"), ("CollectiveError", "Own: mine")),
    ],
)
def test_errors_of_the_judges_functions_arrive_as_what_they_are(subject: Bench, error: Exception, told: Any) -> None:
    def f() -> None:
        raise error

    kind, text = call(subject, "error_of", f).value
    assert kind == told[0] and text.startswith(told[1])


def test_what_a_function_of_the_judge_may_not_return_is_an_error_in_the_worker(subject: Bench) -> None:
    assert call(subject, "error_of", lambda: {1, 2}).value == ("CollectiveError", "Unsupported: a set")


def test_warnings_are_no_errors(subject: Bench) -> None:
    answer = call(subject, "warns")
    assert answer.kind == "returned" and answer.value == np.inf


# --- calls that fail ---


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("value", "ValueError", "text"),
        ("exit", "SystemExit", "0"),
        ("mute", "Mute", "(its message could not be made: RuntimeError)"),
        ("interrupt", "KeyboardInterrupt", ""),
        ("skip", "SkipTest", "skip me"),
        ("input", "EOFError", "EOF when reading a line"),
        ("undefined", "NameError", "name 'undefined_name' is not defined"),
    ],
)
def test_exceptions_come_back_as_facts(subject: Bench, kind: str, name: str, text: str) -> None:
    answer = call(subject, "raises", kind)
    assert (answer.kind, answer.value["type"], answer.value["text"]) == ("raised", name, text)
    assert answer.value["bases"][0] == name and "BaseException" in answer.value["bases"]
    (line, function), *_ = answer.value["frames"]
    assert function == "raises" and subject.source.line(line)
    assert serves(subject)


def test_a_deep_recursion_has_few_frames(subject: Bench) -> None:
    answer = call(subject, "raises", "deep")
    assert answer.value["type"] == "RecursionError"
    assert 2 <= len(answer.value["frames"]) <= 12


def test_a_function_that_is_not_there_or_takes_other_arguments_raises(subject: Bench) -> None:
    assert call(subject, "no_such_function").value["type"] == "AttributeError"
    assert call(subject, "add", 1).value["type"] == "TypeError"
    assert call(subject, "add", z=1).value["type"] == "TypeError"


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("generator", "a generator"),
        ("set", "a set"),
        ("objects", "an array of dtype object"),
        ("too much", "more than 1,048,576 values in lists, which is what arrays are for"),
        ("itself", "a value that is nested too deeply"),
    ],
)
def test_results_that_are_no_data_are_named(subject: Bench, what: str, told: str) -> None:
    answer = call(subject, "returns", what)
    assert (answer.kind, answer.value) == ("unsupported", told)
    assert serves(subject)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("exit", "the process ended itself with exit code 3"),
        ("zero", "the process ended itself with exit code 0"),
        ("segfault", "the process was ended by a segmentation fault"),
    ],
)
def test_a_worker_that_dies_is_explained_and_replaced(either: Bench, how: str, told: str) -> None:
    answer = call(either, "dies", how)
    assert (answer.kind, answer.value) == ("died", told)
    assert serves(either)


def test_a_worker_that_dies_between_calls_is_no_error_of_ours(either: Bench) -> None:
    answer = call(either, "dies_later")
    assert answer.kind == "returned"
    time.sleep(0.3)
    for attempt in (Call("count"), Call("count", per_rank=(1,))):
        assert either.perform(attempt).kind in ("died", "raised", "returned")
    assert serves(either)


@pytest.mark.parametrize("how", ["bytes", "array", "list"])
def test_memory_is_limited(either: Bench, how: str) -> None:
    answer = call(either, "takes", how)
    assert answer.kind == "raised" and "MemoryError" in answer.value["bases"]
    assert serves(either)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("loops", "0.3 s of computing"),
        ("catches all", "0.3 s of computing"),
        ("in numpy", "0.3 s of computing"),
        ("sleeps", "0.6 s of waiting"),
        ("naps", "0.6 s of waiting"),
        ("trickles", "0.6 s of waiting"),
    ],
)
def test_a_call_that_does_not_end_is_ended(subject: Bench, how: str, told: str) -> None:
    began = time.monotonic()
    answer = call(subject, "hangs", how)
    assert (answer.kind, answer.value) == ("timed_out", told)
    assert time.monotonic() - began < 30
    assert serves(subject)


@pytest.mark.parametrize("how", ["loops", "sleeps"])
def test_a_call_that_does_not_end_is_ended_in_the_pool_too(pooled: Bench, how: str) -> None:
    assert call(pooled, "hangs", how).kind == "timed_out"
    assert serves(pooled)


def test_a_call_that_asks_for_ever_is_ended(subject: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "limits", Limits(cpu_seconds=0.1, idle_seconds=5.0))
    answer = call(subject, "hangs", "asks", lambda x: x)
    assert (answer.kind, answer.value) == ("timed_out", "0.1 s of computing")


def test_a_worker_that_takes_no_request_is_ended(subject: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped process is one that reads nothing."""
    monkeypatch.setattr(link, "SEND_SECONDS", 0.3)
    monkeypatch.setattr(subject, "limits", Limits(idle_seconds=0.3))
    call(subject, "forges", None)
    subject._links[0].request("call", (("sleeps",), {}), f="hangs", back=False)
    answer = call(subject, "add", np.zeros(1 << 22), 1)
    assert answer.kind == "timed_out" and "without reading" in answer.value
    assert serves(subject)


# --- what is printed ---


@pytest.mark.parametrize("text", ["", "hello\n", "\0\x1b[31m</testcase>", "\ud800", "ä\r\n"])
def test_what_is_printed_comes_back(subject: Bench, text: str) -> None:
    answer = call(subject, "prints", text)
    assert answer.value == len(text)
    assert answer.printed == (text.replace("\ud800", "\\ud800"),)
    assert call(subject, "nothing").printed == ("",)


def test_stderr_and_the_original_stdout_are_kept_too(subject: Bench) -> None:
    assert call(subject, "prints", "both").printed == ("out\nerr\nraw\n",)


def test_much_output_is_cut_and_says_so(either: Bench) -> None:
    (printed,) = call(either, "prints", "much").printed
    assert len(printed) < CAP_BYTES + 100
    assert printed.endswith("… cut: 5,000,500 bytes were printed")


def test_what_is_printed_before_an_exception_comes_back(subject: Bench) -> None:
    assert call(subject, "prints", 5).printed == ("5",)


@pytest.mark.parametrize("what", ["descriptor", "closed"])
def test_other_ways_to_print_harm_nothing(either: Bench, what: str) -> None:
    answer = call(either, "prints", what)
    assert answer.kind in ("returned", "raised")
    assert serves(either)


# --- lies ---


@pytest.mark.parametrize(
    ("fields", "raw"),
    [
        ({"is": "returned", "id": "0" * 16}, b""),
        ({"is": "returned", "id": None}, b""),
        ({"is": "shout"}, b""),
        ({"is": "send", "to": 0, "tag": 0, "in": "world"}, b""),
        ({"is": "ask", "f": 0}, b""),
        ({"is": "ask", "f": -1}, b""),
        ({"is": "ask", "f": 1e300}, b""),
        ({"is": "raised"}, b""),
        ({"is": "returned"}, b"surplus"),
        ({"is": "returned", "id": ["a"]}, b""),
        ({}, b""),
        (None, b"\xff" * 12),
        (None, b"\0" * 12),
        (None, b"\x10\0\0\0" + b"\0" * 8 + b"[" * 16),
        (None, b"\0\0\0\x70" + b"\xff" * 8),
    ],
)
def test_a_forged_frame_is_the_submissions_failure(subject: Bench, fields: Any, raw: bytes) -> None:
    answer = call(subject, "forges", fields, None, raw)
    assert answer.kind == "forged" and isinstance(answer.value, str)
    assert serves(subject)


def test_a_second_reply_fails(subject: Bench) -> None:
    answers = [call(subject, "forges", {"is": "returned"}, "first"), call(subject, "nothing")]
    assert "forged" in [answer.kind for answer in answers]
    assert serves(subject)


def test_a_reply_that_comes_later_fails_the_next_call(either: Bench) -> None:
    assert call(either, "forges_afterwards").value == "real"
    time.sleep(0.2)
    assert call(either, "nothing").kind == "forged"
    assert serves(either)


def test_a_reply_without_the_arguments_that_were_asked_for_is_forged(subject: Bench) -> None:
    for value in (5, (1, 2), (1, (2,)), None):
        answer = subject.perform(Call("forges", ({"is": "returned"}, value), look_back=True))
        assert answer.kind == "forged"
    assert serves(subject)


def test_facts_of_another_form_are_no_exception_of_any_type(subject: Bench) -> None:
    for value in ({}, {"type": 5, "bases": 7, "frames": 3}, {"bases": "ValueError"}):
        answer = call(subject, "forges", {"is": "raised"}, value)
        assert answer.kind in ("raised", "forged")
        assert not answer.raised(ValueError)
        subject.renew()


def test_forged_output_is_cut(subject: Bench) -> None:
    answer = call(subject, "forges", {"is": "returned", "out": "x" * (1 << 22)}, 1)
    assert sum(map(len, answer.printed)) < CAP_BYTES + 200
    subject.renew()


# --- the bench itself ---


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (0, "the process ended itself with exit code 0"),
        (7, "the process ended itself with exit code 7"),
        (-6, "the process was ended by an abort"),
        (-9, "the process was ended by a kill"),
        (-24, "the process was ended by using too much CPU time"),
        (-15, "the process was ended by signal 15"),
    ],
)
def test_ends_are_told_in_words(status: int, told: str) -> None:
    assert describe_end(status) == told


def test_two_benches_share_a_launcher_and_nothing_else() -> None:
    workers = launcher(Limits())
    try:
        one, other = (
            Bench(
                workers,
                Source("s.py", f"value = {value}\ndef f():\n    return value\n".encode()),
                collectives={},
                limits=Limits(),
            )
            for value in (1, 2)
        )
        assert [one.perform(Call("f")).value, other.perform(Call("f")).value, one.perform(Call("f")).value] == [1, 2, 1]
        one.renew()
        assert other.perform(Call("f")).value == 2
        other.renew()
    finally:
        workers.close()


def test_what_is_too_large_to_deliver_is_an_error_where_it_is_waited_for() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        one = link.Link(Started(0, ours, lambda: None))
        one.deliver([0] * (wire.MAX_VALUES + 1), b"")
        frames = wire.Frames()
        assert frames.receive(theirs) > 0
        frame = frames.next()
        assert frame is not None
        assert frame[0]["do"] == "error" and "more than 1,048,576 values" in frame[0]["text"]
