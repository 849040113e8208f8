"""Marks for functions and values that are to be captured."""

from __future__ import annotations

from typing import Any

from minigraph.compilation import jit
from minigraph.core.errors import TypeArgument
from minigraph.core.tensor import Tensor

__all__ = ["jit", "jit_class", "mutable"]

CHANGEABLE = (bool, int, float, Tensor, tuple, list, dict)


def jit_class(cls: type) -> type:
    """The class itself: its objects may be made and used in captured code in any case.

    Raises ``TypeError`` for anything but a class.
    """
    if not isinstance(cls, type):
        raise TypeArgument(f"Decorator jit_class can only be used for class type, but got {cls}.")
    return cls


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """The value itself: tensors in tuples, lists and dicts are inputs of a captured function in any case.

    A number stays part of the captured function, which is captured anew for another one. Raises ``TypeError``
    for what cannot change, such as a string.

    >>> mutable((1, 2))
    (1, 2)
    """
    if not isinstance(input_data, CHANGEABLE):
        raise TypeArgument(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures with no self-reference, but got {type(input_data).__name__}: {input_data}."
        )
    return input_data
