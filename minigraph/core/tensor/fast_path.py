"""The seam ``function_of``: operators of a Tensor as users get it, which the accelerator may give fast paths.

``minigraph.Tensor`` comes from here. What imports ``minigraph.core.tensor`` alone has the plain methods, each one call
of ``apply``, until somebody asks for a Tensor by that name or for ``minigraph.ops``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minigraph.core.seams import bound
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor"]


def as_written(call: Callable[..., Any], operator: str, kind: str) -> Callable[..., Any]:
    """The reference's side of the seam ``function_of``: a function that is one operator, unchanged."""
    return call


function_of = bound("function_of", as_written)

# the methods that are one operator, by how they are called: which operator
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
    """Let the accelerator, if it is there, have methods of Tensor that are one operator; by kind, which operator."""
    for kind, operators in methods.items():
        for method, operator in operators.items():
            setattr(Tensor, method, function_of(getattr(Tensor, method), operator, kind))


bind_methods(OPERATORS)
