"""Operands of an operator: Python numbers become tensors, dtypes are promoted by casts.

Both interpreters, eager and tracer, convert operands here and nowhere else, so that a promotion is an explicit
``cast`` in every mode: visible in the graph, priced by the simulator, undone by the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.errors import DTypeError, TypeArgument
from minigraph.core.op import Op, apply, current_interpreter
from minigraph.core.pytree import zeros_in
from minigraph.core.tensor.conversion import shown
from minigraph.core.tensor.tensor import Tensor, wrap
from minigraph.core.types import DType, float32, promote, scalar_dtype

NUMBERS = (bool, int, float, complex)


def promote_operands(op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The operands of ``op`` as tensors of the dtypes it computes in.

    A Python or numpy number takes the dtype of the tensors where that can hold its kind; a list is a tensor; tensors
    are cast to the dtype that all of ``op.promotes`` share. Raises ``TypeError`` for anything else.
    """
    if _share_dtype(op, args):
        return args
    operands = [_operand(op, arg) for arg in args]
    target = _target(op, operands)
    number_dtype = target or next((operand.dtype for operand in operands if isinstance(operand, Tensor)), None)
    tensors = [o if isinstance(o, Tensor) else _number(o, number_dtype) for o in operands]
    if target is None:
        return tuple(tensors)
    return tuple([_as(t, target) if op.promotes and i in op.promotes.positions else t for i, t in enumerate(tensors)])


def _share_dtype(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether nothing needs converting: tensors only, of one dtype where the operator promotes."""
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


def _operand(op: Op, value: Any) -> Any:
    """The value as a tensor or a Python number."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, list | tuple):
        return Tensor(value)
    if hasattr(value, "number"):  # one that is known when the graph runs, and an example of its kind
        return value
    raise TypeArgument(_refusal(op, value))


def _number(value: Any, dtype: DType | None) -> Tensor:
    """A number as a tensor, in the dtype that it takes among tensors of ``dtype``."""
    if isinstance(value, NUMBERS):
        return constant(value, scalar_dtype(value, dtype))
    tensor: Tensor = value.as_tensor(scalar_dtype(value.number, dtype))
    return tensor


def _as(tensor: Tensor, dtype: DType) -> Tensor:
    return tensor if tensor.dtype is dtype else apply("cast", tensor, dtype=dtype)


def _target(op: Op, args: Sequence[Any]) -> DType | None:
    """The one dtype that the promoted operands are brought to."""
    if op.promotes is None:
        return None
    found: DType | None = None
    operands = [args[i] for i in op.promotes.positions if i < len(args)]
    for arg in operands:
        if isinstance(arg, Tensor):
            found = arg.dtype if found is None else promote(found, arg.dtype)
    for arg in operands:
        if not isinstance(arg, Tensor):
            found = scalar_dtype(getattr(arg, "number", arg), found)
    return float32 if op.promotes.to_float and found is not None and not found.is_float else found


def _refusal(op: Op, value: Any) -> str:
    if value is None:
        return f'Failed calling {op.name} with "{op.name}(None)".'
    name = op.name.title().replace("_", "")
    kind = "string" if isinstance(value, str) else value.__class__
    hint = "; wrap it in Tensor(...)" if isinstance(value, np.ndarray) else ""
    return (
        f'Failed calling {name} with "{name}()(input=Tensor, other={kind})".\n'
        f"{op.name}: operand is {value.__class__.__name__}, not a tensor{hint}"
    )


def constant(value: Any, dtype: DType) -> Tensor:
    """A number as a read-only 0-d tensor, made once.

    Raises ``DTypeError`` for a number that the dtype cannot hold.

    >>> constant(1, float32) is constant(True, float32), constant(0.0, float32) is constant(-0.0, float32)
    (True, False)
    """
    return _constant(value, zeros_in(value), dtype)


@lru_cache(maxsize=4096)
def _constant(value: Any, zeros: str, dtype: DType) -> Tensor:
    try:
        with np.errstate(all="ignore"):  # inf is a value here, whatever the user's filters make of warnings
            array = np.array(value, dtype.numpy)
    except OverflowError:
        raise DTypeError(f"{shown(value)} does not fit into {dtype}; cast the tensor to a wider dtype") from None
    array.flags.writeable = False
    return wrap(array)


def as_captured(fn: Any) -> Any:
    """A function as whoever makes values now reads it: a capture of source hands back its translation."""
    return getattr(current_interpreter(), "reads", lambda given: given)(fn)
