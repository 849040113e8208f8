"""The operator records that every graph needs: the leaves (input, const, parameter) and the fused node."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from minigraph.core.aliases import AttrValue
from minigraph.core.op import Attrs, Op, define
from minigraph.core.types import TensorType, type_of


class Literal:
    """A constant array as a hashable attribute value: equal when dtype, shape and bits are equal.

    The array is copied and made read-only. Bits are compared: NaN equals itself, and -0 differs from 0.

    >>> Literal(np.float32(0.0)) == Literal(np.float32(-0.0))
    False
    """

    __slots__ = ("_hash", "array")

    def __init__(self, array: object) -> None:
        self.array = np.array(array, order="C")
        self.array.flags.writeable = False
        self._hash = hash((self.array.dtype.str, self.array.shape, self.array.tobytes()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return NotImplemented
        a, b = self.array, other.array
        return self._hash == other._hash and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Literal({self.type}, {np.array2string(self.array, threshold=8)})"

    @property
    def type(self) -> TensorType:
        """Shape and dtype."""
        return type_of(self.array)


def _no_forward(*arrays: object, **attrs: AttrValue) -> NoReturn:
    raise AssertionError("leaves and fused nodes have no kernel; executors read their role")


def _no_infer(*types: TensorType, **attrs: AttrValue) -> NoReturn:
    raise AssertionError("leaves and fused nodes are emitted with their types")


def _literal_label(attrs: Attrs) -> str:
    literal = attrs["value"]
    return np.array2string(literal.array, threshold=4, precision=4) if literal.type.size <= 4 else str(literal.type)


INPUT = define(Op(
    "input", _no_forward, _no_infer, unit="none", family="leaf", role="input",
    doc="An argument of the captured function.", label=lambda attrs: f"input {attrs.get('name', '')}".strip(),
))  # fmt: skip
CONST = define(Op(
    "const", lambda *, value: value.array, lambda *, value: value.type, unit="none", family="leaf", role="const",
    doc="A value known while capturing: attribute `value` is a Literal.", label=_literal_label,
))  # fmt: skip
PARAMETER = define(Op(
    "parameter", _no_forward, _no_infer, unit="none", family="leaf", role="parameter", effects=("read:{name}",),
    doc="A Parameter's value when the graph starts: attribute `name` is its key in `graph.params`.",
    label=lambda attrs: str(attrs["name"]),
))  # fmt: skip
FUSED = define(Op(
    "fused", _no_forward, _no_infer, family="region", role="fused",
    doc="Several operators run as one kernel: the node is its body graph.",
    label=lambda attrs: str(attrs.get("name", "fused")),
))  # fmt: skip
