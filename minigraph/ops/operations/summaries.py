"""Primitives that give values of a network, also of a compiled one, to the open ``SummaryRecord``s."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ArgTypeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, bool_
from minigraph.core.weak_table import WeakTable
from minigraph.operators.pyfunc import call_python
from minigraph.ops.primitive import primitive

__all__ = ["HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummary"]


class Recorder(Protocol):
    """What collects values."""

    def keep_latest(self, kind: str, name: str, array: Array) -> None:
        """The value of a name until the next one, or until it is recorded."""


RECORDERS = WeakTable[Recorder, bool]()  # those that are open


def _summary(kind: str) -> type:
    def summary(name: str, value: Tensor) -> None:
        """Gives a value with a name to the open ``SummaryRecord``s, which write it at their next ``record``."""
        if not isinstance(name, str) or not isinstance(value, Tensor):
            got = f"{type(name).__name__} and {type(value).__name__}"
            raise ArgTypeError(f"{kind.title()}Summary: needs a name and a tensor, got {got}")

        def keep(array: Array) -> Array:
            for recorder in list(RECORDERS):
                recorder.keep_latest(kind, name, array.copy())
            return np.array(True)

        call_python(f"{kind}_summary", keep, (value,), infer=lambda operands: (TensorType((), bool_),))

    return primitive(f"{kind.title()}Summary", summary)


ScalarSummary, ImageSummary, TensorSummary, HistogramSummary = map(_summary, ("scalar", "image", "tensor", "histogram"))
