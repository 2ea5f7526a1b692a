"""One settings object for hypothesis, so that the same submission gets the same grade, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.internal.conjecture import providers


def deterministic(max_examples: int) -> settings:
    """Settings whose draws depend on the check alone: not on time, on a database, or on earlier runs."""
    return settings(
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
    )


def draw_no_constants_from_modules() -> None:
    """Keep hypothesis from collecting constants of the modules that happen to be loaded.

    It draws from them, so that importing one more local module would change what is drawn. There is no setting for
    it; ``tests/test_determinism.py`` fails if a new version of hypothesis ignores this.
    """
    nothing = providers.Constants()  # type: ignore[attr-defined]
    providers._get_local_constants = lambda: nothing


@contextmanager
def seeded(tests: Sequence[Callable[..., Any]], seed: int) -> Iterator[None]:
    """Have checks draw from another seed meanwhile (``--hypothesis-seed`` has no effect beside ``derandomize``)."""
    changed = [vars(test) for test in tests if hasattr(test, "hypothesis")]
    before = [dict(each) for each in changed]
    for test in tests:
        if hasattr(test, "hypothesis"):
            hypothesis.seed(seed)(test)  # which marks the test itself
    try:
        yield
    finally:
        for attributes, known in zip(changed, before, strict=True):
            attributes.clear()
            attributes.update(known)
