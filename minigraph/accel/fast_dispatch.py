"""Fast dispatch of eager operators: functions and methods that are one operator call skip ``apply`` on a cache hit.

An operator on a few elements would spend most of its time in ``apply``: promoting operands, wrapping the result,
recording on active tapes. The functions defined here cache, by the layouts of the operands, the kernel and the layout
of the result. Cache misses, and all calls during tracing, go through ``apply``. Both give the same bits: they call the
same kernel, which writes C contiguous results.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Any

import numpy as np

from minigraph.accel.array_layouts import ArrayLayout, layout_of
from minigraph.accel.fast_methods import FALLBACK_ERRORS, attribute_method
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.core.aliases import CallResult, Function
from minigraph.core.errors import DTypeError
from minigraph.core.op import NO_ATTRS, Op, active_context, active_observers, forward_of, op_named
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.tensor.eager import EAGER, KERNELS
from minigraph.core.tensor.promotion import constant
from minigraph.core.types import DTYPE_BY_NUMPY, is_emulated, scalar_dtype

# a kernel for operands of certain layouts, and the layout of its result; both ``None``: always ``apply``
FastPath = tuple[Function | None, ArrayLayout | None]
Paths = dict[ArrayLayout, FastPath]
SLOW_PATH: FastPath = (None, None)

MAX_CACHED_LAYOUTS = 4096  # of one function; its cache is cleared when it is full
_caches: list[dict[ArrayLayout, Any]] = []  # of all functions
_new, _ndarray = Tensor.__new__, np.ndarray


def function_of(reference: Function, operator: str, kind: str) -> Function:
    """``reference``, a function of one operator call, with a fast path; ``kind`` is a key of ``BUILDERS``."""
    return BUILDERS[kind](reference, op_named(operator))


def clear_fast_paths() -> None:
    """Clear the caches of all functions, and eager mode's, because kernels have changed."""
    KERNELS.clear()
    for cache in _caches:
        cache.clear()


def unary_function(reference: Callable[[Tensor], Tensor], op: Op) -> Callable[[Tensor], Tensor]:
    """A function of one operand."""
    paths: Paths = {}
    _caches.append(paths)

    @wraps(reference)
    def call(input: Tensor) -> Tensor:
        """Call the cached kernel for the operand's layout; without one, the reference implementation."""
        context = active_context()
        if context is not None and context.interpreter is not EAGER:
            return reference(input)
        try:
            kernel, layout = paths[input.array_layout or layout_of(input)]
            if kernel is None:
                return reference(input)
            out = kernel(input.array)
        except (AttributeError, KeyError):
            return _fill_cache(op, reference, partial(_cache_unary, paths), input)
        except FALLBACK_ERRORS as error:
            reraise_handler_error(error)
            return reference(input)
        result = _new(Tensor)
        result.array = out
        result.array_layout = layout
        if context is not None:
            context.record(op, (input,), NO_ATTRS, result)
        return result

    return call


def binary_function(reference: Callable[[Any, Any], Tensor], op: Op) -> Callable[[Any, Any], Tensor]:
    """A function of two operands, of which the second may be a Python number."""
    same_layout_paths: Paths = {}  # for two operands of one layout
    paths: dict[ArrayLayout, Paths] = {}
    _caches.extend((same_layout_paths, paths))

    @wraps(reference)
    def call(input: Any, other: Any) -> Tensor:
        """Call the cached kernel for both layouts; without one, the reference implementation."""
        context = active_context()
        if context is not None and context.interpreter is not EAGER:
            return reference(input, other)
        try:
            if other.__class__ is not Tensor:
                number_type = other.__class__
                if number_type is int or (number_type is float and other):
                    number = number_like(other, input.array.dtype)
                    other = other if number is None else number
            layout = input.array_layout
            if layout is other.array_layout and layout is not None:
                kernel, layout = same_layout_paths[layout]
            else:
                kernel, layout = paths[layout or layout_of(input)][other.array_layout or layout_of(other)]
            if kernel is None:
                return reference(input, other)
            out = kernel(input.array, other.array)
        except (AttributeError, KeyError):
            return _fill_cache(op, reference, partial(_cache_binary, same_layout_paths, paths), input, other)
        except FALLBACK_ERRORS as error:
            reraise_handler_error(error)
            return reference(input, other)
        result = _new(Tensor)
        result.array = out
        result.array_layout = layout
        if context is not None:
            context.record(op, (input, other), NO_ATTRS, result)
        return result

    return call


def reflected_method(reference: Callable[[Any, Any], Tensor], op: Op) -> Callable[[Any, Any], Tensor]:
    """A method ``reference(tensor, number)`` that computes ``number (operator) tensor``, such as ``__radd__``."""
    swapped_function = binary_function(lambda x, y: reference(y, x), op)

    @wraps(reference)
    def call(x: object, y: object) -> Tensor:
        """The operator with swapped operands; numbers are converted to the tensor's dtype first."""
        number_type = y.__class__
        if x.__class__ is Tensor and (number_type is int or (number_type is float and y)):
            number = number_like(y, x.array.dtype)
            if number is not None:
                return swapped_function(number, x)
        return reference(x, y)

    return call


BUILDERS: dict[str, Callable[[Function, Op], Function]] = {
    "unary": unary_function,
    "binary": binary_function,
    "reflected": reflected_method,
    "attributes": attribute_method,
}


@lru_cache(maxsize=4096, typed=True)
def number_like(value: int | float, dtype: np.dtype) -> Tensor | None:
    """A number other than 0.0 as a 0-d tensor of ``dtype``; ``None`` if type promotion would cast the tensor operand.

    >>> number_like(2, np.dtype("float32"))
    Tensor(shape=[], dtype=Float32, value= 2)
    """
    tensor_dtype = DTYPE_BY_NUMPY[dtype]
    try:
        return constant(value, tensor_dtype) if scalar_dtype(value, tensor_dtype) is tensor_dtype else None
    except DTypeError:
        return None


# ---- cache misses --------------------------------------------------------------------------------------


def _fill_cache(op: Op, reference: Function, cache: Callable[..., None], *operands: Any) -> CallResult:
    """The result for operands of layouts that are not in a function's cache; caches the path that computed it."""
    if not all(isinstance(operand, Tensor) for operand in operands):
        return reference(*operands)
    first, last = layout_of(operands[0]), layout_of(operands[-1])
    kernel = _kernel(op, first, last)
    if kernel is None:
        result = reference(*operands)
        if _kernel(op, first, last) is None:
            cache(first, last, SLOW_PATH)
        return result
    try:
        out = kernel(*[operand.array for operand in operands])
    except FALLBACK_ERRORS as error:  # above all for shapes that do not broadcast
        reraise_handler_error(error)
        return reference(*operands)
    if out.__class__ is tuple:
        cache(first, last, SLOW_PATH)
        return reference(*operands)
    result = wrap(np.asarray(out))
    cache(first, last, (kernel if out.__class__ is _ndarray else _array_kernel(kernel), layout_of(result)))
    for observer in active_observers():
        observer.record(op, operands, NO_ATTRS, result)
    return result


def _array_kernel(kernel: Function) -> Function:
    """A kernel that returns numpy scalars (ufuncs do, for 0-d operands) as one that returns arrays."""
    return lambda *arrays: np.asarray(kernel(*arrays))


def _kernel(op: Op, first: ArrayLayout, last: ArrayLayout) -> Function | None:
    """The kernel of an operator for operands of these layouts; ``None`` if the call has to go through ``apply``.

    A ufunc writes C contiguous results for C contiguous operands by itself; asking for that order takes longer.
    """
    if first.dtype != last.dtype or op.view or op.effects or op.canonical is not None:
        return None
    if (op, *[first.dtype] * (op.arity or 0)) not in KERNELS or is_emulated(first.dtype):
        return None
    ufunc = ufunc_of(op)
    if ufunc is None:
        return forward_of(op)
    return ufunc if first.c_contiguous and last.c_contiguous else partial(ufunc, order="C")


def _cache_unary(paths: Paths, layout: ArrayLayout, _: ArrayLayout, path: FastPath) -> None:
    if len(paths) >= MAX_CACHED_LAYOUTS:
        paths.clear()
    paths[layout] = path


def _cache_binary(
    same_layout_paths: Paths,
    paths: dict[ArrayLayout, Paths],
    first: ArrayLayout,
    last: ArrayLayout,
    path: FastPath,
) -> None:
    if sum(map(len, paths.values())) >= MAX_CACHED_LAYOUTS:
        paths.clear()
        same_layout_paths.clear()
    if first is last:
        same_layout_paths[first] = path
    paths.setdefault(first, {})[last] = path
