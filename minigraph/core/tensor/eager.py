"""PyNative mode (eager execution): every operator is computed with numpy immediately."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.errors import MinigraphError, ShapeError, UsageError
from minigraph.core.op import Attrs, Op, check_attributes, forward_of, set_base_interpreter
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor.inplace import register_views, shares_operand_memory
from minigraph.core.tensor.promotion import promote_operands
from minigraph.core.tensor.tensor import Parameter, Tensor, set_array

# IEEE results (inf, nan) are ordinary values; the filter applies only to warnings raised in our packages
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigraph\.")

# How numpy reports inf and nan where the user's settings turn them into errors.
FLOAT_ERRORS = (RuntimeWarning, FloatingPointError)
# How numpy rejects operands. Any other exception is a bug of the kernel and keeps its traceback.
OPERAND_ERRORS = (ValueError, TypeError, IndexError)


class Eager:
    """The base interpreter: numpy computes every operator when it is called.

    ``_accepted`` holds the pairs of an operator and the dtype of its first operand that ``infer`` has accepted. They
    are not inferred again, because inference takes longer than adding four numbers; numpy still rejects wrong shapes.
    """

    typed = True

    def __init__(self) -> None:
        self._accepted: set[tuple[Op, np.dtype]] = set()

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """The operands as tensors, promoted to the dtypes in which the operator computes."""
        return promote_operands(op, args)

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> CallResult:
        """Compute the call now; if numpy rejects it, the record's ``infer`` explains the error."""
        if args and not self.accepts(op, args[0].array.dtype):
            self._check_dtype(op, args, attrs)
        if op.stores:
            _check_target(op, args[0])
        out = _compute(op, args, attrs)
        if op.stores:
            set_array(args[0], out)
        result = tuple(map(result_of, out)) if isinstance(out, tuple) else result_of(out)
        if op.view and shares_operand_memory(op, args):
            register_views(op, args[0], attrs, result)
        return result

    def accepts(self, op: Op, dtype: np.dtype) -> bool:
        """Whether ``infer`` has accepted a first operand of this dtype."""
        return (op, dtype) in self._accepted

    def _check_dtype(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> None:
        """Reject a dtype that the record rejects although numpy accepts it, so that eager and graph mode agree."""
        try:
            op.types([arg.type for arg in args], attrs)
        except MinigraphError as error:
            if isinstance(error, TypeError):
                raise
        except Exception:  # for example wrong attributes: numpy fails on them, and ``_explain`` reports it
            return
        else:
            self._accepted.add((op, args[0].array.dtype))


def _compute(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Any:  # an array, or a tuple of them
    """The result of the kernel; if it rejects the operands, the explained error."""
    arrays = [arg.array for arg in args]
    forward = forward_of(op, [array.dtype for array in arrays])
    try:
        return forward(*arrays, **attrs)
    except MinigraphError:
        raise
    except FLOAT_ERRORS:
        return call_ignoring_float_errors(forward, *arrays, **attrs)
    except OPERAND_ERRORS as error:
        raise _explain(op, args, attrs, error) from None


def _check_target(op: Op, target: Tensor) -> None:
    """Refuse to store into a constant, because it is shared."""
    if not target.shape and not target.array.flags.writeable and not isinstance(target, Parameter):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")


def result_of(array: np.ndarray) -> Tensor:
    """The result of a kernel, a numpy array or scalar, as a tensor."""
    tensor = _new(Tensor)
    tensor.array = array if array.__class__ is _ndarray else np.asarray(array)
    tensor.array_layout = None
    return tensor


_new, _ndarray = Tensor.__new__, np.ndarray


def _explain(op: Op, args: tuple[Tensor, ...], attrs: Attrs, error: Exception) -> MinigraphError:
    types = [arg.type for arg in args]
    try:
        check_attributes(op, attrs)
        op.types(types, attrs)
    except MinigraphError as explanation:
        return explanation
    return ShapeError(f"{op}({', '.join(map(str, types))}): {error}; check the operands against help(ops.{op})")


EAGER = Eager()
set_base_interpreter(EAGER)
