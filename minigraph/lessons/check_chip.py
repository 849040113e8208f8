"""The checkers of the lessons on the simulated chip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.ir.graph import producer
from minigraph.jit import jit
from minigraph.lessons.told import NotYet, listed, named, operators
from minigraph.npu import cycles
from minigraph.tensor import Tensor


def check_projections(slow: Callable[..., Any], fast: Callable[..., Any], x: Tensor, weights: list[Tensor]) -> None:
    """The three results agree, one product computes them, and the chip needs at most half of the cycles."""
    together = ops.concat(weights, 1)
    results = fast(x, together)
    if results is None:
        raise NotYet("fast returns nothing yet: return the three products of x, made with one matmul")
    before, after = jit(slow).graph(x, *weights), jit(fast).graph(x, together)
    for i, (want, got) in enumerate(zip(slow(x, *weights), results, strict=True)):
        if want.shape != got.shape or not np.allclose(want.asnumpy(), got.asnumpy(), atol=1e-3):
            node = named(after, producer(after.outs[i]))
            raise NotYet(f"result {i}, {node}, is {got.type} but not x @ weights[{i}], which is {want.type}")
    products = [node for node in operators(after) if after.work(node).macs]
    if len(products) != 1:
        raise NotYet(
            f"right values, but {len(products)} products: {listed(after, products)}; the cube should work once"
        )
    costs = cycles(before), cycles(after)
    if costs[1] > costs[0] / 2:
        extra = [node for node in operators(after) if node not in products]
        raise NotYet(f"{costs[1]:,} cycles of {costs[0]:,}: besides the product there is {listed(after, extra)}")
    print(f"Right: the same three results, one product, {costs[0]:,} cycles became {costs[1]:,}.")
