"""Example programs to which a rule applies, for rules for which the rule checker cannot generate programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, float32, float64
from minigraph.ir.graph import Graph


def examples(fn: Function, *shapes: tuple[Shape, ...]) -> Callable[[], Sequence[Graph]]:
    """A function that captures ``fn`` at several operand shapes, each in float64 and float32.

    >>> [graph.type(graph.inputs[0]) for graph in examples(lambda x: -x, ((2, 3),))()]
    [f64[2,3], f32[2,3]]
    """

    def capture() -> list[Graph]:
        return [
            trace(fn, *(Tensor(np.zeros(shape, dtype.numpy)) for shape in operand_shapes))
            for operand_shapes in shapes
            for dtype in (float64, float32)
        ]

    return capture
