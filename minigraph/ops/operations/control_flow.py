"""Primitives of loops."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.operators import control, regions
from minigraph.ops.primitive import PRIMITIVE_NAMES

__all__ = ["ForiLoop", "Scan", "WhileLoop"]


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


PRIMITIVE_NAMES.update({regions.WHILE: WhileLoop.__name__, regions.SCAN: Scan.__name__})
