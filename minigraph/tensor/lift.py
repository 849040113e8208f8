"""Operands on their way into an operator: Python numbers become tensors, dtypes are promoted by casts.

Both interpreters, eager and tracer, lift through here, so that a promotion is an explicit ``cast`` in every
mode: visible in the graph, priced by the simulator, undone by the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.errors import DTypeError, TypeArgument
from minigraph.ground.tree import zeros_in
from minigraph.op import Op, apply, current_interpreter
from minigraph.tensor.arrays import shown
from minigraph.tensor.tensor import Tensor, wrap
from minigraph.types import BY_NUMPY, DType, float32, promote, scalar_dtype

NUMBERS = (bool, int, float, complex)


def lifted(op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The operands of ``op`` as tensors of the dtypes it computes in.

    A Python or numpy number takes the dtype of the tensor beside it where that can hold its kind; a list is
    a tensor. Raises ``TypeError`` for anything else.
    """
    fitting = _fitting(op, args)
    if fitting is not None:
        return fitting
    given = [_operand(op, arg) for arg in args]
    target = _target(op, given) if op.promotes is not None else None
    beside = target or next((a.dtype for a in given if isinstance(a, Tensor)), None)
    tensors = [a if isinstance(a, Tensor) else _number(a, beside) for a in given]
    if target is None or op.promotes is None:
        return tuple(tensors)
    return tuple([_as(t, target) if i in op.promotes else t for i, t in enumerate(tensors)])


def _fitting(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands where it is plain what they become: tensors of one dtype, and numbers beside them."""
    promotes = op.promotes
    if promotes is None:
        return args if all(isinstance(arg, Tensor) for arg in args) else None
    dtype = None
    for i in promotes:
        if i < len(args) and isinstance(args[i], Tensor):
            if dtype is None:
                dtype = args[i].dtype
            elif args[i].dtype is not dtype:
                return None
    if dtype is None or (op.floats and not dtype.is_float):
        return None
    for arg in args:
        if not isinstance(arg, Tensor):
            return _with_numbers(args, promotes, dtype)
    return args


def _with_numbers(args: tuple[Any, ...], promotes: tuple[int, ...], dtype: DType) -> tuple[Any, ...] | None:
    """The operands, numbers that are plain as tensors of a dtype; ``None`` if anything else is among them."""
    found = list(args)
    for i, arg in enumerate(args):
        if not isinstance(arg, Tensor):
            plain = arg.__class__ is int or (arg.__class__ is float and arg)  # the sign of a zero matters
            number = number_beside(arg, dtype.numpy) if plain and i in promotes else None
            if number is None:
                return None
            found[i] = number
    return tuple(found)


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


def _number(value: Any, beside: DType | None) -> Tensor:
    """A number in the dtype that it takes beside a tensor."""
    if isinstance(value, NUMBERS):
        return constant(value, scalar_dtype(value, beside))
    tensor: Tensor = value.as_tensor(scalar_dtype(value.number, beside))
    return tensor


def _as(tensor: Tensor, dtype: DType) -> Tensor:
    return tensor if tensor.dtype is dtype else apply("cast", tensor, dtype=dtype)


def _target(op: Op, args: Sequence[Any]) -> DType | None:
    """The one dtype that the promoted operands are brought to."""
    found: DType | None = None
    operands = [args[i] for i in op.promotes or () if i < len(args)]
    for arg in operands:
        if isinstance(arg, Tensor):
            found = arg.dtype if found is None else promote(found, arg.dtype)
    for arg in operands:
        if not isinstance(arg, Tensor):
            found = scalar_dtype(getattr(arg, "number", arg), found)
    return float32 if op.floats and found is not None and not found.is_float else found


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


@lru_cache(maxsize=4096, typed=True)
def number_beside(value: int | float, dtype: np.dtype) -> Tensor | None:
    """A number, but no zero of a float, as the tensor it is beside one of ``dtype``; ``None`` if another is cast.

    >>> number_beside(2, float32.numpy)
    Tensor(shape=[], dtype=Float32, value= 2)
    """
    known = BY_NUMPY[dtype]
    try:
        return constant(value, known) if scalar_dtype(value, known) is known else None
    except DTypeError:
        return None


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
