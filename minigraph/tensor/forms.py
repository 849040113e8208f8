"""What an array is like, in one object: two arrays of one form need but one look at a pointer to be known as alike.

What a kernel does with operands follows from their forms: which ufunc it is, whether shapes fit, how the result lies.
So the short way of an operator learns it once for the forms of its operands, instead of asking at every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

KEPT = 4096  # forms; a program that makes more of them learns anew


class Form:
    """A shape, strides and a dtype; the same object for the same, until too many are known.

    An operator that has met the form keeps its way with it in an attribute (``minigraph.quick``).
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


def give(tensor: Any, array: np.ndarray) -> None:
    """Let a tensor have another array."""
    tensor.array, tensor.form = array, None
