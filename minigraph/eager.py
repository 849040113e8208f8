"""PyNative mode: every operator is computed with numpy at once."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from minigraph.errors import MinigraphError, ShapeError, UsageError
from minigraph.inplace import is_view, note_views
from minigraph.lift import lifted, number_beside
from minigraph.op import NO_ATTRS, TABLE, Attrs, Op, check_attributes, open_now, set_ground
from minigraph.tensor import Parameter, Tensor

# IEEE results (inf, nan) are values here, not accidents; the filter holds for warnings raised in our rooms only
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")

# how numpy refuses operands; anything else a kernel raises is an error of the kernel's own and keeps its traceback
REFUSALS = (ValueError, TypeError, IndexError)


class Eager:
    """The interpreter at the bottom of the stack.

    ``_forwards`` are, by operator and dtype of the first operand, the kernels that may be called without a
    question: ``infer`` was seen to take the dtype, and there are no effects. ``ufuncs`` are, by operator name and
    dtype, the numpy ufuncs that are a whole operator.
    """

    typed = True

    def __init__(self) -> None:
        self._forwards: dict[Op, dict[np.dtype, Callable[..., Any]]] = defaultdict(dict)
        self.ufuncs: dict[str, dict[np.dtype, np.ufunc]] = defaultdict(dict)

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """Operands as tensors; the common case, tensors of one dtype where one is asked for, passes untouched."""
        for arg in args:
            if not isinstance(arg, Tensor):
                return lifted(op, args)
        promotes = op.promotes
        if promotes is None:
            return args
        if len(args) <= promotes[-1]:
            return lifted(op, args)
        dtype = args[promotes[0]].array.dtype
        for position in promotes:
            if args[position].array.dtype is not dtype:
                return lifted(op, args)
        return lifted(op, args) if op.floats and dtype.kind in "biu" else args

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """Compute now; when numpy refuses, the record's ``infer`` words the error."""
        arrays = (args[0].array,) if len(args) == 1 else [arg.array for arg in args]
        forward = self._forwards[op].get(arrays[0].dtype) if arrays else None
        if forward is None:
            out = self._first(op, args, attrs)
        else:
            try:
                out = forward(*arrays, **attrs)
            except (*REFUSALS, RuntimeWarning):
                out = _computed(op, args, attrs)
        result = tuple(map(_result, out)) if out.__class__ is tuple else _result(out)
        if op.view and is_view(op, args):
            note_views(op, args[0], attrs, result)
        return result

    def _first(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """The arrays of a call that is the first with its dtype, or has effects."""
        if args:
            self._check_dtype(op, args, attrs)
        if op.stores:
            _check_target(op, args[0])
        out = _computed(op, args, attrs)
        if op.stores:
            args[0].array = out
        return out

    def _check_dtype(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> None:
        """Refuse a dtype that the record refuses though numpy would take it, so that eager and captured agree."""
        try:
            op.types([arg.type for arg in args], attrs)
        except MinigraphError as error:
            if isinstance(error, TypeError):
                raise
        except Exception:  # wrong attributes, too: numpy is asked first, then the error explained
            return
        else:
            self._remember(op, args[0].array.dtype)

    def _remember(self, op: Op, dtype: np.dtype) -> None:
        """Ask no more about an operator and a dtype that ``infer`` has taken."""
        if not op.effects:
            self._forwards[op][dtype] = op.forward
        if ufunc := bare_ufunc(op, checked=True):
            self.ufuncs[op.name][dtype] = ufunc


def _computed(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
    """What the kernel makes of the operands; its refusals explained."""
    arrays = [arg.array for arg in args]
    try:
        return op.forward(*arrays, **attrs)
    except MinigraphError:
        raise
    except RuntimeWarning:  # the user's filters make warnings errors; inf and nan are values here all the same
        with np.errstate(all="ignore"):
            return op.forward(*arrays, **attrs)
    except REFUSALS as error:
        raise _explained(op, args, attrs, error) from None


def _check_target(op: Op, target: Tensor) -> None:
    """Refuse to store into a number, because others share it."""
    if not target.shape and not target.array.flags.writeable and not isinstance(target, Parameter):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")


def bare_ufunc(op: Op, checked: bool = False) -> np.ufunc | None:
    """The ufunc that does what ``forward`` does when its one or two operands are of one dtype and in C order.

    ``checked``: the dtype is known to be one that ``infer`` takes, so a forward that would look again need not.
    """
    forward = getattr(op.forward, "__wrapped__", op.forward) if checked else op.forward
    if not isinstance(forward, partial) or forward.keywords != {"casting": "no", "order": "C"}:
        return None
    bare = forward.func
    return bare if isinstance(bare, np.ufunc) and (op.arity == 1 or op.promotes == (0, 1)) else None


def _result(array: Any) -> Tensor:
    tensor = _new(Tensor)
    tensor.array = array if array.__class__ is _ndarray else np.asarray(array)
    return tensor


_new, _ndarray = Tensor.__new__, np.ndarray


def _explained(op: Op, args: tuple[Tensor, ...], attrs: Attrs, error: Exception) -> MinigraphError:
    types = [arg.type for arg in args]
    try:
        check_attributes(op, attrs)
        op.types(types, attrs)
    except MinigraphError as told:
        return told
    return ShapeError(f"{op}({', '.join(map(str, types))}): {error}; check the operands against help(ops.{op})")


EAGER = Eager()
set_ground(EAGER)

# ---- the short way -----------------------------------------------------------------------------------
#
# An operator that is one numpy ufunc would spend most of its time on the way through the house. These functions
# are door, lift, emit and hear in one, for operands that raise no question; whatever is not as simple goes the
# long way. Both give the same bits: a ufunc whose result is in C order has walked its operands in C order.

UNARY = {"__neg__": "neg", "__abs__": "abs"} | {name: name for name in ("abs", "exp", "log", "sqrt", "tanh")}
BINARY = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div",
    "__floordiv__": "floor_div", "__mod__": "floor_mod", "__eq__": "equal", "__ne__": "not_equal",
    "__lt__": "less", "__le__": "less_equal", "__gt__": "greater", "__ge__": "greater_equal",
}  # fmt: skip
SWAPPED = {"__radd__": "add", "__rsub__": "sub", "__rmul__": "mul", "__rtruediv__": "div"}


def quick_unary(name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``plain``, a function of one operand that is the operator ``name``, done sooner where the operand allows."""
    ufuncs = EAGER.ufuncs[name]

    @wraps(plain)
    def call(x: Any) -> Any:
        now = open_now()
        if (now is not None and now[0] is not EAGER) or not isinstance(x, Tensor):
            return plain(x)
        array = x.array
        ufunc = ufuncs.get(array.dtype)
        if ufunc is None or not array.flags.c_contiguous:
            return plain(x)
        try:
            out = ufunc(array)
        except RuntimeWarning:  # the user's filters make warnings errors
            return plain(x)
        result = _new(Tensor)
        result.array = out if out.__class__ is _ndarray else np.asarray(out)
        if now is not None:
            for listener in now[1]:
                listener.hear(TABLE[name], (x,), NO_ATTRS, result)
        return result

    return call


def quick_binary(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``plain``, a function of two operands that is the operator ``name``, done sooner where the operands allow."""
    ufuncs = EAGER.ufuncs[name]

    @wraps(plain)
    def call(x: Any, y: Any) -> Any:
        now = open_now()
        if (now is not None and now[0] is not EAGER) or not isinstance(x, Tensor):
            return plain(x, y)
        left = x.array
        dtype = left.dtype
        kind = y.__class__
        if kind is not Tensor:
            number = number_beside(y, dtype) if kind is int or (kind is float and y) else y
            if not isinstance(number, Tensor):
                return plain(x, y)
            y = number
        right = y.array
        ufunc = ufuncs.get(dtype)
        if ufunc is None or right.dtype is not dtype:
            return plain(x, y)
        try:
            out = ufunc(left, right)
        except (ValueError, RuntimeWarning):  # shapes that do not fit, or warnings made errors
            return plain(x, y)
        if out.__class__ is not _ndarray:
            out = np.asarray(out)
        elif not out.flags.c_contiguous:
            return plain(x, y)
        result = _new(Tensor)
        result.array = out
        if now is not None:
            for listener in now[1]:
                listener.hear(TABLE[name], (x, y), NO_ATTRS, result)
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


for way, methods in ((quick_unary, UNARY), (quick_binary, BINARY), (quick_swapped, SWAPPED)):
    for method, name in methods.items():
        setattr(Tensor, method, way(name, getattr(Tensor, method)))
