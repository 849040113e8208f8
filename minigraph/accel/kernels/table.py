"""The tuned kernels of operators, by record: what the seam ``forwards`` puts in the place of ``Op.forward``.

``FORWARDS`` take the operands of the operator's own forward, and ``out=`` where that does. ``KERNELS`` make, of
operands as they will lie and of the attributes, what gives such operands the bits of ``forward_of(op)`` without a look
at them, or ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.accel.kernels import conv, indexing, linalg, pool, reduce, views
from minigraph.accel.kernels.chwn import Beside
from minigraph.core.op import Op
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.indexing import INDEX
from minigraph.operators.linalg import MATMUL
from minigraph.operators.nn import LOG_SOFTMAX, SOFTMAX
from minigraph.operators.pool import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.reduce import SUM, SUM_TO
from minigraph.operators.views import FLATTEN, RESHAPE, TRANSPOSE

FORWARDS: dict[Op, Callable[..., Any]] = {
    MATMUL: linalg.matmul,
    CONV2D: conv.conv2d,
    CONV2D_INPUT_GRAD: conv.conv2d_input_grad,
    CONV2D_WEIGHT_GRAD: conv.weight_grad,
    MAX_POOL2D: pool.max_pool2d,
    MAX_POOL2D_GRAD: pool.max_pool2d_grad,
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
WITH_ROW_GAPS = {MATMUL}  # their forwards write into ``out`` as fast where there are gaps between its rows

BESIDE = {  # on images that lie beside each other
    CONV2D: Beside(conv.results, (0,), True, conv.conv2d_likes, turns=True),
    CONV2D_INPUT_GRAD: Beside(conv.input_grad, (0,), True, conv.input_grad_likes, turns=True),
    CONV2D_WEIGHT_GRAD: Beside(conv.weight_grad, (0, 1), False, conv.weight_grad_likes, turns=True),
    MAX_POOL2D: Beside(pool.pooled_as_it_lies, (0,), True, pool.likes),
    MAX_POOL2D_GRAD: Beside(pool.to_first_as_it_lies, (0, 1, 2), True, pool.likes),
}
