"""The short way of eager operators: door, lift, emit and hear in one, for operands that raise no question.

An operator on a few numbers would spend most of its time on the way through the house. These functions stand in for
Tensor's methods and for functions that are one operator; whatever is not as simple goes the long way. Both give the
same bits: they call the same ufunc, and have it write in C order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from minigraph.eager import EAGER, LOUD, REFUSALS
from minigraph.op import NO_ATTRS, TABLE, Attrs, Op, listeners, listening, open_now
from minigraph.tensor import Tensor, wrap
from minigraph.tensor.forms import Form, form_of
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
KEPT = 1024  # kinds of calls that a method remembers, before it begins anew
_new, _ndarray = Tensor.__new__, np.ndarray

# what an operator does with operands of certain forms: the kernel, and the form of its result; ``None`` for both where
# it has to go the long way
Way = tuple[Fn | None, Form | None]
LONG: Way = (None, None)

# The functions below are written out for each operator, because a form holds its ways in attributes, which are found
# sooner than anything in a dict: 0.04 µs of the 0.25 µs that numpy takes for a few numbers.
UNARY_TEXT = """\
def call(input):
    now = open_now()
    if now is not None and now.interpreter is not EAGER:
        return plain(input)
    try:
        kernel, form = (input.form or form_of(input)).{way}
        if kernel is None:
            return plain(input)
        out = kernel(input.array)
    except AttributeError:
        return learn(input)
    except LOUD:
        return plain(input)
    result = new(Tensor)
    result.array = out
    result.form = form
    if now is not None:
        now.hear(TABLE["{name}"], (input,), NO_ATTRS, result)
    return result
"""
BINARY_TEXT = """\
def call(input, other):
    now = open_now()
    if now is not None and now.interpreter is not EAGER:
        return plain(input, other)
    try:
        if other.__class__ is not Tensor:
            kind = other.__class__
            if kind is int or (kind is float and other):
                number = number_beside(other, input.array.dtype)
                other = other if number is None else number
        form = input.form
        if form is other.form and form is not None:
            kernel, form = form.{way}
        else:
            kernel, form = ways[form or form_of(input)][other.form or form_of(other)]
        if kernel is None:
            return plain(input, other)
        out = kernel(input.array, other.array)
    except (AttributeError, KeyError):
        return learn(input, other)
    except LOUD:
        return plain(input, other)
    result = new(Tensor)
    result.array = out
    result.form = form
    if now is not None:
        now.hear(TABLE["{name}"], (input, other), NO_ATTRS, result)
    return result
"""
FILE = str(Path(__file__).with_name("<quick {}>"))  # so that errors name the user's line, not one of ours
SPACE: dict[str, Any] = {
    "EAGER": EAGER, "LOUD": LOUD, "NO_ATTRS": NO_ATTRS, "TABLE": TABLE, "Tensor": Tensor, "form_of": form_of,
    "new": _new, "number_beside": number_beside, "open_now": open_now,
}  # fmt: skip


def quick_unary(name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``plain``, a function of one operand that is the operator ``name``, done sooner where the operand allows."""

    def keep(form: Form, _: Form, way: Way) -> None:
        setattr(form, _attribute(name), way)

    return _written(UNARY_TEXT, name, plain, keep)


def quick_binary(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``plain``, a function of two operands that is the operator ``name``, done sooner where the operands allow."""
    ways: dict[Form, dict[Form, Way]] = {}

    def keep(form: Form, beside: Form, way: Way) -> None:
        if form is beside:
            setattr(form, _attribute(name), way)
        if len(ways) >= KEPT or len(ways.get(form, ())) >= KEPT:
            ways.clear()
        ways.setdefault(form, {})[beside] = way

    return _written(BINARY_TEXT, name, plain, keep, ways=ways)


def _written(text: str, name: str, plain: Fn, keep: Callable[[Form, Form, Way], None], **own: Any) -> Fn:
    """The function of a text, for one operator, in the place of ``plain``."""
    space = SPACE | {"plain": plain, "learn": partial(_learnt, name, plain, keep)} | own
    exec(compile(text.format(name=name, way=_attribute(name)), FILE.format(name), "exec"), space)
    return wraps(plain)(space["call"])


def _attribute(name: str) -> str:
    """Where a form keeps the way of an operator."""
    return f"way{_numbers.setdefault(name, len(_numbers))}"


_numbers: dict[str, int] = {}  # of operators, because not every name of one can be an attribute's


def _learnt(name: str, plain: Fn, keep: Callable[[Form, Form, Way], None], *operands: Any) -> Any:
    """The result of an operator that meets these forms for the first time; how it came about is kept."""
    if not all(isinstance(operand, Tensor) for operand in operands):
        return plain(*operands)
    first, last, ufuncs = form_of(operands[0]), form_of(operands[-1]), EAGER.ufuncs[name]
    ufunc = ufuncs.get(first.dtype) if first.dtype == last.dtype else None
    if ufunc is None:
        result = plain(*operands)
        if first.dtype != last.dtype or first.dtype not in ufuncs:
            keep(first, last, LONG)
        return result
    kernel = _kernel(ufunc, first.ordered and last.ordered, bool(first.shape or last.shape))
    try:
        result = wrap(kernel(*[operand.array for operand in operands]))
    except (ValueError, *LOUD):  # shapes that do not fit, above all
        return plain(*operands)
    keep(first, last, (kernel, form_of(result)))
    for listener in listeners():
        listener.hear(TABLE[name], operands, NO_ATTRS, result)
    return result


def _kernel(ufunc: np.ufunc, ordered: bool, array: bool) -> Fn:
    """What computes an ``array`` in C order: a ufunc alone if operands are ``ordered``; told to, it takes longer."""
    if not array:
        return lambda *numbers: np.asarray(ufunc(*numbers))
    return ufunc if ordered else partial(ufunc, order="C")


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
# how the result views the operand, if it does, and its form; a bare tuple, because that is taken apart fastest
Known = tuple[Op, Attrs, Fn, Step | None, Form]


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
    known: dict[Form, dict[Any, Known]] = {}

    @wraps(plain)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        now = open_now()
        if now is not None and now.interpreter is not EAGER:
            return plain(x, *args, **kwargs)
        told = _told(args, kwargs) if kwargs else args
        for item in args:
            if item.__class__ is not int:
                told = _told(args, kwargs)
                break
        try:
            op, attrs, kernel, step, form = known[x.form or form_of(x)][told]
            out = kernel(x.array)
        except KeyError:
            return _known_from(plain, x, args, kwargs, known, told)
        except (*REFUSALS, *LOUD):
            return plain(x, *args, **kwargs)
        result = _new(Tensor)
        result.array, result.form = out if out.__class__ is _ndarray else np.asarray(out), form
        if step is not None:
            note_view(x, result, step)
        if now is not None:
            now.hear(op, (x,), attrs, result)
        return result

    return call


def _told(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """Arguments as one key that tells them from all others; ``None`` if there are any that it could not."""
    told = args if not args or args[0].__class__ not in TAKEN_APART else _taken_apart(args)
    for item in told:
        if item.__class__ not in PLAIN:
            return None
    for name, value in kwargs.items():
        if value.__class__ not in PLAIN and value.__class__ is not bool:
            return None
        told = (*told, name, value, value.__class__)
    return told


def _taken_apart(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of which the first is a slice or a tuple, what is in it laid open behind its class."""
    first, told = args[0], [args[0].__class__]
    for item in first if first.__class__ is tuple else (first,):
        told += (slice, item.start, item.stop, item.step) if item.__class__ is slice else (item,)
    return (*told, *args[1:])


def _known_from(
    plain: Fn, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], known: dict[Form, dict[Any, Known]], told: Any
) -> Any:
    """The result of a method, and a note of what it did if that was one operator on the tensor itself."""
    if told is None:
        return plain(x, *args, **kwargs)
    learner = _Learner()
    with listening(learner):
        result = plain(x, *args, **kwargs)
    if len(learner.heard) == 1:
        op, operands, attrs, out = learner.heard[0]
        if out is result and len(operands) == 1 and operands[0] is x and not op.effects:
            if len(known) >= KEPT or len(known.get(form_of(x), ())) >= KEPT:
                known.clear()
            known.setdefault(form_of(x), {})[told] = _known(op, attrs, x.array, form_of(out))
    return result


def _known(op: Op, attrs: Attrs, array: np.ndarray, form: Form) -> Known:
    """What is to be done to arrays like this one, for a result of a form."""
    kernel = op.kernel(array, **attrs) if op.view and op.kernel is not None else None
    return op, attrs, kernel or partial(op.forward, **attrs), Step(None, op, attrs, 0) if op.view else None, form


def shorten() -> None:
    """Give Tensor's methods their short ways, once it has them all."""
    for way, methods in ((quick_unary, UNARY), (quick_binary, BINARY), (quick_swapped, SWAPPED)):
        for method, name in methods.items():
            setattr(Tensor, method, way(name, getattr(Tensor, method)))
    for method in CONFIGURED:
        setattr(Tensor, method, quick_configured(getattr(Tensor, method)))
    for method in PROPERTIES:
        setattr(Tensor, method, property(quick_configured(getattr(Tensor, method).fget)))
