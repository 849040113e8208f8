"""PyNative mode (eager execution): every operator is computed with numpy immediately."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult, Function
from minigraph.core.errors import MinigraphError, ShapeError, UsageError
from minigraph.core.op import Attrs, Op, check_attributes, forward_of, set_base_interpreter
from minigraph.core.scope_guard import call_ignoring_float_errors, raise_external_error, reraise_handler_error
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
    """The base interpreter: numpy computes every operator when it is called."""

    typed = True

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """The operands as tensors, promoted to the dtypes in which the operator computes."""
        for arg in args:
            if not isinstance(arg, Tensor):
                return promote_operands(op, args)
        is_promoted = op.promotes is None or (op, *map(_dtype_of_tensor, args)) in KERNELS
        return args if is_promoted else promote_operands(op, args)

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> CallResult:
        """Compute the call now; if numpy rejects it, the record's ``infer`` explains the error."""
        arrays = [*map(_array_of, args)]
        kernel = KERNELS.get((op, *map(_dtype_of, arrays))) or _accepted_kernel(op, args, attrs)
        try:
            out = kernel(*arrays, **attrs)
        except MinigraphError:
            raise
        except FLOAT_ERRORS as error:
            reraise_handler_error(error)
            out = call_ignoring_float_errors(kernel, *arrays, **attrs)
        except OPERAND_ERRORS as error:
            reraise_handler_error(error)
            raise _explain(op, args, attrs, error) from None
        if op.stores:
            _store(op, args[0], out)
        result = tuple(map(result_of, out)) if isinstance(out, tuple) else result_of(out)
        if op.view and shares_operand_memory(op, args):
            register_views(op, args[0], attrs, result)
        return result


_array_of, _dtype_of, _dtype_of_tensor = attrgetter("array"), attrgetter("dtype"), attrgetter("array.dtype")

# The kernel of an operator for operands of these dtypes, once ``infer`` has accepted them: inference takes longer than
# adding four numbers. numpy still rejects wrong shapes.
KERNELS: dict[tuple[Any, ...], Function] = {}
MAX_KERNELS = 4096  # cleared when full


def _accepted_kernel(op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> Function:
    """The kernel for operands of these dtypes; raises ``TypeError`` where only numpy accepts them, as graphs do."""
    dtypes = [arg.array.dtype for arg in args]
    kernel = forward_of(op, dtypes)
    try:
        op.types([arg.type for arg in args], attrs)
    except MinigraphError as error:
        if isinstance(error, TypeError):
            raise
    except Exception as error:  # for example wrong attributes: numpy fails on them, and ``_explain`` reports it
        raise_external_error(error)
    else:
        if len(KERNELS) >= MAX_KERNELS:
            KERNELS.clear()
        KERNELS[op, *dtypes] = kernel
    return kernel


def _store(op: Op, target: Tensor, array: np.ndarray) -> None:
    """Assign a target its new value; refuse constants, because they are shared, but not their views."""
    may_change = isinstance(target, Parameter) or getattr(target, "view_of", None)
    if not (target.shape or target.array.flags.writeable or may_change):
        raise UsageError(f"{op}: the target, {target.type}, is a constant; assign to a Parameter")
    set_array(target, array)


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
