"""Primitives of loops, ordering and printing, and of stopping gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.operators import control, effects, regions
from minigraph.ops import functional as F
from minigraph.ops.primitive import NAMES, primitive

__all__ = ["Depend", "ForiLoop", "Identity", "Print", "Scan", "StopGradient", "WhileLoop"]


Depend, Print = primitive("Depend", F.depend, effects.DEPEND), primitive("Print", F.print_, effects.PRINT)
Identity, StopGradient = primitive("Identity", F.identity), primitive("StopGradient", F.stop_gradient)

# ---- loops -----------------------------------------------------------------------------------------


class WhileLoop:
    """``WhileLoop()(cond_func, loop_func, init_val)``, as ``while_loop``."""

    def __call__(self, cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: Any) -> Any:
        """The value after the loop."""
        return control.while_loop(cond_func, loop_func, init_val)


class ForiLoop:
    """``ForiLoop()(lower, upper, loop_func, init_val)``, as ``fori_loop``."""

    def __call__(
        self, lower: Any, upper: Any, loop_func: Callable[..., Any], init_val: Any, unroll: bool = True
    ) -> Any:
        """The value after the loop."""
        return control.fori_loop(lower, upper, loop_func, init_val)


class Scan:
    """``Scan()(loop_func, init, xs, length)``, as ``scan``."""

    def __call__(
        self, loop_func: Callable[..., Any], init: Any, xs: Any, length: int | None = None, unroll: bool = True
    ) -> tuple[Any, Any]:
        """The last value and the stacked results."""
        return control.scan(loop_func, init, xs, length)


NAMES.update({regions.WHILE: WhileLoop.__name__, regions.SCAN: Scan.__name__})
