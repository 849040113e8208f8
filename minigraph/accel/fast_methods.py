"""Fast paths of methods with attributes, such as ``x.sum(1)`` or ``x[0]``: arguments are checked once.

The first call with some arguments, on an array of some layout, is recorded. If it was one operator call with certain
attributes, later calls with the same arguments and layout run its kernel directly.
"""

from __future__ import annotations

from functools import partial, wraps
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from minigraph.accel.array_layouts import ArrayLayout, layout_of
from minigraph.accel.kernels.table import KERNELS
from minigraph.core.aliases import CallResult, Function
from minigraph.core.op import Attrs, Op, active_context, forward_of, record_on
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.eager import EAGER, FLOAT_ERRORS, OPERAND_ERRORS
from minigraph.core.tensor.inplace import ViewStep, register_view

FALLBACK_ERRORS = (*OPERAND_ERRORS, *FLOAT_ERRORS)  # ``apply`` explains these, or computes the result all the same
MAX_CACHED_CALLS = 4096  # of one method; its cache is cleared when it is full
UNPACKED_TYPES = {tuple, slice}
KEY_TYPES = {int, NoneType, EllipsisType, type}  # none equals an int without being one, as 1.0 and True do
_new, _ndarray = Tensor.__new__, np.ndarray

# a cached operator call: record, checked attributes, kernel, how the result views the operand (if it does), and the
# layout of the result; a bare tuple, because that is unpacked fastest
CachedCall = tuple[Op, Attrs, Function, ViewStep | None, ArrayLayout]
Calls = dict[ArrayLayout, dict[Any, CachedCall]]


def attribute_method(reference: Function, _: Op) -> Function:
    """A method of one tensor and of attributes: numbers, slices and the like."""
    calls: Calls = {}

    @wraps(reference)
    def call(x: Tensor, *args: object, **kwargs: object) -> CallResult:
        """Call the cached kernel for the layout and the arguments; without one, the reference method."""
        now = active_context()
        if now is not None and now.interpreter is not EAGER:
            return reference(x, *args, **kwargs)
        key = _cache_key(args, kwargs) if kwargs else args
        for item in args:
            if item.__class__ is not int:
                key = _cache_key(args, kwargs)
                break
        try:
            op, attrs, kernel, step, layout = calls[x.array_layout or layout_of(x)][key]
            out = kernel(x.array)
        except KeyError:
            return _fill_cache(reference, x, args, kwargs, calls, key)
        except FALLBACK_ERRORS as error:
            reraise_handler_error(error)
            return reference(x, *args, **kwargs)
        result = _new(Tensor)
        result.array, result.array_layout = out if out.__class__ is _ndarray else np.asarray(out), layout
        if step is not None:
            register_view(x, result, step)
        if now is not None:
            now.record(op, (x,), attrs, result)
        return result

    return call


def _cache_key(args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[object, ...] | None:
    """A key that identifies the arguments; ``None`` if values of other types may equal some of them."""
    key = args if not args or args[0].__class__ not in UNPACKED_TYPES else _flat_index_key(args)
    for item in key:
        if item.__class__ not in KEY_TYPES:
            return None
    for name, value in kwargs.items():
        if value.__class__ not in KEY_TYPES and value.__class__ is not bool:
            return None
        key = (*key, name, value, value.__class__)
    return key


def _flat_index_key(args: tuple[object, ...]) -> tuple[object, ...]:
    """Arguments of which the first is a slice or a tuple, flattened: the class of the first, then its items."""
    first, key = args[0], [args[0].__class__]
    for item in first if first.__class__ is tuple else (first,):
        key += (slice, item.start, item.stop, item.step) if item.__class__ is slice else (item,)
    return (*key, *args[1:])


class _Recorder:
    """Records the operator calls that a method makes."""

    def __init__(self) -> None:
        self.calls: list[tuple[Op, tuple[Tensor, ...], Attrs, Tensor]] = []

    def record(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs, out: Tensor) -> None:
        """Record a call."""
        self.calls.append((op, args, attrs, out))


def _fill_cache(
    reference: Function, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], calls: Calls, key: object
) -> CallResult:
    """The result of a method; if it was one operator call on the tensor itself, the call is cached."""
    if key is None:
        return reference(x, *args, **kwargs)
    recorder = _Recorder()
    result = record_on(recorder).call(reference, x, *args, **kwargs)
    if len(recorder.calls) == 1:
        op, operands, attrs, out = recorder.calls[0]
        if out is result and len(operands) == 1 and operands[0] is x and not op.effects:
            if sum(map(len, calls.values())) >= MAX_CACHED_CALLS:
                calls.clear()
            calls.setdefault(layout_of(x), {})[key] = _cached_call(op, attrs, x.array, layout_of(out))
    return result


def _cached_call(op: Op, attrs: Attrs, array: np.ndarray, layout: ArrayLayout) -> CachedCall:
    """The call of an operator on arrays of the layout of ``array``, for a result of ``layout``."""
    kernel = KERNELS[op](array, **attrs) if op.view and op in KERNELS else None
    return (
        op,
        attrs,
        kernel or partial(forward_of(op, (array.dtype,)), **attrs),
        ViewStep(None, op, attrs, 0) if op.view else None,
        layout,
    )
