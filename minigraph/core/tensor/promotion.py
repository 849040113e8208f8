"""Conversion of operands: Python numbers become tensors, dtypes are promoted by casts.

Both interpreters, eager and tracer, convert operands here and nowhere else. So a promotion is an explicit ``cast`` in
every mode: it is visible in the graph, costed by the simulator, and differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.aliases import Function, Number, TensorLike
from minigraph.core.errors import DTypeError, TypeArgument
from minigraph.core.op import Op, apply, current_interpreter
from minigraph.core.pytree import zeros_in
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor.conversion import short_repr
from minigraph.core.tensor.tensor import Tensor, wrap
from minigraph.core.types import DType, float32, promote, scalar_dtype

NUMBERS = (bool, int, float, complex)


def promote_operands(op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The operands of ``op`` as tensors, promoted to the dtypes in which it computes.

    A Python or numpy number takes the dtype of the tensors if that can represent its kind; a list becomes a tensor;
    the operands in ``op.promotes`` are cast to a common dtype. Raises ``TypeError`` for anything else.
    """
    if _share_dtype(op, args):
        return args
    operands = [_operand(op, arg) for arg in args]
    target = _common_dtype(op, operands)
    number_dtype = target or next((operand.dtype for operand in operands if isinstance(operand, Tensor)), None)
    tensors = [o if isinstance(o, Tensor) else _number(o, number_dtype) for o in operands]
    if target is None:
        return tuple(tensors)
    return tuple([_cast(t, target) if op.promotes and i in op.promotes.positions else t for i, t in enumerate(tensors)])


def _share_dtype(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether no conversion is needed: only tensors, and of one dtype where the operator promotes."""
    for arg in args:
        if not isinstance(arg, Tensor):
            return False
    if op.promotes is None:
        return True
    positions, to_float = op.promotes
    if len(args) <= positions[-1]:
        return False
    dtype = args[positions[0]].dtype
    for position in positions:
        if args[position].dtype is not dtype:
            return False
    return dtype.is_float or not to_float


def _operand(op: Op, value: object) -> Any:
    """The value as a tensor or a Python number."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, list | tuple):
        return Tensor(value)
    if hasattr(value, "number"):  # a host number, known when the graph runs; ``number`` is an example of its type
        return value
    raise TypeArgument(_rejection_message(op, value))


def _number(value: Any, dtype: DType | None) -> Tensor:
    """A number as a tensor, in the dtype that it takes in an operation with tensors of ``dtype``."""
    if isinstance(value, NUMBERS):
        return constant(value, scalar_dtype(value, dtype))
    tensor: Tensor = value.as_tensor(scalar_dtype(value.number, dtype))
    return tensor


def _cast(tensor: Tensor, dtype: DType) -> Tensor:
    return tensor if tensor.dtype is dtype else apply("cast", tensor, dtype=dtype)


def _common_dtype(op: Op, args: Sequence[TensorLike]) -> DType | None:
    """The dtype to which the promoted operands are cast."""
    if op.promotes is None:
        return None
    common: DType | None = None
    operands = [args[i] for i in op.promotes.positions if i < len(args)]
    for arg in operands:
        if isinstance(arg, Tensor):
            common = arg.dtype if common is None else promote(common, arg.dtype)
    for arg in operands:
        if not isinstance(arg, Tensor):
            common = scalar_dtype(getattr(arg, "number", arg), common)
    return float32 if op.promotes.to_float and common is not None and not common.is_float else common


def _rejection_message(op: Op, value: object) -> str:
    if value is None:
        return f'Failed calling {op.name} with "{op.name}(None)".'
    name = op.name.title().replace("_", "")
    kind = "string" if isinstance(value, str) else value.__class__
    hint = "; wrap it in Tensor(...)" if isinstance(value, np.ndarray) else ""
    return (
        f'Failed calling {name} with "{name}()(input=Tensor, other={kind})".\n'
        f"{op.name}: operand is {value.__class__.__name__}, not a tensor{hint}"
    )


def constant(value: Number, dtype: DType) -> Tensor:
    """A number as a read-only 0-d tensor; equal calls share one tensor.

    Raises ``DTypeError`` for a number that the dtype cannot represent.

    >>> constant(1, float32) is constant(True, float32), constant(0.0, float32) is constant(-0.0, float32)
    (True, False)
    """
    return _constant(value, zeros_in(value), dtype)


@lru_cache(maxsize=4096)
def _constant(value: Number, zeros: str, dtype: DType) -> Tensor:
    try:
        array = call_ignoring_float_errors(np.array, value, dtype.numpy)
    except OverflowError:
        raise DTypeError(f"{short_repr(value)} does not fit into {dtype}; cast the tensor to a wider dtype") from None
    array.flags.writeable = False
    return wrap(array)


def converted_function(fn: Function | None) -> Function:
    """The function that the current interpreter calls for ``fn``: its translation, if source is translated."""
    return getattr(current_interpreter(), "mode", lambda function: function)(fn)
