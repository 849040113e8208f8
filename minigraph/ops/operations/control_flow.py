"""Primitives of loops, and of functions that are called as primitives."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.tensor import Tensor
from minigraph.operators import control, regions
from minigraph.ops.primitive import PRIMITIVE_NAMES

__all__ = ["ForiLoop", "Morph", "Reusing", "Scan", "WhileLoop"]


class WhileLoop:
    """``WhileLoop()(cond_func, loop_func, init_val)``, as ``while_loop``."""

    def __call__(self, cond_func: Function, loop_func: Function, init_val: Tensor) -> Tensor:
        """The value after the loop."""
        return control.while_loop(cond_func, loop_func, init_val)


class ForiLoop:
    """``ForiLoop()(lower, upper, loop_func, init_val)``, as ``fori_loop``."""

    def __call__(self, lower: int, upper: int, loop_func: Function, init_val: Tensor, unroll: bool = True) -> Tensor:
        """The value after the loop."""
        return control.fori_loop(lower, upper, loop_func, init_val)


class Scan:
    """``Scan()(loop_func, init, xs, length)``, as ``scan``."""

    def __call__(
        self, loop_func: Function, init: Tensor, xs: Any, length: int | None = None, unroll: bool = True
    ) -> tuple[Tensor, Any]:
        """The last value and the stacked results; for a list or tuple of elements a list of the results."""
        if not isinstance(xs, list | tuple):
            return control.scan(loop_func, init, xs, length)
        value, results = init, []
        for element in xs[:length]:
            value, result = loop_func(value, element)
            results.append(result)
        return value, results


class Morph:
    """``Morph(fn, infer_shape, infer_dtype)(*inputs)`` is ``fn(*inputs)``, whose gradient is ``bprop_fn`` if given.

    The types of the results come from ``fn`` itself: ``infer_shape`` and ``infer_dtype`` are for compatibility.
    """

    def __init__(
        self, fn: Function, infer_shape: Function, infer_dtype: Function, bprop_fn: Function | None = None
    ) -> None:
        self.function = fn if bprop_fn is None else custom_gradient(fn, bprop_fn)

    def __call__(self, *inputs: Any) -> Any:
        """The result of the function."""
        return self.function(*inputs)


class Reusing:
    """``Reusing()(function)`` is the function: a graph has the body of a call either way."""

    def __call__(self, input_x: Function) -> Function:
        """The function."""
        return input_x


PRIMITIVE_NAMES.update({regions.WHILE: WhileLoop.__name__, regions.SCAN: Scan.__name__})
