"""The function that a callable runs, and the functions that decorators have put around it.

No code of the program is run: an object with a ``__getattr__`` has no ``__wrapped__`` of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from minigraph.capture.container_contents import read_plainly
from minigraph.core.location import is_internal_file


def function_and_owner(function: object) -> tuple[FunctionType | None, Any]:
    """The Python function of a callable, and the object to which it is bound."""
    while isinstance(function, partial):
        function = function.func
    function = _wrapping_chain(function)[-1] if callable(function) and not isinstance(function, type) else None
    if isinstance(function, MethodType):
        inner = function.__func__
        return (inner if isinstance(inner, FunctionType) else None), function.__self__
    return (function if isinstance(function, FunctionType) else None), None


def wrappers_of(function: object) -> Iterator[FunctionType]:
    """The user's functions that wrap a function, as decorators return them."""
    for wrapper in _wrapping_chain(function)[:-1]:
        plain = read_plainly(wrapper, "__func__", wrapper)
        if isinstance(plain, FunctionType) and not is_internal_file(plain.__code__.co_filename):
            yield plain


def _wrapping_chain(function: object) -> list[Any]:
    """A function, and those that decorators have wrapped in it, each once, the outermost first."""
    chain: list[Any] = [function]
    while (inner := read_plainly(chain[-1], "__wrapped__")) is not None and not any(inner is fn for fn in chain):
        chain.append(inner)
    return chain
