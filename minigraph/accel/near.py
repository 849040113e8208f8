"""The tuned kernels that regroup sums, and how far they may be from the plain forwards; every other one is exact.

The distance is measured element by element in units of the dtype's epsilon times what the plain forward makes of the
operands' absolute values, which is what rounding can reach whatever cancels. The largest seen was 3.9 on 15,000 random
calls in float32 and float64 (numpy 2.4, OpenBLAS 0.3.31, with AVX-512, and with AVX2 and two threads).
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.op import Op
from minigraph.operators.chwn import IN_CHWN
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD


class Near(NamedTuple):
    """How many epsilons of the sum of absolute products a kernel may be off, and why it is at all."""

    epsilons: float
    reason: str


NEAR: dict[Op, Near] = {
    CONV2D: Near(8, "products are of columns in blocks, whose sizes decide how BLAS sums"),
    CONV2D_INPUT_GRAD: Near(8, "products sum over a row of the kernel before they are added to images"),
    CONV2D_WEIGHT_GRAD: Near(8, "images are summed in blocks, not one by one"),
}
NEAR |= {IN_CHWN[op].op: near for op, near in NEAR.items()}
