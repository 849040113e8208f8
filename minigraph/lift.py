"""Operands on their way into an operator: Python numbers become tensors, dtypes are promoted by casts.

Both interpreters, eager and tracer, lift through here, so that a promotion is an explicit ``cast`` in every
mode: visible in the graph, priced by the simulator, undone by the gradient.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.errors import DTypeError, TypeArgument
from minigraph.loc import in_expression, user_loc
from minigraph.op import Op, apply
from minigraph.tensor import Tensor, wrap
from minigraph.types import DType, float32, promote, scalar_dtype

NUMBERS = (bool, int, float, complex)


def lifted(op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The operands of ``op`` as tensors of the dtypes it computes in.

    Raises ``TypeError`` for what is not a tensor, a number or a list of numbers.
    """
    target = _target(op, args) if op.promotes is not None else None
    beside = target or next((a.dtype for a in args if isinstance(a, Tensor)), None)
    tensors = tuple(a if isinstance(a, Tensor) else _tensor(op, a, beside) for a in args)
    if target is None or op.promotes is None:
        return tensors
    return tuple(_as(t, target) if i in op.promotes else t for i, t in enumerate(tensors))


def _as(tensor: Tensor, dtype: DType) -> Tensor:
    return tensor if tensor.dtype is dtype else apply("cast", tensor, dtype=dtype)


def _target(op: Op, args: tuple[Any, ...]) -> DType | None:
    """The one dtype that the promoted operands are brought to."""
    found: DType | None = None
    operands = [args[i] for i in op.promotes or () if i < len(args)]
    for arg in operands:
        if isinstance(arg, Tensor):
            found = arg.dtype if found is None else promote(found, arg.dtype)
    for arg in operands:
        if isinstance(arg, NUMBERS):
            found = scalar_dtype(arg, found)
    return float32 if op.floats and found is not None and not found.is_float else found


def _tensor(op: Op, value: Any, beside: DType | None) -> Tensor:
    if isinstance(value, NUMBERS):
        return constant(value, type(value).__name__, scalar_dtype(value, beside))
    if isinstance(value, list | tuple | np.generic):
        return Tensor(value)
    raise TypeArgument(_refusal(op, value))


def _refusal(op: Op, value: Any) -> str:
    name = op.name.title().replace("_", "")
    kind = "string" if isinstance(value, str) else type(value)
    if value is None:
        return f'Failed calling {op.name} with "{op.name}(None)".{in_expression(user_loc())}'
    text = f'Failed calling {name} with "{name}()(input=Tensor, other={kind})".'
    hint = "; wrap it in Tensor(...)" if isinstance(value, np.ndarray) else ""
    return text + f"\n{op.name}: operand is {type(value).__name__}, not a tensor{in_expression(user_loc())}{hint}"


@lru_cache(maxsize=4096)
def constant(value: Any, kind: str, dtype: DType) -> Tensor:
    """A number as a read-only 0-d tensor, made once. ``kind`` keeps 1, 1.0 and True apart in the cache.

    Raises ``DTypeError`` for a number that the dtype cannot hold.
    """
    try:
        array = np.array(value, dtype.numpy)
    except OverflowError:
        raise DTypeError(f"{value} does not fit into {dtype}; cast the tensor to a wider dtype") from None
    array.flags.writeable = False
    return wrap(array)
