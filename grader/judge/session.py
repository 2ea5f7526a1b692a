"""Running checks under pytest: collection, fixtures and parameters are pytest's; what a check means is ours.

What pytest has collected is kept: whoever grades many submissions in one process collects once for each set of files.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import pytest

from grader.judge.checks import CheckFacts
from grader.judge.proxies import Proxy

QUIET = (
    *("terminal", "cacheprovider", "junitxml", "doctest", "faulthandler", "pastebin"),
    *("unittest", "logging", "recwarn"),
)


class Runner(Protocol):
    """Runs one check that pytest has collected."""

    def wants(self, facts: CheckFacts) -> bool:
        """Whether this check is to run."""

    def run(self, test: Callable[..., None], facts: CheckFacts, visibility: str, fixtures: dict[str, Any]) -> None:
        """Run it; never raises for what a submission does."""


class Collected(NamedTuple):
    """A check as pytest has collected it."""

    test: Callable[..., None]
    visibility: str
    fixtures: tuple[str, ...]

    @property
    def facts(self) -> CheckFacts:
        """What it declares."""
        facts: CheckFacts = self.test.__check__  # type: ignore[attr-defined]
        return facts


class Plugin:
    """The judge's part in a pytest run.

    Attributes:
        fixtures: What checks may ask for, a plugin too.
        errors: What went wrong in collecting, which is our fault and never a pass.
        collected: All checks of the files, also those that are not wanted now.
    """

    def __init__(self, runner: Runner, student: Proxy, reference: Proxy | None) -> None:
        """Run collected checks with ``runner``."""
        self._runner, self._values = runner, {"student": student, "reference": reference}
        self.errors: list[str] = []
        self.collected: list[Collected] = []
        self.fixtures = _fixtures(student, reference)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the checks that are wanted."""
        items[:] = [item for item in items if self._is_wanted(item)]

    def _is_wanted(self, item: pytest.Item) -> bool:
        if not isinstance(item, pytest.Function) or not hasattr(item.obj, "__check__"):
            self.errors.append(f"{item.nodeid}: a test that is not a check")
            return False
        found = _collected(item)
        self.collected.append(found)
        return self._runner.wants(found.facts)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        """Run a check."""
        found = _collected(pyfuncitem)
        fixtures = {name: pyfuncitem.funcargs[name] for name in found.fixtures}
        self._runner.run(found.test, found.facts, found.visibility, fixtures)
        return True

    def run_again(self, collected: Sequence[Collected]) -> None:
        """Run checks that were collected for an earlier submission."""
        for each in collected:
            if self._runner.wants(each.facts):
                self._runner.run(
                    each.test, each.facts, each.visibility, {name: self._values[name] for name in each.fixtures}
                )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected."""
        if report.failed:
            self.errors.append(f"{report.nodeid}: {report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure outside of any check, such as a fixture's."""
        if report.failed:
            self.errors.append(f"{report.nodeid}: {report.longreprtext}")


def _collected(item: pytest.Function) -> Collected:
    return Collected(item.obj, item.path.parent.name, tuple(item._fixtureinfo.argnames))


def _fixtures(student: Proxy, reference: Proxy | None) -> ModuleType:
    """The fixtures, as a module's functions: an object's methods can't be fixtures of a session."""

    @pytest.fixture(scope="session", name="student")
    def give_student() -> Proxy:
        return student

    @pytest.fixture(scope="session", name="reference")
    def give_reference() -> Proxy:
        if reference is None:
            raise RuntimeError("a public check must not need the reference solution")
        return reference

    module = ModuleType("fixtures of the judge")
    vars(module).update(student=give_student, reference=give_reference)
    return module


def run_checks(files: Sequence[Path], plugin: Plugin) -> list[str]:
    """Collect and run the checks in these files; returns what went wrong on our side.

    Nothing of the surroundings has a say: no conftest.py, no ini file, no plugin that happens to be installed, no
    environment variable, no cache.
    """
    place = tuple((str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files)
    if place in _known:
        with _clean_environment(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plugin.run_again(_known[place])
        return plugin.errors
    arguments = ["--import-mode=importlib", "--noconftest", "--assert=plain", "--capture=no", "-W", "ignore"]
    arguments += [part for name in QUIET for part in ("-p", f"no:{name}")]
    said = io.StringIO()
    with _clean_environment(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        places = ["-c", os.devnull, "--rootdir", str(files[0].parents[2]), *map(str, files)]
        code = pytest.main([*arguments, *places], plugins=[plugin, plugin.fixtures])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        plugin.errors.append(f"pytest ended with {pytest.ExitCode(code).name}: {said.getvalue()[-1000:]}")
    if not plugin.errors:
        _known[place] = plugin.collected
    return plugin.errors


_known: dict[tuple[tuple[str, str], ...], list[Collected]] = {}


@contextlib.contextmanager
def _clean_environment() -> Any:
    """No pytest or hypothesis settings from outside, no bytecode beside the checks."""
    kept = dict(os.environ)
    bytecode = sys.dont_write_bytecode
    for name in list(os.environ):
        if name.startswith(("PYTEST", "HYPOTHESIS")):
            del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)
        sys.dont_write_bytecode = bytecode
