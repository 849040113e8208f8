"""The program behind a published "graph mode is 30 times faster": 100 iterations of a matrix product and tanh.

``minigraph explain minigraph/examples/published_loop.py:loop --chip ascend910a`` shows what that ratio contains.
"""

from __future__ import annotations

import numpy as np

from minigraph import Tensor, ops

SIZE, ITERATIONS = 512, 100


def loop(x: Tensor, w: Tensor) -> Tensor:
    """``tanh(x @ w)``, fed back ``ITERATIONS`` times; f32[512,512] in and out."""
    for _ in range(ITERATIONS):
        x = ops.tanh(x @ w)
    return x


def example_inputs() -> tuple[Tensor, Tensor]:
    """Two matrices of small random numbers."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, SIZE, SIZE)).astype(np.float32) / np.float32(SIZE**0.5)
    return Tensor(x), Tensor(w)
