"""PyNative mode: every operator is computed with numpy at once."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from minigraph.errors import MinigraphError, ShapeError, UsageError
from minigraph.inplace import is_view, note_views
from minigraph.lift import lifted
from minigraph.op import Attrs, Op, check_attributes, set_ground
from minigraph.tensor import Parameter, Tensor

# IEEE results (inf, nan) are values here, not accidents; the filter holds for warnings raised in our rooms only
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")

# how numpy refuses operands; anything else a kernel raises is an error of the kernel's own and keeps its traceback
REFUSALS = (ValueError, TypeError, IndexError)


class Eager:
    """The interpreter at the bottom of the stack.

    ``_accepted`` are, by operator, the dtypes of the first operand that ``infer`` was seen to take: it is asked
    once for each. ``_quick`` are, by operator and dtype, the numpy ufuncs that need no further question.
    """

    typed = True

    def __init__(self) -> None:
        self._accepted: dict[Op, set[np.dtype]] = {}
        self._quick: dict[Op, dict[np.dtype, np.ufunc]] = {}

    def quick(self, op: Op, args: tuple[Any, ...]) -> Tensor | None:
        """The result of a ufunc on C-ordered tensors of one dtype: half the time of the long way, the same bits."""
        ufuncs = self._quick.get(op)
        if ufuncs is None or len(args) != op.arity:
            return None
        first, last = args[0], args[-1]
        if not (isinstance(first, Tensor) and isinstance(last, Tensor)):
            return None
        x, y = first.array, last.array
        ufunc = ufuncs.get(x.dtype)
        if ufunc is None or x.dtype is not y.dtype or not (x.flags.c_contiguous and y.flags.c_contiguous):
            return None
        try:
            return _result(ufunc(x, y) if len(args) == 2 else ufunc(x))
        except (ValueError, RuntimeWarning):  # shapes, or warnings made errors: the long way knows what to do
            return None

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """Operands as tensors; the common case, tensors of one dtype, passes untouched."""
        dtype = None
        for arg in args:
            if not isinstance(arg, Tensor):
                return lifted(op, args)
            if dtype is None:
                dtype = arg.array.dtype
            elif arg.array.dtype is not dtype:
                return lifted(op, args)
        return lifted(op, args) if op.floats and dtype is not None and dtype.kind in "biu" else args

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """Compute now; when numpy refuses, the record's ``infer`` words the error."""
        if args and args[0].array.dtype not in self._accepted.get(op, ()):
            self._check_dtype(op, args, attrs)
        if op.stores:
            _check_target(op, args[0])
        try:
            out = op.forward(*[arg.array for arg in args], **attrs)
        except MinigraphError:
            raise
        except RuntimeWarning:  # the user's filters make warnings errors; inf and nan are values here all the same
            with np.errstate(all="ignore"):
                out = op.forward(*[arg.array for arg in args], **attrs)
        except REFUSALS as error:
            raise _explained(op, args, attrs, error) from None
        if op.stores:
            args[0].array = out
        result = tuple(_result(o) for o in out) if out.__class__ is tuple else _result(out)
        if op.view and is_view(op, args):
            note_views(op, args[0], attrs, result)
        return result

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
            dtype = args[0].array.dtype
            self._accepted.setdefault(op, set()).add(dtype)
            if ufunc := bare_ufunc(op):
                self._quick.setdefault(op, {})[dtype] = ufunc


def _check_target(op: Op, target: Tensor) -> None:
    """Refuse to store into a number, because others share it."""
    if not target.shape and not target.array.flags.writeable and not isinstance(target, Parameter):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")


def bare_ufunc(op: Op) -> np.ufunc | None:
    """The ufunc that does what ``forward`` does when its one or two operands are of one dtype and in C order."""
    if not isinstance(op.forward, partial) or op.forward.keywords != {"casting": "no", "order": "C"}:
        return None
    bare = op.forward.func
    return bare if isinstance(bare, np.ufunc) and (op.arity == 1 or op.promotes == (0, 1)) else None


def _result(array: Any) -> Tensor:
    tensor = _new(Tensor)
    tensor.array = array if array.__class__ is np.ndarray else np.asarray(array)
    return tensor


_new = Tensor.__new__


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
