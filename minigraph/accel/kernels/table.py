"""The tuned kernels of operators, by record.

``FORWARDS`` replace ``Op.forward`` at the seam ``forwards``: they take the operands of the operator's own forward, and
``out=`` where that does. ``KERNELS`` specialise an operator on layouts: given prototypes of the operands and the
attributes, each returns a function that gives operands of these layouts the bits of ``forward_of(op)`` without
checking them, or ``None``.
"""

from __future__ import annotations

from collections.abc import Callable

from minigraph.accel.kernels import chwn, conv, indexing, linalg, losses, pool, reduce, select, views
from minigraph.core.aliases import Function
from minigraph.core.op import Op
from minigraph.operators.activation import LOG_SOFTMAX, SOFTMAX
from minigraph.operators.chwn import CHWN_KERNELS, TO_CHWN, TO_NCHW
from minigraph.operators.comparison import WHERE
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.indexing import INDEX
from minigraph.operators.linalg import MATMUL
from minigraph.operators.losses import CROSS_ENTROPY, CROSS_ENTROPY_GRAD
from minigraph.operators.pooling import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.reduce import SUM, SUM_TO
from minigraph.operators.views import FLATTEN, RESHAPE, TRANSPOSE

ANY_LAYOUT_KERNELS: dict[Op, Function] = {  # on images [N,C,H,W] in either memory order, as is their result
    CONV2D: conv.convolve,
    CONV2D_INPUT_GRAD: conv.input_grad,
    CONV2D_WEIGHT_GRAD: conv.weight_grad,
    MAX_POOL2D: pool.max_pool_in_layout,
    MAX_POOL2D_GRAD: pool.max_pool_grad_in_layout,
}
FORWARDS: dict[Op, Function] = {
    MATMUL: linalg.matmul,
    WHERE: select.where,
    CROSS_ENTROPY: losses.cross_entropy,
    CROSS_ENTROPY_GRAD: losses.cross_entropy_grad,
    CONV2D: conv.conv2d,
    CONV2D_INPUT_GRAD: conv.conv2d_input_grad,
    CONV2D_WEIGHT_GRAD: conv.weight_grad,
    MAX_POOL2D: pool.max_pool2d,
    MAX_POOL2D_GRAD: pool.max_pool2d_grad,
    TO_CHWN: chwn.to_chwn,
    TO_NCHW: chwn.to_nchw,
    **{CHWN_KERNELS[op].op: chwn.in_chwn(kernel, CHWN_KERNELS[op]) for op, kernel in ANY_LAYOUT_KERNELS.items()},
}
KERNELS: dict[Op, Callable[..., Function | None]] = {
    MATMUL: linalg.matmul_kernel,
    SUM: reduce.sum_kernel,
    SUM_TO: reduce.sum_to_kernel,
    INDEX: indexing.index_kernel,
    RESHAPE: views.reshape_kernel,
    FLATTEN: views.flatten_kernel,
    TRANSPOSE: views.transpose_kernel,
}
IN_PLACE_ON_OPERAND = {SOFTMAX, LOG_SOFTMAX}  # ``out`` may be an operand, as in elementwise operators
