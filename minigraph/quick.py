"""The short way of eager operators: door, lift, emit and hear in one, for operands that raise no question.

An operator on a few numbers would spend most of its time on the way through the house. These functions stand in for
Tensor's methods and for functions that are one operator; whatever is not as simple goes the long way. Both give the
same bits: they call the same ufunc, and have it write in C order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from minigraph.eager import EAGER, LOUD, REFUSALS
from minigraph.op import NO_ATTRS, TABLE, Attrs, Op, listening, open_now
from minigraph.tensor import Tensor
from minigraph.tensor.inplace import Step, note_view
from minigraph.tensor.lift import number_beside

Fn = Callable[..., Any]

UNARY = {"__neg__": "neg", "__abs__": "abs"} | {name: name for name in ("abs", "exp", "log", "sqrt", "tanh")}
BINARY = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div",
    "__floordiv__": "floor_div", "__mod__": "floor_mod", "__eq__": "equal", "__ne__": "not_equal",
    "__lt__": "less", "__le__": "less_equal", "__gt__": "greater", "__ge__": "greater_equal",
}  # fmt: skip
SWAPPED = {"__radd__": "add", "__rsub__": "sub", "__rmul__": "mul", "__rtruediv__": "div"}
CONFIGURED = (
    "__getitem__", "reshape", "view", "flatten", "transpose", "permute", "swapaxes", "expand_dims", "unsqueeze",
    "squeeze", "sum", "mean", "max", "min", "argmax", "softmax",
)  # fmt: skip
PROPERTIES = ("T", "mT")
TAKEN_APART = {tuple, slice}
PLAIN = {int, NoneType, EllipsisType, type}  # nothing that equals an int without being one, as 1.0 and True do
KEPT = 1024  # kinds of calls that a method remembers
_new, _ndarray = Tensor.__new__, np.ndarray


def quick_unary(name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``plain``, a function of one operand that is the operator ``name``, done sooner where the operand allows."""
    ufuncs = EAGER.ufuncs[name]

    @wraps(plain)
    def call(input: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(input)
        if input.__class__ is not Tensor and not isinstance(input, Tensor):
            return plain(input)
        array = input.array
        try:
            out = ufuncs[array.dtype](array, order="C")
        except (KeyError, *LOUD):
            return plain(input)
        result = _new(Tensor)
        result.array = out if out.__class__ is _ndarray else np.asarray(out)
        if now is not None:
            for listener in now.listeners:
                listener.hear(TABLE[name], (input,), NO_ATTRS, result)
        return result

    return call


def quick_binary(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``plain``, a function of two operands that is the operator ``name``, done sooner where the operands allow."""
    ufuncs = EAGER.ufuncs[name]

    @wraps(plain)
    def call(input: Any, other: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(input, other)
        if input.__class__ is not Tensor and not isinstance(input, Tensor):  # the usual case, asked the shortest way
            return plain(input, other)
        left = input.array
        dtype = left.dtype
        if other.__class__ is not Tensor:
            kind = other.__class__
            number = number_beside(other, dtype) if kind is int or (kind is float and other) else other
            if not isinstance(number, Tensor):
                return plain(input, other)
            other = number
        right = other.array
        if right.dtype is not dtype:
            return plain(input, other)
        try:
            out = ufuncs[dtype](left, right, order="C")
        except (KeyError, ValueError, *LOUD):  # not asked before, or shapes that do not fit
            return plain(input, other)
        result = _new(Tensor)
        result.array = out if out.__class__ is _ndarray else np.asarray(out)
        if now is not None:
            for listener in now.listeners:
                listener.hear(TABLE[name], (input, other), NO_ATTRS, result)
        return result

    return call


def quick_swapped(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same for ``plain(tensor, number)`` that computes ``number (operator) tensor``."""
    straight = quick_binary(name, lambda x, y: plain(y, x))

    @wraps(plain)
    def call(x: Any, y: Any) -> Any:
        kind = y.__class__
        if x.__class__ is Tensor and (kind is int or (kind is float and y)):
            number = number_beside(y, x.array.dtype)
            if number is not None:
                return straight(number, x)
        return plain(x, y)

    return call


# ---- methods with attributes ---------------------------------------------------------------------------


# the one call of an operator that a method comes down to: its record, its attributes, all checked, what computes it,
# and how the result views the operand, if it does; a bare tuple, because that is taken apart fastest
Known = tuple[Op, Attrs, Fn, Step | None]


class _Learner:
    """Hears what a method does."""

    def __init__(self) -> None:
        self.heard: list[tuple[Op, tuple[Any, ...], Attrs, Any]] = []

    def hear(self, op: Op, args: tuple[Any, ...], attrs: Attrs, out: Any) -> None:
        """Keep a call."""
        self.heard.append((op, args, attrs, out))


def quick_configured(plain: Fn) -> Fn:
    """``plain``, a method of one tensor configured by numbers, that checks them once for a shape and a dtype.

    What it comes down to, one operator with these attributes, is learnt by listening to it.
    """
    known: dict[Any, Known] = {}

    @wraps(plain)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(x, *args, **kwargs)
        told = args if not args or args[0].__class__ not in TAKEN_APART else _taken_apart(args)
        for item in told:
            if item.__class__ not in PLAIN:
                return plain(x, *args, **kwargs)
        if kwargs:
            for name, value in kwargs.items():
                if value.__class__ not in PLAIN and value.__class__ is not bool:
                    return plain(x, *args, **kwargs)
                told = (*told, name, value, value.__class__)
        array = x.array
        key = (array.shape, array.dtype, told)
        found = known.get(key)
        if found is None:
            return _learnt(plain, x, args, kwargs, known, key)
        op, attrs, kernel, step = found
        try:
            out = kernel(array)
        except (*REFUSALS, *LOUD):
            return plain(x, *args, **kwargs)
        result = _new(Tensor)
        result.array = out if out.__class__ is _ndarray else np.asarray(out)
        if step is not None:
            note_view(x, result, step)
        if now is not None:
            for listener in now.listeners:
                listener.hear(op, (x,), attrs, result)
        return result

    return call


def _taken_apart(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of which the first is a slice or a tuple, what is in it laid open behind its class."""
    first, told = args[0], [args[0].__class__]
    for item in first if first.__class__ is tuple else (first,):
        told += (slice, item.start, item.stop, item.step) if item.__class__ is slice else (item,)
    return (*told, *args[1:])


def _learnt(
    plain: Fn, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], known: dict[Any, Known], key: Any
) -> Any:
    """The result of a method, and a note of what it did if that was one operator on the tensor itself."""
    learner = _Learner()
    with listening(learner):
        result = plain(x, *args, **kwargs)
    if len(learner.heard) == 1:
        op, operands, attrs, out = learner.heard[0]
        if out is result and len(operands) == 1 and operands[0] is x and not op.effects:
            if len(known) >= KEPT:
                known.clear()
            known[key] = _known(op, attrs, x.array)
    return result


def _known(op: Op, attrs: Attrs, array: np.ndarray) -> Known:
    """What is to be done to arrays like this one; views are taken the same way however the array lies."""
    kernel = op.kernel(array, **attrs) if op.view and op.kernel is not None else None
    return op, attrs, kernel or partial(op.forward, **attrs), Step(None, op, attrs, 0) if op.view else None


def shorten() -> None:
    """Give Tensor's methods their short ways, once it has them all."""
    for way, methods in ((quick_unary, UNARY), (quick_binary, BINARY), (quick_swapped, SWAPPED)):
        for method, name in methods.items():
            setattr(Tensor, method, way(name, getattr(Tensor, method)))
    for method in CONFIGURED:
        setattr(Tensor, method, quick_configured(getattr(Tensor, method)))
    for method in PROPERTIES:
        setattr(Tensor, method, property(quick_configured(getattr(Tensor, method).fget)))
