"""Array layouts: shape, strides and dtype of an array as one interned object, compared by identity.

The kernel of an operator, whether shapes broadcast and the layout of the result follow from the layouts of the
operands. Fast dispatch therefore caches them by layout instead of computing them at every call.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.tensor import Tensor

MAX_LAYOUTS = 4096  # interned; the table is cleared when it is full


class ArrayLayout:
    """A shape, strides and a dtype; the same object for equal ones, until the table is cleared.

    ``c_contiguous``: as numpy's flag; ``c_contiguous_nd``: c_contiguous, with at least one axis.

    >>> from minigraph import Tensor
    >>> layout_of(Tensor([1.0, 2.0])) is layout_of(Tensor([3.0, 4.0]))
    True
    """

    def __init__(self, array: np.ndarray) -> None:
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.c_contiguous = array.flags.c_contiguous
        self.c_contiguous_nd = self.c_contiguous and bool(self.shape)

    def __repr__(self) -> str:
        return f"<layout {self.dtype}{list(self.shape)}, strides {list(self.strides)}>"


_layouts: dict[tuple[object, ...], ArrayLayout] = {}


def layout_of(tensor: Tensor) -> ArrayLayout:
    """The layout of a tensor's array; cached in ``tensor.array_layout`` until the tensor gets another array."""
    array = tensor.array
    key = (array.shape, array.strides, array.dtype)
    layout = _layouts.get(key)
    if layout is None:
        if len(_layouts) >= MAX_LAYOUTS:
            _layouts.clear()
        layout = _layouts.setdefault(key, ArrayLayout(array))
    tensor.array_layout = layout
    return layout
