"""A call's arguments by name, and calls with other arguments in their place."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

from grader.judge.calls import Call
from grader.judge.variations import Arguments
from grader.worker.threads import rank_arguments


def by_name(call: Call, parameters: Sequence[inspect.Parameter]) -> Arguments:
    """A call's arguments by name; on ranks those that all ranks share."""
    names = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    return {**dict(zip(names[own_parameters(call) :], call.positional, strict=False)), **call.keywords}


def own_parameters(call: Call) -> int:
    """How many parameters come before the shared ones: the communicator and a rank's own."""
    return 0 if call.per_rank is None else 1 + len(rank_arguments(call.per_rank[0]))


def rebuilt(call: Call, arguments: Arguments, parameters: Sequence[inspect.Parameter]) -> Call:
    """The call with other arguments, by position as far as that goes."""
    left = dict(arguments)
    positional: list[Any] = []
    for each in parameters[own_parameters(call) :]:
        if each.kind is each.KEYWORD_ONLY or each.name not in left:
            break
        positional.append(left.pop(each.name))
    return dataclasses.replace(call, positional=tuple(positional), keywords=left)
