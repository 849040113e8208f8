"""Conversion of operands: Python numbers become tensors, dtypes are promoted by casts.

Both interpreters, eager and tracer, convert operands here and nowhere else. So a promotion is an explicit ``cast`` in
every mode: it is visible in the graph, costed by the simulator, and differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.aliases import Function, Number
from minigraph.core.errors import ArgTypeError, DTypeError
from minigraph.core.op import Op, Promotion, apply, current_interpreter
from minigraph.core.pytree import signed_zero_key
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor.conversion import short_repr
from minigraph.core.tensor.tensor import Tensor, wrap
from minigraph.core.types import DType, float32, promote, scalar_dtype

NUMBER_TYPES = (bool, int, float, complex)


def promote_operands(op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The operands of ``op`` as tensors, promoted to the dtypes in which it computes.

    A Python or numpy number takes the dtype of the tensors if that can represent its kind; a list becomes a tensor;
    the operands in ``op.promotes`` are cast to a common dtype. Raises ``TypeError`` for anything else.
    """
    positions, to_float = op.promotes or _NOTHING_PROMOTED
    if _are_promoted(args, positions, to_float):
        return args
    operands = [arg if isinstance(arg, Tensor) else _tensor_or_number(op, arg) for arg in args]
    target = _common_dtype([operands[i] for i in positions if i < len(operands)], to_float)
    number_dtype = target or next((operand.dtype for operand in operands if isinstance(operand, Tensor)), None)
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            operands[i] = operand = _number_tensor(operand, number_dtype)
        if i in positions and operand.dtype is not target:
            operands[i] = apply("cast", operand, dtype=target)
    return tuple(operands)


_NOTHING_PROMOTED = Promotion(())


def _are_promoted(args: tuple[Any, ...], positions: tuple[int, ...], to_float: bool) -> bool:
    """Whether all operands are tensors, and the promoted ones of one dtype."""
    common = None
    for i, arg in enumerate(args):
        if not isinstance(arg, Tensor):
            return False
        if i in positions:
            dtype = arg.dtype
            if dtype is not common and common is not None:
                return False
            common = dtype
    return common is None or not to_float or common.is_float


def _tensor_or_number(op: Op, value: object) -> Any:
    """A value that is no tensor as a tensor or a Python number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, NUMBER_TYPES):
        return value
    if isinstance(value, list | tuple):
        return Tensor(value)
    if hasattr(value, "number"):  # a ``HostNumber``: known when the graph runs; ``number`` is an example of its type
        return value
    raise ArgTypeError(_rejection_message(op, value))


def _number_tensor(value: Any, dtype: DType | None) -> Tensor:
    """A number as a tensor, in the dtype that it takes in an operation with tensors of ``dtype``."""
    if isinstance(value, NUMBER_TYPES):
        return constant(value, scalar_dtype(value, dtype))
    tensor: Tensor = value.as_tensor(scalar_dtype(value.number, dtype))
    return tensor


def _common_dtype(operands: Sequence[Any], to_float: bool) -> DType | None:
    """The dtype to which the promoted operands are cast, tensors and numbers; ``None`` if there are none."""
    common: DType | None = None
    for operand in operands:
        if isinstance(operand, Tensor):
            common = operand.dtype if common is None else promote(common, operand.dtype)
    for operand in operands:
        if not isinstance(operand, Tensor):
            common = scalar_dtype(getattr(operand, "number", operand), common)
    return float32 if to_float and common is not None and not common.is_float else common


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
    return _constant(value, signed_zero_key(value), dtype)


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
