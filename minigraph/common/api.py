"""Decorators and markers for captured functions and values."""

from __future__ import annotations

from typing import Any

from minigraph.compilation import jit
from minigraph.core.aliases import Function
from minigraph.core.errors import ArgTypeError
from minigraph.core.tensor import Tensor

__all__ = ["jit", "jit_class", "lazy_inline", "mutable", "no_inline"]

MUTABLE_TYPES = (bool, int, float, Tensor, tuple, list, dict)


def jit_class(cls: type) -> type:
    """The class itself: captured code can create and use objects of any class.

    Raises ``TypeError`` unless it is a class.
    """
    if not isinstance(cls, type):
        raise ArgTypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    return cls


def lazy_inline(fn: Function | None = None, attrs: object = None, policy: object = None) -> Function:
    """The constructor of a Cell itself: minigraph inlines the graphs of Cells while it captures them.

    >>> lazy_inline(print) is print
    True
    """
    return fn if fn is not None else lambda constructor: constructor


def no_inline(fn: Function | None = None) -> Function:
    """The function itself, which ``jit`` captures as part of its caller: the result is the same.

    >>> no_inline(print) is print
    True
    """
    return fn if fn is not None else lambda function: function


def mutable(input_data: object, dynamic_len: bool = False) -> Any:
    """The value itself: tensors in tuples, lists and dicts are always inputs of a captured function.

    A number is a constant of the captured function; another number captures it again. Raises ``TypeError`` for
    immutable values such as strings.

    >>> mutable((1, 2))
    (1, 2)
    """
    if not isinstance(input_data, MUTABLE_TYPES):
        raise ArgTypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures with no self-reference, but got {type(input_data).__name__}: {input_data}."
        )
    return input_data
