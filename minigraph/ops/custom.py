"""Gradients given by the user, as nodes: they survive capture, every pass, and a gradient taken later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.custom_gradient import Rule, custom_gradient
from minigraph.op import EachOperand, Op, Sample, define
from minigraph.ops.pricing import copy_work
from minigraph.types import TensorType

__all__ = ["InsertGradientOf"]


def _forward(*arrays: np.ndarray, rule: Rule) -> Any:
    found = tuple(np.array(array, order="C") for array in arrays[: rule.results])
    return found if rule.results > 1 else found[0]


def _infer(*types: TensorType, rule: Rule) -> Any:
    return types[: rule.results] if rule.results > 1 else types[0]


def _vjp(position: int, g: Any, out: Any, *operands: Any, rule: Rule) -> Any:
    if position < rule.results:
        return None
    return rule.pulled(g, out, *operands[rule.results :])[position - rule.results]


CUSTOM_GRADIENT = define(Op(
    "custom_gradient", _forward, _infer, vjp=EachOperand(_vjp), work=copy_work, unit="move",
    label=lambda attrs: f"gradient of {attrs['rule']}",
    doc="Copies of the first operands, the results of a function; for the rest, its inputs, `rule` is the gradient.",
    samples=lambda rng: [
        Sample(
            (rng.normal(size=(2, 3)), rng.normal(size=(2, 3))),
            {"rule": Rule(lambda x, out, dout: dout, 1, 1)},
            smooth=False,
        )
    ],
))  # fmt: skip


class InsertGradientOf:
    """The identity with ``fn`` applied to the gradient that comes back through it.

    >>> from minigraph import Tensor
    >>> from minigraph.grad import grad
    >>> triple = InsertGradientOf(lambda dout: dout * 3)
    >>> print(grad(lambda x: triple(x) * 2)(Tensor([1.0])))
    [6.]
    """

    name = "InsertGradientOf"

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self.fn = fn
        self._call = custom_gradient(lambda x: x, lambda x, out, dout: fn(dout))

    def __call__(self, x: Any) -> Any:
        """x, unchanged."""
        return self._call(x)

    def __repr__(self) -> str:
        return f"Prim[{self.name}]"
