"""Copies of tensors by ``copy.copy``, ``copy.deepcopy`` and ``pickle``."""

from __future__ import annotations

import copy
from typing import Any

from minigraph.core.errors import TraceError
from minigraph.core.op import apply, is_eager
from minigraph.core.tensor.tensor import Tensor

UNCOPIED_SLOTS = ("__weakref__", "array_layout", "view_of", "views")


def copy_of(tensor: Tensor, memo: dict[int, Any] | None) -> Tensor:
    """A copy that is no view; gradients pass through it. The copy of a Parameter is an independent Parameter.

    The copy of a subclass has its class, and copies of its attributes: deep ones if there is a ``memo``. Raises
    ``TraceError`` for a Parameter or subclass during tracing.
    """
    kind = tensor.class_in_eager_mode() if tensor.is_traced else type(tensor)
    if kind is Tensor:
        result: Tensor = apply("cast", tensor, dtype=tensor.dtype)
        return result
    if not is_eager():
        raise TraceError(f"copy: a graph cannot create a {kind.__name__}; use x.copy() for a Tensor")
    new = kind.__new__(kind)
    if memo is not None:
        memo[id(tensor)] = new
    for names in tensor.__getstate__():
        for name, value in (names or {}).items():
            setattr(new, name, value if memo is None else copy.deepcopy(value, memo))
    return new


def state_of(tensor: Tensor) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The attributes of a tensor that are copied: its ``__dict__``, and the values of its slots."""
    slots = [name for kind in type(tensor).__mro__ for name in getattr(kind, "__slots__", ())]
    state = {name: getattr(tensor, name) for name in slots if name not in UNCOPIED_SLOTS and hasattr(tensor, name)}
    return getattr(tensor, "__dict__", None), state | {"array_layout": None}
