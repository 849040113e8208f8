"""Programs at which a rule applies, for rules whose places a check would not find by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, float32, float64
from minigraph.ir.graph import Graph


def examples(fn: Callable[..., Any], *shapes: tuple[Shape, ...]) -> Callable[[], Sequence[Graph]]:
    """Captures ``fn`` at several operand shapes, each in float64 and float32, when it is called.

    >>> [graph.type(graph.inputs[0]) for graph in examples(lambda x: -x, ((2, 3),))()]
    [f64[2,3], f32[2,3]]
    """

    def captured() -> list[Graph]:
        return [
            trace(fn, *(Tensor(np.zeros(shape, dtype.numpy)) for shape in some))
            for some in shapes
            for dtype in (float64, float32)
        ]

    return captured
