"""Options of the test suite: long sweeps run only when asked for."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sweep", action="store_true", help="run the long sweeps too (CI does)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--sweep"):
        return
    left_out = pytest.mark.skip(reason="a long sweep: pytest --sweep runs it")
    for item in items:
        if "sweep" in item.keywords:
            item.add_marker(left_out)
