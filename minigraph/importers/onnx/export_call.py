"""``Call``: one node of ours while it is written as ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph.core.aliases import Attrs, AttrValue, Function
from minigraph.core.errors import ModelError
from minigraph.core.types import DType, TensorType
from minigraph.importers.onnx.tensors import CODES
from minigraph.importers.operator_table import KnownValue

Names = str | tuple[str, ...]


class Call:
    """One node of ours while it is written: names and types of its operands, its attributes and result types."""

    def __init__(
        self, write: Function, ins: Sequence[str], types: Sequence[TensorType], out: Sequence[TensorType],
        attrs: Attrs, constant: Callable[[object], str],
    ) -> None:  # fmt: skip
        self.write, self.ins, self.types, self.out, self.attrs = write, tuple(ins), tuple(types), tuple(out), attrs
        self.constant = constant

    def __call__(self, kind: str, *ins: str, **attrs: AttrValue) -> str:
        """Write a node with one result; gives its name."""
        name: str = self.write(kind, ins, attrs, 1)[0]
        return name

    def with_results(self, kind: str, count: int, *ins: str, **attrs: AttrValue) -> tuple[str, ...]:
        """Write a node with several results; gives their names."""
        names: tuple[str, ...] = self.write(kind, ins, attrs, count)
        return names

    def ints(self, values: KnownValue) -> str:
        """The name of a constant of integers."""
        return self.constant(np.asarray(values, np.int64))

    def number(self, value: KnownValue, dtype: DType | None = None) -> str:
        """The name of a constant number, in the dtype of the first operand."""
        return self.constant(np.asarray(value, (dtype or self.types[0].dtype).numpy))

    def cast(self, name: str, dtype: DType) -> str:
        """The name of a value in another dtype."""
        if dtype.name not in CODES:
            raise ModelError(f"to_onnx: tensors of {dtype.name} are not supported; cast them first")
        return self("Cast", name, to=CODES[dtype.name])
