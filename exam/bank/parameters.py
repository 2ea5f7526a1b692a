"""An item's parameters: drawn in order, until every condition of the item holds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from exam.bank import numbers
from exam.bank.draws import Draws
from exam.bank.expressions import evaluate, is_expression
from exam.bank.model import Item, Parameter
from exam.bank.subject import Names

TRIES = 1000
FIGURES = 3


def drawn(item: Item, draws: Draws, names: Names) -> dict[str, Any]:
    """Values of the parameters that fulfil the item's conditions.

    Raises:
        ValueError: If none was found.
    """
    for _ in range(TRIES):
        values: dict[str, Any] = {}
        for name, parameter in item.parameters.items():
            values[name] = _draw(parameter, draws, {**names, **values})
        if all(evaluate(condition, {**names, **values}) for condition in item.where):
            return values
        if not item.parameters:
            break
    raise ValueError(f"no draw fulfils {' and '.join(item.where)}, in {TRIES} tries")


def _draw(parameter: Parameter, draws: Draws, names: Names) -> Any:
    if parameter.choice is not None:
        return draws.choice(parameter.choice)
    if parameter.integer is not None:
        low, high = parameter.integer
        step = parameter.step or 1
        return low + step * draws.below((high - low) // step + 1)
    figures = parameter.figures or FIGURES
    if parameter.real is not None:
        return _number(draws.real(*_pair(parameter.real), figures))
    if parameter.log is not None:
        return _number(draws.log(*_pair(parameter.log), figures))
    return evaluate(parameter.value, names) if is_expression(parameter.value) else parameter.value  # type: ignore[arg-type]


def _pair(bounds: tuple[float, float]) -> tuple[Decimal, Decimal]:
    return numbers.decimal(bounds[0]), numbers.decimal(bounds[1])


def _number(value: Decimal) -> int | float:
    """An int where it is one: "8" reads better than "8.0"."""
    return int(value) if value == value.to_integral_value() else float(value)


def shown(value: Any) -> str:
    """A parameter's value for authors."""
    return str(value)
