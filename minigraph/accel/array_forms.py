"""Shape, strides and dtype of an array as one object, so that comparing two arrays is comparing two pointers.

Which kernel computes an operator, whether shapes fit and how the result lies in memory follow from the forms of the
operands. So fast dispatch learns it once for some forms, instead of asking at every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

KEPT = 4096  # forms; a program that makes more of them learns anew


class Form:
    """A shape, strides and a dtype; the same object for the same, until too many are known.

    ``ordered``: whether elements lie in C order without gaps; ``plain``: whether they do, and it is no single number.

    >>> from minigraph import Tensor
    >>> form_of(Tensor([1.0, 2.0])) is form_of(Tensor([3.0, 4.0]))
    True
    """

    def __init__(self, array: np.ndarray) -> None:
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.ordered = array.flags.c_contiguous
        self.plain = self.ordered and bool(self.shape)

    def __repr__(self) -> str:
        return f"<form {self.dtype}{list(self.shape)}, strides {list(self.strides)}>"


_forms: dict[tuple[Any, ...], Form] = {}


def form_of(tensor: Any) -> Form:
    """The form of a tensor's array, which the tensor remembers until it is given another array."""
    array = tensor.array
    key = (array.shape, array.strides, array.dtype)
    form = _forms.get(key)
    if form is None:
        if len(_forms) >= KEPT:
            _forms.clear()
        form = _forms.setdefault(key, Form(array))
    tensor.form = form
    return form
