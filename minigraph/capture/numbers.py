"""Python numbers that depend on a tensor: in a graph they are tensors, which must not show.

Two branches may set a variable to 1 and 2; the graph then has a tensor for it. Eager mode has a Python number, which is
promoted differently, computes in double precision, and is no tensor when it is returned. Such tracers are marked; where
the difference would show, the graph is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.capture.tracer import NUMBER_RESULT, Tracer, stands_for_number
from minigraph.core.tensor import Tensor
from minigraph.core.types import float64, promote, scalar_dtype


def check_numbers(tracing: Any, args: tuple[Any, ...]) -> bool:
    """Whether all operands stand for Python numbers; refuses a graph in which one would be promoted otherwise."""
    numbers = [arg for arg in args if stands_for_number(arg)]
    if not numbers:
        return False
    dtypes = {arg.dtype for arg in args if isinstance(arg, Tensor) and not stands_for_number(arg)}
    for dtype in dtypes:
        for number in numbers:
            example = number.dtype.numpy.type(1).item()
            weak = scalar_dtype(example, dtype)
            if weak is not promote(dtype, number.dtype) or (weak is float64 and number.dtype.is_float):
                tracing.refuse(NUMBER_RESULT)
    return not dtypes


def mark_result(tracing: Any, out: Any) -> None:
    """Mark the result of an operation on numbers; refuses floats, which Python computes in double precision."""
    for value in out if isinstance(out, tuple) else (out,):
        if isinstance(value, Tracer):
            value.is_number = True
            if value.dtype.is_float:
                tracing.refuse(NUMBER_RESULT)


def examples_in_eager_mode(leaves: Sequence[Any], outs: Sequence[Any]) -> list[Any]:
    """For each carried value that of the last iteration, or that before the loop: a tensor if one of them is one."""
    return [
        leaf if isinstance(leaf, Tensor) and not stands_for_number(leaf) else out
        for leaf, out in zip(leaves, outs, strict=True)
    ]
