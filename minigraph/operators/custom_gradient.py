"""User-defined gradients as nodes: they survive capture, every pass, and a gradient of the graph taken later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.autodiff.custom_gradient import CustomGradient
from minigraph.core.op import EachOperand, Op, Sample, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import Results, TensorType
from minigraph.operators.work import copy_work


def _forward(*arrays: Array, rule: CustomGradient) -> Array | tuple[Array, ...]:
    copies = tuple(np.array(array, order="C") for array in arrays[: rule.results])
    return copies if rule.results > 1 else copies[0]


def _infer(*types: TensorType, rule: CustomGradient) -> TensorType | Results:
    return types[: rule.results] if rule.results > 1 else types[0]


def _vjp(
    position: int, g: Tensor | Sequence[Tensor], out: Tensor | Sequence[Tensor], *operands: Tensor, rule: CustomGradient
) -> Tensor | None:
    if position < rule.results:
        return None
    return rule.cotangents(g, out, *operands[rule.results :])[position - rule.results]


CUSTOM_GRADIENT = define(Op(
    "custom_gradient", _forward, _infer, vjp=EachOperand(_vjp), work=copy_work, unit="move",
    label=lambda attrs: f"gradient of {attrs['rule']}",
    doc="Copies of the first operands, the results of a function; `rule` is its gradient in the rest, its inputs.",
    samples=lambda rng: [
        Sample(
            (rng.normal(size=(2, 3)), rng.normal(size=(2, 3))),
            {"rule": CustomGradient(lambda x, out, dout: dout, 1, 1)},
            smooth=False,
        )
    ],
))  # fmt: skip
