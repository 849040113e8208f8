"""Conversion of calls in translated code: ``f(x)`` becomes ``mg.call(f)(x)``.

A user's function is translated. Functions of Python and numpy that need values, to print them, format them or convert
them to arrays, are replaced by functions that defer this to the run of the graph.
"""

from __future__ import annotations

import builtins
import functools
import itertools
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from minigraph.capture.body_limits import call_counting_loops, call_with_end, counts_loops, is_body
from minigraph.core.aliases import Function
from minigraph.core.op import current_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.translate.host_arrays import as_tensor, host_call, host_print, is_host
from minigraph.translate.host_text import FORMATTERS, deferred_text
from minigraph.translate.range_loops import checked_range

CALL = "__call__"
HIGHER_ORDER = (map, filter, itertools.starmap, itertools.groupby, functools.reduce)  # functions in C


def call(fn: Function) -> Any:
    """The function that translated code calls instead of ``fn``, mostly ``fn`` itself.

    While the body of a branch or loop is traced, which may be code that never runs, calls are also limited: Python
    loops of functions that are not translated are counted, and functions in C get no iterator without end.

    >>> call(len)
    <built-in function len>
    """
    converted = _convert(fn)
    if is_body(current_interpreter()):
        if isinstance(fn, BuiltinFunctionType | type):
            return partial(call_with_end, converted)
        if converted is fn and isinstance(fn, FunctionType | MethodType) and not counts_loops(fn.__code__):
            return partial(call_counting_loops, fn)
    return converted


def _convert(fn: Function) -> Any:
    """The translated function, or the one that also works on tracers and host values; else ``fn``."""
    if fn is type:
        return _type_of
    if any(fn is function for function in HIGHER_ORDER):
        return partial(_call_higher_order, fn)
    if fn is Tensor or fn is Tensor.from_numpy:
        return partial(_to_tensor, fn)
    if isinstance(fn, FunctionType | MethodType | partial):
        return converted_function(fn)
    if fn is builtins.print:
        return host_print
    if fn is builtins.range:
        return checked_range
    if _is_numpy(fn):
        return partial(_call_on_host, fn)
    if _is_formatter(fn):
        return partial(_format_on_host, fn)
    return fn if call_method(fn) is None else converted_function(fn)


def call_method(obj: object) -> MethodType | None:
    """The Python method that runs when a callable object is called; ``None`` for functions and built-in callables.

    >>> call_method(len)
    """
    method = None if isinstance(obj, type) else getattr(type(obj), CALL, None)
    return MethodType(method, obj) if isinstance(method, FunctionType) else None


# ---- tensors -----------------------------------------------------------------------------------------


def _type_of(*args: Any, **kwargs: Any) -> Any:
    """``type(...)``: of a tracer or host value, the class that it has in eager mode."""
    if len(args) == 1 and not kwargs:
        (value,) = args
        if isinstance(value, Tensor) and value.is_traced:
            return value.class_in_eager_mode()
        if is_host(value):
            return value.dtype.type if value.kind is np.generic else value.kind
    make: Any = type  # also of a new class: type(name, bases, namespace)
    return make(*args, **kwargs)


def _call_higher_order(fn: Function, *args: object, **kwargs: Any) -> Any:
    """``map(type, values)`` and the like: ``type`` gives the class in eager mode."""
    kwargs = {name: _type_of if value is type else value for name, value in kwargs.items()}
    return fn(*[_type_of if arg is type else arg for arg in args], **kwargs)


def _to_tensor(make: Any, *args: Any, **kwargs: Any) -> Any:
    """``Tensor(...)`` or ``Tensor.from_numpy(...)``; for host values and tensors, a node."""
    data = args[0] if args else kwargs.get("input_data")
    if not (is_host(data) or isinstance(data, Tensor)):
        return make(*args, **kwargs)
    return as_tensor(data, *args[1:], **{name: value for name, value in kwargs.items() if name != "input_data"})


# ---- numpy -------------------------------------------------------------------------------------------


def _is_numpy(fn: object) -> bool:
    """Whether a function is one in C of numpy or math, which reads the values of its arguments itself."""
    is_in_c = isinstance(fn, BuiltinFunctionType) or (isinstance(fn, type) and issubclass(fn, np.generic))
    return is_in_c and str(getattr(fn, "__module__", None)).partition(".")[0] in ("numpy", "math")


def _call_on_host(fn: Function, *args: object, **kwargs: Any) -> Any:
    if any(map(is_host, (*args, *kwargs.values()))):
        return host_call(fn, args, kwargs, f"{fn.__module__}.{fn.__name__}")
    return fn(*args, **kwargs)


# ---- strings -----------------------------------------------------------------------------------------


def _is_formatter(fn: object) -> bool:
    """Whether a function is one of Python's that format values, including methods of strings."""
    is_method_of_str = isinstance(fn, BuiltinFunctionType) and isinstance(fn.__self__, str)
    return is_method_of_str or any(fn is formatter for formatter in FORMATTERS)


def _format_on_host(fn: Function, *args: object, **kwargs: object) -> Any:
    return deferred_text(partial(_call, fn), (args, kwargs))


def _call(fn: Function, args: Any, kwargs: Any) -> Any:
    return fn(*args, **kwargs)
