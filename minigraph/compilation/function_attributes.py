"""Attributes that a program sets of a jitted function: they are those of the function, so that capture sees them.

As in eager mode, where the name belongs to the function itself: code of the function that reads ``f.calls`` is guarded,
and code that sets it runs op by op.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

OWN_ATTRIBUTES = ("__doc__", "__name__", "__qualname__")  # the jitted function has its own as well
LAST_ATTRIBUTE = "lines"  # when it is set, all attributes of the jitted function itself are


class FunctionAttributes:
    """An object with a function ``fn``, to which all attributes belong that are not the object's own.

    >>> import minigraph as ms
    >>> def double(x):
    ...     return x * 2
    >>> compiled = ms.jit(double)
    >>> compiled.calls = 1
    >>> double.calls, compiled.calls
    (1, 1)
    """

    def __getattr__(self, name: str) -> Any:
        attributes = getattr(_function_of(self), "__dict__", {})
        if name in attributes and not name.startswith("__"):
            return attributes[name]
        raise AttributeError(f"'function' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        function, own = _function_of(self), vars(self)
        is_own = name in own or LAST_ATTRIBUTE not in own or not isinstance(function, FunctionType)
        if is_own or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        if not is_own or (name in OWN_ATTRIBUTES and LAST_ATTRIBUTE in own and isinstance(function, FunctionType)):
            setattr(function, name, value)

    def __delattr__(self, name: str) -> None:
        if name in vars(self):
            object.__delattr__(self, name)
        else:
            delattr(_function_of(self), name)


def _function_of(jitted: FunctionAttributes) -> Any:
    fn = vars(jitted).get("fn")
    return getattr(fn, "__func__", fn)
