"""A border around tensors of any rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ShapeError, TypeArgument, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell

PAD_MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")


class Pad(Cell):
    """A border around every axis: ``paddings`` holds (before, after) for each.

    It is of zeros, or the elements mirrored without ("REFLECT") or with ("SYMMETRIC") those at the edge. Raises
    ``ValueError`` for another mode, and for other paddings than pairs of ints from 0.

    >>> print(Pad(((2, 1),), "REFLECT")(Tensor([1.0, 2.0, 3.0])))
    [3. 2. 1. 2. 3. 2.]
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...], mode: str = "CONSTANT") -> None:
        super().__init__()
        if not isinstance(paddings, tuple):
            got = type(paddings).__name__
            raise TypeArgument(f"For 'Pad', the type of 'paddings' must be tuple, but got {got}.")
        if not all(len(pair) == 2 and min(pair) >= 0 for pair in paddings):
            raise ValueArgument(f"For 'Pad', the dimension of 'paddings' must be (n, 2), but got {paddings}.")
        if mode not in PAD_MODES:
            known = f"must be str and must be in '{list(PAD_MODES)}'"
            raise ValueArgument(f"For 'Pad', the 'mode' {known}, but got '{mode}'.")
        self.paddings, self.mode = paddings, mode

    def construct(self, x: Any) -> Any:
        """The tensor, larger; dtype kept."""
        if len(x.shape) != len(self.paddings):
            raise ShapeError(
                "For 'Pad', the length of 'paddings' must be equal to the rank of 'input_x', "
                f"but got {len(self.paddings)} vs {len(x.shape)}"
            )
        if self.mode == "CONSTANT":
            return ops.pad(x, tuple(n for pair in reversed(self.paddings) for n in pair))
        for axis, pair in enumerate(self.paddings):
            if any(pair):
                x = ops.gather(x, Tensor(self._mirrored_indices(x.shape[axis], pair)), axis)
        return x

    def _mirrored_indices(self, size: int, pair: tuple[int, int]) -> np.ndarray:
        """The index of the element that each place along an axis shows."""
        most = size - (self.mode == "REFLECT")
        if max(pair) > most:
            raise ShapeError(f"For 'Pad', {pair} does not fit an axis of {size} elements by '{self.mode}'")
        return np.pad(np.arange(size, dtype=np.int32), pair, "reflect" if self.mode == "REFLECT" else "symmetric")
