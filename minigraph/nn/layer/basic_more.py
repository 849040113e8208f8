"""Layers without Parameters: borders, one-hot rows, dropping of whole channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ShapeError, TypeArgument, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import of_type
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
                x = ops.gather(x, Tensor(self._places(x.shape[axis], pair)), axis)
        return x

    def _places(self, size: int, pair: tuple[int, int]) -> np.ndarray:
        """Where the elements of an axis come from."""
        longest = size - (self.mode == "REFLECT")
        if max(pair) > longest:
            raise ShapeError(f"For 'Pad', {pair} does not fit an axis of {size} elements by '{self.mode}'")
        return np.pad(np.arange(size, dtype=np.int32), pair, "reflect" if self.mode == "REFLECT" else "symmetric")


class OneHot(Cell):
    """``on_value`` where the position along a new ``axis`` of size ``depth`` is the index, else ``off_value``.

    >>> import minigraph as ms
    >>> print(OneHot(depth=3)(Tensor([2, 0], ms.int32)))
    [[0. 0. 1.]
     [1. 0. 0.]]
    """

    def __init__(
        self, axis: int = -1, depth: int = 1, on_value: float = 1.0, off_value: float = 0.0, dtype: DType = float32
    ) -> None:
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices: Any) -> Any:
        """Int [...] to one axis more, in ``dtype``."""
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)


class ChannelDropout(Cell):
    """The base: in training each channel is 0 as a whole with probability ``p``, else divided by 1 - p.

    (Tompson et al. 2015, arXiv 1411.4280.) Raises ``TypeError`` for another type than float and ``ValueError`` for
    a ``p`` outside of [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        who = type(self).__name__
        if not 0.0 <= of_type(who, "p", p, float) <= 1.0:
            raise ValueArgument(f"For '{who}', the 'p' must be a number in range [0, 1], but got {p}.")
        self.p = p

    def dropped(self, x: Any, drop: Callable[[Any, float], Any], ranks: tuple[int, ...]) -> Any:
        """``x`` with channels dropped where that is wanted; raises ``ShapeError`` for another rank."""
        if not self.training or self.p == 0.0:
            return x
        if len(x.shape) not in ranks:
            raise ShapeError(f"{type(self).__name__}: needs an input of rank {ranks}, got shape {list(x.shape)}")
        return drop(x, self.p)

    def extend_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Dropout1d(ChannelDropout):
    """``ChannelDropout`` of sequences."""

    def construct(self, x: Any) -> Any:
        """Float [N, C, L] or [C, L]; shape and dtype kept."""
        return self.dropped(x, ops.dropout1d, (2, 3))


class Dropout2d(ChannelDropout):
    """``ChannelDropout`` of images."""

    def construct(self, x: Any) -> Any:
        """Float [N, C, H, W]; shape and dtype kept."""
        return self.dropped(x, ops.dropout2d, (4,))
