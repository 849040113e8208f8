"""The tuned kernels that may change the summation order, with a tolerance each; all others are bit-identical.

On one thread of BLAS products of matrices are bit-identical, too. With several threads (the default of numpy) they are
not: the accelerator computes small ones on one thread, the reference all of them on all threads, and BLAS sums in
another order when it uses several.

The error is measured element by element, in units of the dtype's epsilon times the reference forward of the operands'
absolute values: an upper bound of the rounding error that holds under cancellation. The largest error seen in 15,000
random calls in float32 and float64 was 3.9 (numpy 2.4, OpenBLAS 0.3.31, with AVX-512, and with AVX2 and two threads).
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.op import Op
from minigraph.operators.chwn import CHWN_KERNELS
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.linalg import MATMUL


class Tolerance(NamedTuple):
    """The error that a kernel may have, in epsilons of the sum of absolute products, and its reason."""

    epsilons: float
    reason: str


TOLERANCES: dict[Op, Tolerance] = {
    CONV2D: Tolerance(8, "multiplies blocks of columns; BLAS chooses the summation order by the block's size"),
    CONV2D_INPUT_GRAD: Tolerance(8, "sums over a row of the kernel before adding to images"),
    CONV2D_WEIGHT_GRAD: Tolerance(8, "sums over blocks of images instead of single images"),
}
TOLERANCES |= {CHWN_KERNELS[op].op: tolerance for op, tolerance in TOLERANCES.items()}
TOLERANCES[MATMUL] = Tolerance(8, "small products run on one thread of BLAS, which sums in another order on several")
