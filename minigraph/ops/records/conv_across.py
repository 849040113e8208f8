"""Convolution and its gradients across images whatever their shape: for passes that know it to be faster so.

They round otherwise than those of ``conv``, because BLAS adds up products of other matrices in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from minigraph.ground.beside import Beside
from minigraph.op import Op, define
from minigraph.ops.records.across import Across
from minigraph.ops.records.conv import (
    CONV2D,
    CONV2D_INPUT_GRAD,
    CONV2D_WEIGHT_GRAD,
    input_grad,
    kernel_label,
    results,
    weight_grad,
)


def _across(op: Op, kernel: Callable[..., Any]) -> Op:
    """The operator that does the same across images; elsewhere it is the same operator."""
    assert op.beside is not None
    lying = partial(kernel, order=Across)

    def forward(*arrays: np.ndarray, **attrs: Any) -> np.ndarray:
        return np.ascontiguousarray(lying(*arrays, **attrs))

    name, doc = f"{op.name}_across", f"The same as {op.name}, computed across images; rounds otherwise."
    beside = Beside(lying, op.beside.of, op.beside.images, lambda *types, **attrs: True, turns=True)
    return replace(op, name=name, forward=forward, beside=beside, label=kernel_label(name), doc=doc, origin="")


CONV2D_ACROSS = define(_across(CONV2D, results))
CONV2D_INPUT_GRAD_ACROSS = define(_across(CONV2D_INPUT_GRAD, input_grad))
CONV2D_WEIGHT_GRAD_ACROSS = define(_across(CONV2D_WEIGHT_GRAD, weight_grad))
