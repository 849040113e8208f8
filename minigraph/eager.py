"""PyNative mode: every operator is computed with numpy at once."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.errors import MinigraphError, ShapeError, UsageError
from minigraph.op import Attrs, Op, check_attributes, set_ground
from minigraph.tensor import Parameter, Tensor
from minigraph.tensor.forms import give
from minigraph.tensor.inplace import is_view, note_views
from minigraph.tensor.lift import lifted

# IEEE results (inf, nan) are values here, not accidents; the filter holds for warnings raised in our rooms only
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")

# how numpy tells of inf and nan to users who asked it to; they are values here all the same
LOUD = (RuntimeWarning, FloatingPointError)

# how numpy refuses operands; anything else a kernel raises is an error of the kernel's own and keeps its traceback
REFUSALS = (ValueError, TypeError, IndexError)


class Eager:
    """The interpreter at the bottom of the stack.

    ``_forwards`` are, by operator and dtype of the first operand that ``infer`` was seen to take, the kernels that
    may be called without a question; ``None`` where there are effects. ``ufuncs`` are, by operator and dtype, the
    numpy ufuncs that are a whole operator.
    """

    typed = True

    def __init__(self) -> None:
        self._forwards: dict[Op, dict[np.dtype, Callable[..., Any] | None]] = defaultdict(dict)
        self.ufuncs: dict[Op, dict[np.dtype, np.ufunc]] = defaultdict(dict)

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
            except (*REFUSALS, *LOUD):
                out = _computed(op, args, attrs)
        result = tuple(map(result_of, out)) if out.__class__ is tuple else result_of(out)
        if op.view and is_view(op, args):
            note_views(op, args[0], attrs, result)
        return result

    def kernel(self, op: Op, dtype: np.dtype) -> Callable[..., Any] | None:
        """What may be called without a question for a first operand of this dtype; ``None`` where nobody knows yet."""
        return self._forwards[op].get(dtype)

    def _first(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """The arrays of a call that is the first with its dtype, or has effects."""
        if args and args[0].array.dtype not in self._forwards[op]:
            self._check_dtype(op, args, attrs)
        if op.stores:
            _check_target(op, args[0])
        out = _computed(op, args, attrs)
        if op.stores:
            give(args[0], out)
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
        self._forwards[op][dtype] = None if op.effects else op.forward
        if ufunc := op.checked_ufunc:
            self.ufuncs[op][dtype] = ufunc


def _computed(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
    """What the kernel makes of the operands; its refusals explained."""
    arrays = [arg.array for arg in args]
    try:
        return op.forward(*arrays, **attrs)
    except MinigraphError:
        raise
    except LOUD:
        with np.errstate(all="ignore"):
            return op.forward(*arrays, **attrs)
    except REFUSALS as error:
        raise _explained(op, args, attrs, error) from None


def _check_target(op: Op, target: Tensor) -> None:
    """Refuse to store into a number, because others share it."""
    if not target.shape and not target.array.flags.writeable and not isinstance(target, Parameter):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")


def result_of(array: Any) -> Tensor:
    """What a kernel made, an array or a number of numpy's, as a tensor."""
    tensor = _new(Tensor)
    tensor.array = array if array.__class__ is _ndarray else np.asarray(array)
    tensor.form = None
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
