"""One settings object for hypothesis, so that the same submission gets the same grade, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
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


def seeded(test: Callable[..., Any], seed: int) -> Callable[..., Any]:
    """The check with draws of another seed (``--hypothesis-seed`` has no effect beside ``derandomize``)."""
    return hypothesis.seed(seed)(test)
