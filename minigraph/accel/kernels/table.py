"""The tuned kernels of operators, by record: what the seam ``forwards`` puts in the place of ``Op.forward``.

``FORWARDS`` take the operands of the operator's own forward, and ``out=`` where that does. ``KERNELS`` make, of
operands as they will lie and of the attributes, what gives such operands the bits of ``forward_of(op)`` without a look
at them, or ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.accel.kernels import chwn, conv, indexing, linalg, pool, reduce, select, views
from minigraph.core.op import Op
from minigraph.operators.chwn import IN_CHWN, TO_CHWN, TO_NCHW
from minigraph.operators.compare import WHERE
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.indexing import INDEX
from minigraph.operators.linalg import MATMUL
from minigraph.operators.nn import LOG_SOFTMAX, SOFTMAX
from minigraph.operators.pool import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.reduce import SUM, SUM_TO
from minigraph.operators.views import FLATTEN, RESHAPE, TRANSPOSE

AS_THEY_LIE: dict[Op, Callable[..., Any]] = {  # on images [N,C,H,W], the result lying as the kernel finds best
    CONV2D: conv.results,
    CONV2D_INPUT_GRAD: conv.input_grad,
    CONV2D_WEIGHT_GRAD: conv.weight_grad,
    MAX_POOL2D: pool.pooled_as_it_lies,
    MAX_POOL2D_GRAD: pool.to_first_as_it_lies,
}
FORWARDS: dict[Op, Callable[..., Any]] = {
    MATMUL: linalg.matmul,
    WHERE: select.where,
    CONV2D: conv.conv2d,
    CONV2D_INPUT_GRAD: conv.conv2d_input_grad,
    CONV2D_WEIGHT_GRAD: conv.weight_grad,
    MAX_POOL2D: pool.max_pool2d,
    MAX_POOL2D_GRAD: pool.max_pool2d_grad,
    TO_CHWN: chwn.to_chwn,
    TO_NCHW: chwn.to_nchw,
    **{IN_CHWN[op].op: chwn.in_chwn(kernel, IN_CHWN[op]) for op, kernel in AS_THEY_LIE.items()},
}
KERNELS: dict[Op, Callable[..., Callable[..., Any] | None]] = {
    MATMUL: linalg.multiplier,
    SUM: reduce.summer,
    SUM_TO: reduce.summer_to,
    INDEX: indexing.getter,
    RESHAPE: views.reshaper,
    FLATTEN: views.flattener,
    TRANSPOSE: views.transposer,
}
IN_PLACE_ON_OPERAND = {SOFTMAX, LOG_SOFTMAX}  # their forwards may write over an operand, as elementwise ones do
