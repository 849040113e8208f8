"""PyNative mode: every operator is computed with numpy at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigraph.core.errors import MinigraphError, ShapeError, UsageError
from minigraph.core.op import Attrs, Op, check_attributes, forward_of, set_ground
from minigraph.core.tensor.inplace import is_view, note_views
from minigraph.core.tensor.promotion import promote_operands
from minigraph.core.tensor.tensor import Parameter, Tensor, give

# IEEE results (inf, nan) are values here, not accidents; the filter holds for warnings raised in our rooms only
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")

# how numpy tells of inf and nan to users who asked it to; they are values here all the same
LOUD = (RuntimeWarning, FloatingPointError)

# how numpy refuses operands; anything else a kernel raises is an error of the kernel's own and keeps its traceback
REFUSALS = (ValueError, TypeError, IndexError)


class Eager:
    """The interpreter at the bottom of the stack: numpy computes every operator when it is called.

    ``_accepted`` are the operators and dtypes of a first operand that ``infer`` is known to take. It is asked no more
    for these, because that takes longer than to add four numbers; numpy still refuses shapes that do not fit.
    """

    typed = True

    def __init__(self) -> None:
        self._accepted: set[tuple[Op, np.dtype]] = set()

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """Operands as tensors of the dtypes that the operator computes in."""
        return promote_operands(op, args)

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
        """Compute now; when numpy refuses, the record's ``infer`` words the error."""
        if args and not self.accepts(op, args[0].array.dtype):
            self._check_dtype(op, args, attrs)
        if op.stores:
            _check_target(op, args[0])
        out = _compute(op, args, attrs)
        if op.stores:
            give(args[0], out)
        result = tuple(map(result_of, out)) if isinstance(out, tuple) else result_of(out)
        if op.view and is_view(op, args):
            note_views(op, args[0], attrs, result)
        return result

    def accepts(self, op: Op, dtype: np.dtype) -> bool:
        """Whether ``infer`` is known to take a first operand of this dtype."""
        return (op, dtype) in self._accepted

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
            self._accepted.add((op, args[0].array.dtype))


def _compute(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:
    """What the forward gives for the operands; its refusals explained."""
    arrays, forward = [arg.array for arg in args], forward_of(op)
    try:
        return forward(*arrays, **attrs)
    except MinigraphError:
        raise
    except LOUD:
        with np.errstate(all="ignore"):
            return forward(*arrays, **attrs)
    except REFUSALS as error:
        raise _explained(op, args, attrs, error) from None


def _check_target(op: Op, target: Tensor) -> None:
    """Refuse to store into a number, because others share it."""
    if not target.shape and not target.array.flags.writeable and not isinstance(target, Parameter):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")


def result_of(array: Any) -> Tensor:
    """The result of a forward, an array or a number of numpy's, as a tensor."""
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
