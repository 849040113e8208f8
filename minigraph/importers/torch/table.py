"""The table of ``from_torch``: ATen operators, and torch's control flow, by name."""

from __future__ import annotations

import operator
from typing import Any

from minigraph import ops
from minigraph.core.aliases import Function, PyTree
from minigraph.importers.operator_table import OperatorTable
from minigraph.importers.torch import arithmetic, matrices, networks, selections, signals


def scan(
    init: tuple[object, ...], xs: tuple[object, ...], additional: tuple[object, ...] = (), *, body0: Function
) -> PyTree:
    """torch's ``scan``: the last carried values, then the stacked results of all iterations."""

    def step(carried: tuple[object, ...], x: tuple[object, ...]) -> tuple[object, object]:
        results = body0(*carried, *x, *additional)
        return results[: len(init)], results[len(init) :]

    carried, stacked = ops.scan(step, init, xs)
    return *carried, *stacked


def with_effects(token: object, effect: Any, *args: object, **attrs: object) -> PyTree:
    """torch's ``with_effects``: an ordered token, then the results of an operator such as a check."""
    return token, ATEN.converter(effect._schema.name.removeprefix("aten::"), 0, "with_effects")(*args, **attrs)


CONTROL_FLOW: dict[str, Function] = {  # ``body0`` is the graph that torch passes as argument 0
    "cond": lambda condition, operands=(), *, body1, body2: ops.cond(condition, body1, body2, *operands),
    "while_loop": lambda carried, additional=(), *, body0, body1: ops.while_loop(
        lambda values: body0(*values, *additional)[0], lambda values: body1(*values, *additional), carried
    ),
    "scan": scan,
    "with_effects": with_effects,
    "wrap_with_set_grad_enabled": lambda enabled, *args, body1: body1(*args),
}
SYM_INT_OPERATORS = "add sub mul floordiv mod neg eq ne lt le gt ge"  # Python's, on symbolic sizes (torch.SymInt)
ATEN = OperatorTable("ATen", {
    **arithmetic.CONVERTERS, **matrices.CONVERTERS, **networks.CONVERTERS, **selections.CONVERTERS, **signals.CONVERTERS
})  # fmt: skip
NON_ATEN = OperatorTable("torch", CONTROL_FLOW | {name: getattr(operator, name) for name in SYM_INT_OPERATORS.split()})
