"""The seam ``function_of``: the accelerator may replace Tensor's operators by fast paths.

``minigraph.Tensor`` comes from here. Code that imports only ``minigraph.core.tensor`` has the plain methods, each one
call of ``apply``, until ``minigraph.Tensor`` or ``minigraph.ops`` is imported.
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.core.aliases import Function
from minigraph.core.seams import process_implementation
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor"]


def reference_function(call: Function, operator: str, kind: str) -> Function:
    """The reference implementation of the seam ``function_of``: the function unchanged."""
    return call


function_of = process_implementation("function_of", reference_function)

# methods that are one operator, by kind of call
OPERATORS: dict[str, dict[str, str]] = {
    "unary": {"__neg__": "neg", "__abs__": "abs"},
    "binary": {
        "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__floordiv__": "floor_div",
        "__mod__": "floor_mod", "__eq__": "equal", "__ne__": "not_equal", "__lt__": "less", "__le__": "less_equal",
        "__gt__": "greater", "__ge__": "greater_equal", "__matmul__": "matmul",
    },
    "reflected": {"__radd__": "add", "__rsub__": "sub", "__rmul__": "mul", "__rtruediv__": "div"},
    "attributes": {"__getitem__": "index"},
}  # fmt: skip


def bind_methods(methods: Mapping[str, Mapping[str, str]]) -> None:
    """Let the accelerator, if it is installed, replace methods that are one operator; keys are kinds of call."""
    for kind, operators in methods.items():
        for method, operator in operators.items():
            setattr(Tensor, method, function_of(getattr(Tensor, method), operator, kind))


bind_methods(OPERATORS)
