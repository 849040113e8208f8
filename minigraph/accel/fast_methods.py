"""Fast paths of methods with attributes, such as ``x.sum(1)`` or ``x[0]``: arguments are checked once.

What a method comes down to for a shape, a dtype and some arguments, one operator with certain attributes, is learnt by
recording what it calls the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from minigraph.accel.array_forms import Form, form_of
from minigraph.accel.kernels.table import KERNELS
from minigraph.core.op import Attrs, Op, forward_of, listening, open_now
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.eager import EAGER, LOUD, REFUSALS
from minigraph.core.tensor.inplace import Step, note_view

Fn = Callable[..., Any]

REFUSED = (*REFUSALS, *LOUD)  # what ``apply`` explains, or computes all the same
MAX_CALLS = 1024  # calls that a method remembers, before it begins anew
UNPACKED = {tuple, slice}
PLAIN = {int, NoneType, EllipsisType, type}  # nothing that equals an int without being one, as 1.0 and True do
_new, _ndarray = Tensor.__new__, np.ndarray

# one call of an operator: its record, its checked attributes, what computes it, how the result views the operand, if
# it does, and the form of the result; a bare tuple, because that is unpacked fastest
Call = tuple[Op, Attrs, Fn, Step | None, Form]


def with_attributes(plain: Fn, _: Op) -> Fn:
    """A method of one tensor and of numbers, slices and the like."""
    known: dict[Form, dict[Any, Call]] = {}

    @wraps(plain)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(x, *args, **kwargs)
        key = _key_of(args, kwargs) if kwargs else args
        for item in args:
            if item.__class__ is not int:
                key = _key_of(args, kwargs)
                break
        try:
            op, attrs, kernel, step, form = known[x.form or form_of(x)][key]
            out = kernel(x.array)
        except KeyError:
            return _learn(plain, x, args, kwargs, known, key)
        except REFUSED:
            return plain(x, *args, **kwargs)
        result = _new(Tensor)
        result.array, result.form = out if out.__class__ is _ndarray else np.asarray(out), form
        if step is not None:
            note_view(x, result, step)
        if now is not None:
            now.record(op, (x,), attrs, result)
        return result

    return call


def _key_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """Arguments as a key that no other arguments have; ``None`` if some cannot be told from others."""
    key = args if not args or args[0].__class__ not in UNPACKED else _unpacked(args)
    for item in key:
        if item.__class__ not in PLAIN:
            return None
    for name, value in kwargs.items():
        if value.__class__ not in PLAIN and value.__class__ is not bool:
            return None
        key = (*key, name, value, value.__class__)
    return key


def _unpacked(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of which the first is a slice or a tuple: what is in it, behind its class."""
    first, key = args[0], [args[0].__class__]
    for item in first if first.__class__ is tuple else (first,):
        key += (slice, item.start, item.stop, item.step) if item.__class__ is slice else (item,)
    return (*key, *args[1:])


class _Recorder:
    """Keeps the operator calls that a method makes."""

    def __init__(self) -> None:
        self.calls: list[tuple[Op, tuple[Any, ...], Attrs, Any]] = []

    def record(self, op: Op, args: tuple[Any, ...], attrs: Attrs, out: Any) -> None:
        """Keep a call."""
        self.calls.append((op, args, attrs, out))


def _learn(
    plain: Fn, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], known: dict[Form, dict[Any, Call]], key: Any
) -> Any:
    """The result of a method; if it was one operator on the tensor itself, the call is kept."""
    if key is None:
        return plain(x, *args, **kwargs)
    recorder = _Recorder()
    with listening(recorder):
        result = plain(x, *args, **kwargs)
    if len(recorder.calls) == 1:
        op, operands, attrs, out = recorder.calls[0]
        if out is result and len(operands) == 1 and operands[0] is x and not op.effects:
            if len(known) >= MAX_CALLS or len(known.get(form_of(x), ())) >= MAX_CALLS:
                known.clear()
            known.setdefault(form_of(x), {})[key] = _call(op, attrs, x.array, form_of(out))
    return result


def _call(op: Op, attrs: Attrs, array: np.ndarray, form: Form) -> Call:
    """The call of an operator on arrays like this one, for a result of a form."""
    kernel = KERNELS[op](array, **attrs) if op.view and op in KERNELS else None
    return op, attrs, kernel or partial(forward_of(op), **attrs), Step(None, op, attrs, 0) if op.view else None, form
