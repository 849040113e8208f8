"""Translation, at run time: which function is called instead of the one that the source names.

A user's function is translated before it is called. What Python or numpy would do with numbers that are not known yet,
print them, write them as text, make arrays of them, is done when the graph runs.
"""

from __future__ import annotations

import builtins
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import as_captured
from minigraph.translate.host_arrays import as_tensor, host_call, host_print, is_host
from minigraph.translate.host_text import TEXT_MAKERS, written
from minigraph.translate.range_loops import users_range

CALL = "__call__"


def call(fn: Any) -> Any:
    """The function to call instead of ``fn``; most are their own.

    >>> call(len)
    <built-in function len>
    """
    if fn is Tensor or fn is Tensor.from_numpy:
        return partial(_made_tensor, fn)
    if isinstance(fn, FunctionType | MethodType | partial):
        return as_captured(fn)
    if fn is builtins.print:
        return host_print
    if fn is builtins.range:
        return users_range
    if _is_numpy(fn):
        return partial(_with_host_values, fn)
    if _makes_text(fn):
        return partial(_with_texts, fn)
    return fn if method_called(fn) is None else as_captured(fn)


def method_called(thing: Any) -> MethodType | None:
    """The method in Python that runs when an object that is no function is called.

    >>> method_called(len)
    """
    method = None if isinstance(thing, type) else getattr(type(thing), CALL, None)
    return MethodType(method, thing) if isinstance(method, FunctionType) else None


# ---- tensors -----------------------------------------------------------------------------------------


def _made_tensor(make: Any, *args: Any, **kwargs: Any) -> Any:
    """``Tensor(...)`` or ``Tensor.from_numpy(...)``: of what is known when the graph runs, a node."""
    data = args[0] if args else kwargs.get("input_data")
    if not (is_host(data) or isinstance(data, Tensor)):
        return make(*args, **kwargs)
    return as_tensor(data, *args[1:], **{name: value for name, value in kwargs.items() if name != "input_data"})


# ---- numpy -------------------------------------------------------------------------------------------


def _is_numpy(fn: Any) -> bool:
    """Whether a function makes arrays or numbers without asking its arguments for numpy's protocols."""
    kind = isinstance(fn, BuiltinFunctionType) or (isinstance(fn, type) and issubclass(fn, np.generic))
    return kind and str(getattr(fn, "__module__", None)).partition(".")[0] in ("numpy", "math")


def _with_host_values(fn: Any, *args: Any, **kwargs: Any) -> Any:
    if any(map(is_host, (*args, *kwargs.values()))):
        return host_call(fn, args, kwargs, f"{fn.__module__}.{fn.__name__}")
    return fn(*args, **kwargs)


# ---- texts -------------------------------------------------------------------------------------------


def _makes_text(fn: Any) -> bool:
    """Whether a function is one of Python's that write values as text, methods of texts among them."""
    method = isinstance(fn, BuiltinFunctionType) and isinstance(fn.__self__, str)
    return method or any(fn is maker for maker in TEXT_MAKERS)


def _with_texts(fn: Any, *args: Any, **kwargs: Any) -> Any:
    return written(partial(_called, fn), (args, kwargs))


def _called(fn: Any, args: Any, kwargs: Any) -> Any:
    return fn(*args, **kwargs)
