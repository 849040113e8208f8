"""Fast dispatch: functions and methods that are one operator, on operands like those they have met before.

An operator on a few numbers would spend most of its time in ``apply``: converting operands, wrapping the result,
telling open tapes. The functions made here do all of it at once, for operands of shapes, strides and dtypes that were
seen before. Everything else, and everything while a graph is captured, goes through ``apply``. Both give the same
bits: they call the same kernel, which writes in C order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Any

import numpy as np

from minigraph.accel.array_forms import Form, form_of
from minigraph.accel.fast_methods import REFUSED, with_attributes
from minigraph.accel.host.ufuncs import checked_ufunc_of
from minigraph.core.errors import DTypeError
from minigraph.core.op import NO_ATTRS, Op, forward_of, listeners, op_named, open_now
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.tensor.eager import EAGER
from minigraph.core.tensor.promotion import constant
from minigraph.core.types import BY_NUMPY, scalar_dtype

Fn = Callable[..., Any]

# what computes operands of certain forms, and the form of its result; ``None`` for both: only ``apply`` can tell
FastPath = tuple[Fn | None, Form | None]
SLOW: FastPath = (None, None)

MAX_FORMS = 1024  # forms that a function remembers a path for, before it begins anew
_learnt: list[dict[Form, Any]] = []  # the paths of all functions
_new, _ndarray = Tensor.__new__, np.ndarray


def function_of(plain: Fn, operator: str, kind: str) -> Fn:
    """``plain``, which is one call of an operator, with fast paths of the given kind (``KINDS``)."""
    return KINDS[kind](plain, op_named(operator))


def forget_paths() -> None:
    """Learn all fast paths anew, because kernels are not what they were."""
    for paths in _learnt:
        paths.clear()


def unary(plain: Callable[[Any], Any], op: Op) -> Callable[[Any], Any]:
    """A function of one operand."""
    paths: dict[Form, FastPath] = {}
    _learnt.append(paths)

    @wraps(plain)
    def call(input: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(input)
        try:
            kernel, form = paths[input.form or form_of(input)]
            if kernel is None:
                return plain(input)
            out = kernel(input.array)
        except (AttributeError, KeyError):
            return _learn(op, plain, partial(_keep_unary, paths), input)
        except REFUSED:
            return plain(input)
        result = _new(Tensor)
        result.array = out
        result.form = form
        if now is not None:
            now.record(op, (input,), NO_ATTRS, result)
        return result

    return call


def binary(plain: Callable[[Any, Any], Any], op: Op) -> Callable[[Any, Any], Any]:
    """A function of two operands, of which the second may be a Python number."""
    same: dict[Form, FastPath] = {}  # for two operands of one form
    paths: dict[Form, dict[Form, FastPath]] = {}
    _learnt.extend((same, paths))

    @wraps(plain)
    def call(input: Any, other: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(input, other)
        try:
            if other.__class__ is not Tensor:
                kind = other.__class__
                if kind is int or (kind is float and other):
                    number = number_like(other, input.array.dtype)
                    other = other if number is None else number
            form = input.form
            if form is other.form and form is not None:
                kernel, form = same[form]
            else:
                kernel, form = paths[form or form_of(input)][other.form or form_of(other)]
            if kernel is None:
                return plain(input, other)
            out = kernel(input.array, other.array)
        except (AttributeError, KeyError):
            return _learn(op, plain, partial(_keep_binary, same, paths), input, other)
        except REFUSED:
            return plain(input, other)
        result = _new(Tensor)
        result.array = out
        result.form = form
        if now is not None:
            now.record(op, (input, other), NO_ATTRS, result)
        return result

    return call


def reflected(plain: Callable[[Any, Any], Any], op: Op) -> Callable[[Any, Any], Any]:
    """A method ``plain(tensor, number)`` that computes ``number (operator) tensor``, such as ``__radd__``."""
    straight = binary(lambda x, y: plain(y, x), op)

    @wraps(plain)
    def call(x: Any, y: Any) -> Any:
        kind = y.__class__
        if x.__class__ is Tensor and (kind is int or (kind is float and y)):
            number = number_like(y, x.array.dtype)
            if number is not None:
                return straight(number, x)
        return plain(x, y)

    return call


KINDS: dict[str, Callable[[Fn, Op], Fn]] = {
    "unary": unary,
    "binary": binary,
    "reflected": reflected,
    "attributes": with_attributes,
}


@lru_cache(maxsize=4096, typed=True)
def number_like(value: int | float, dtype: np.dtype) -> Tensor | None:
    """A number, but no zero of a float, as the tensor it is among tensors of ``dtype``; ``None`` if those are cast.

    >>> number_like(2, np.dtype("float32"))
    Tensor(shape=[], dtype=Float32, value= 2)
    """
    known = BY_NUMPY[dtype]
    try:
        return constant(value, known) if scalar_dtype(value, known) is known else None
    except DTypeError:
        return None


# ---- learning a fast path ------------------------------------------------------------------------------


def _learn(op: Op, plain: Fn, keep: Callable[[Form, Form, FastPath], None], *operands: Any) -> Any:
    """The result for operands of forms that are new to a function, which keeps how it was computed."""
    if not all(isinstance(operand, Tensor) for operand in operands):
        return plain(*operands)
    first, last = form_of(operands[0]), form_of(operands[-1])
    kernel = _kernel(op, first, last)
    if kernel is None:
        result = plain(*operands)
        if _kernel(op, first, last) is None:
            keep(first, last, SLOW)
        return result
    try:
        out = kernel(*[operand.array for operand in operands])
    except REFUSED:  # shapes that do not fit, above all
        return plain(*operands)
    if out.__class__ is tuple:
        keep(first, last, SLOW)
        return plain(*operands)
    result = wrap(np.asarray(out))
    keep(first, last, (kernel if out.__class__ is _ndarray else _as_arrays(kernel), form_of(result)))
    for listener in listeners():
        listener.record(op, operands, NO_ATTRS, result)
    return result


def _as_arrays(kernel: Fn) -> Fn:
    """A kernel that gives numbers of numpy's, which it does for a single element, as one that gives arrays."""
    return lambda *arrays: np.asarray(kernel(*arrays))


def _kernel(op: Op, first: Form, last: Form) -> Fn | None:
    """What computes an operator on operands of these forms; ``None`` if only ``apply`` can tell.

    A ufunc by itself writes in C order where the operands lie in it; asking for it takes longer.
    """
    if first.dtype != last.dtype or op.view or op.effects or op.canonical is not None:
        return None
    if not EAGER.accepts(op, first.dtype):
        return None
    ufunc = checked_ufunc_of(op)
    if ufunc is None:
        return forward_of(op)
    return ufunc if first.ordered and last.ordered else partial(ufunc, order="C")


def _keep_unary(paths: dict[Form, FastPath], form: Form, _: Form, path: FastPath) -> None:
    if len(paths) >= MAX_FORMS:
        paths.clear()
    paths[form] = path


def _keep_binary(
    same: dict[Form, FastPath], paths: dict[Form, dict[Form, FastPath]], first: Form, last: Form, path: FastPath
) -> None:
    if len(paths) >= MAX_FORMS or len(paths.get(first, ())) >= MAX_FORMS:
        paths.clear()
        same.clear()
    if first is last:
        same[first] = path
    paths.setdefault(first, {})[last] = path
