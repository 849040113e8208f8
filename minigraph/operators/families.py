"""Families of operators: shared type inference, work and samples, so that a record states only its own fields.

``elementwise(...)`` and ``reduction(...)`` fill in these fields and enter the record into the table.

Forwards give the same bits for every layout of their operands. Numpy's results can depend on the memory order, so
elementwise forwards always write C order, and reductions always read C order. The same forward then gives the same bits
in eager mode, in a compiled program that writes into buffers, and inside a fused node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.core.aliases import Attrs, AttrValue, Function, IntOrTuple
from minigraph.core.errors import ArgTypeError, AxisError, DTypeError, MinigraphError, ShapeError, UsageError
from minigraph.core.op import VJP, Op, Promotion, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, TensorType, broadcast, type_of
from minigraph.operators.samples import Samples, binary_samples, reduction_samples, unary_samples
from minigraph.operators.work import lane_work, reduction_work

KIND_NAMES = {"b": "bool", "i": "integer", "f": "float", "c": "complex"}


def ufunc(function: Function) -> Function:
    """A numpy ufunc that never casts (``infer`` then explains the error) and always writes C order.

    >>> ufunc(np.tanh)(np.array([1, 2]))
    Traceback (most recent call last):
    numpy._core._exceptions._UFuncInputCastingError: ...
    """
    return partial(function, casting="no", order="C")


# ---- types -----------------------------------------------------------------------------------------


def check_kinds(name: str, kinds: str, *types: TensorType) -> None:
    """Raises ``TypeError`` for operands whose dtype kind is not in ``kinds`` (letters of ``DType.kind``)."""
    for t in types:
        if t.dtype.kind not in kinds:
            raise _float_error(name, t) if kinds in ("f", "fc") else _kind_error(name, kinds, t)


def check_operand(name: str, kinds: str, x: Any) -> None:
    """``check_kinds`` for one operand, a tensor or an array; costs one comparison if the dtype is valid."""
    if x.dtype.kind not in kinds and not (x.dtype.kind == "u" and "i" in kinds):
        check_kinds(name, kinds, TensorType(x.shape, x.dtype) if isinstance(x.dtype, DType) else type_of(x))


def _kind_error(name: str, kinds: str, t: TensorType) -> DTypeError:
    kind_names = " or ".join(KIND_NAMES[kind] for kind in kinds)
    return DTypeError(f"{name}: needs {kind_names} operands, got {t}; cast with x.astype(...)")


def _float_error(name: str, t: TensorType) -> MinigraphError:
    primitive = name.title().replace("_", "")
    return ArgTypeError(
        f"For primitive[{primitive}], the input argument[x] must be a type of "
        f"{{BFloat16, Float16, Float32, Float64}}, but got {t.dtype}.\n"
        f"{name}: needs a float tensor, got {t}; cast with x.astype(ms.float32)"
    )


def check_same_dtype(name: str, *types: TensorType) -> DType:
    """The common dtype of all operands; raises ``DTypeError`` with all types."""
    if len({t.dtype for t in types}) > 1:
        raise DTypeError(f"{name}: operands have different dtypes, {types_text(types)}; cast one with x.astype(...)")
    return types[0].dtype


def types_text(types: Sequence[TensorType]) -> str:
    """Types as text, joined by "and".

    >>> from minigraph.core.types import float32
    >>> types_text([TensorType((2,), float32), TensorType((), float32)])
    'f32[2] and f32[]'
    """
    return " and ".join(map(str, types))


def broadcast_types(name: str, *types: TensorType) -> Shape:
    """The common shape; raises ``ShapeError`` with the operator's name and all types."""
    try:
        return broadcast(*(t.shape for t in types))
    except ShapeError as error:
        reason = str(error).partition(": ")[2]
    raise ShapeError(f"{name}: {types_text(types)} do not broadcast: {reason}; reshape or expand_dims one of them")


def check_tensors(name: str, *values: Tensor) -> None:
    """Raises ``TypeError`` for an operand that is not a tensor, for operators that accept no numbers."""
    for value in values:
        if not isinstance(value, Tensor):
            raise ArgTypeError(f"{name}: expected a tensor, got {value!r}; wrap it in Tensor(...)")


# ---- attributes ------------------------------------------------------------------------------------


def normalize_axis(name: str, axis: Any, rank: int) -> int:
    """The axis as a non-negative index; raises ``AxisError`` when there is no such axis.

    >>> normalize_axis("sum", -1, 3)
    2
    """
    if type(axis) is not int and not is_integer(axis):
        raise UsageError(f"{name}: axis must be an int, got {axis!r}")
    if not -rank <= axis < rank:
        remedy = f"use {-rank} to {rank - 1}" if rank else "it has no axes"
        raise AxisError(f"{name}: axis {axis} does not exist in a tensor of rank {rank}; {remedy}")
    return int(axis) % rank


def is_integer(value: object) -> bool:
    """Whether a value is a whole number of Python's or numpy's, but not a bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def normalize_axes(name: str, axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes as sorted non-negative indices; ``None`` or ``()`` means all of them.

    A 0-d tensor may be reduced along 0 and -1, as in numpy and MindSpore.

    >>> normalize_axes("sum", (-1, 0), 3)
    (0, 2)
    """
    if axis is None or (isinstance(axis, tuple) and not axis):
        return tuple(range(rank))
    if not rank and axis in (0, -1):
        return ()
    if type(axis) is int:
        return (normalize_axis(name, axis, rank),)
    axes = sorted(normalize_axis(name, item, rank) for item in (axis if isinstance(axis, tuple | list) else (axis,)))
    if len(set(axes)) < len(axes):
        raise UsageError(f"{name}: axis {axis} names an axis twice")
    return tuple(axes)


def sizes_of(name: str, shape: object) -> Shape:
    """A shape as a tuple of ints; raises ``UsageError`` for anything else.

    >>> sizes_of("zeros", 3)
    (3,)
    """
    sizes = shape if type(shape) is tuple else tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    for size in sizes:
        if type(size) is not int:  # fast path
            break
    else:
        return sizes
    if not all(map(is_integer, sizes)):
        raise UsageError(f"{name}: a shape is made of ints, got {shape!r}")
    return tuple(map(int, sizes))


def check_dtype(name: str, dtype: object) -> DType:
    """The dtype itself; raises ``TypeError`` for numpy dtypes, strings and anything else."""
    if not isinstance(dtype, DType):
        raise ArgTypeError(f"{name}: dtype must be a minigraph dtype such as ms.float32, got {dtype!r}")
    return dtype


# ---- families --------------------------------------------------------------------------------------


def elementwise(
    name: str,
    forward: Function,
    *,
    vjp: Sequence[VJP | None],
    doc: str,
    lanes: tuple[str, ...] = ("simple",),
    kinds: str = "bifc",
    result: DType | None = None,
    to_float: bool = False,
    samples: Samples | None = None,
    **fields: object,
) -> Op:
    """Define an operator that computes every element of the result from the operands' elements at the same position.

    ``vjp`` has one entry per operand and so defines the arity; operands are promoted to one dtype and broadcast, with
    ``to_float`` integers as float32. ``kinds`` are the dtype kinds it accepts, ``result`` the dtype of the result if
    not of the operands, ``lanes`` the vector-instruction classes of an element, ``fields`` other fields of ``Op``.
    """

    def infer(*types: TensorType, **attrs: AttrValue) -> TensorType:
        check_kinds(name, kinds, *types)
        dtype = check_same_dtype(name, *types)
        return TensorType(broadcast_types(name, *types), result or dtype)

    if unknown := set(kinds) - KIND_NAMES.keys():
        raise UsageError(f"operator '{name}': no dtype kind {min(unknown)!r}; use letters of '{''.join(KIND_NAMES)}'")
    vjps = tuple(vjp) if isinstance(vjp, tuple | list) else vjp  # ``define`` refuses anything else
    arity = len(vjps) if isinstance(vjps, tuple) else 0
    defaults: dict[str, Any] = {
        "infer": infer,
        "promotes": Promotion(tuple(range(arity)), to_float) if arity > 1 or to_float else None,
        "into": True,
        "samples": samples or (unary_samples() if arity == 1 else binary_samples(kinds)),
    }
    return define(Op(
        name,
        forward,
        vjp=vjps,
        work=lane_work(*lanes),
        family="elementwise",
        doc=doc,
        **(defaults | fields),
    ))  # fmt: skip


def reduction(
    name: str,
    forward: Function,
    *,
    vjp: VJP | None,
    doc: str,
    kinds: str = "bif",
    dtype: Callable[[DType], DType] = lambda dtype: dtype,
    **fields: object,
) -> Op:
    """Define an operator with attributes ``axis`` and ``keepdims`` that reduces many elements to one.

    ``dtype`` gives the result dtype from the operand's.
    """

    def infer(x: TensorType, *, axis: tuple[int, ...], keepdims: bool) -> TensorType:
        check_kinds(name, kinds, x)
        return TensorType(reduced_shape(x.shape, axis, keepdims), dtype(x.dtype))

    def canonical(x: Tensor, *, axis: IntOrTuple | None = None, keepdims: bool = False) -> Attrs:
        check_operand(name, kinds, x)
        return {"axis": normalize_axes(name, axis, len(x.shape)), "keepdims": bool(keepdims)}

    defaults: dict[str, Any] = {
        "infer": infer,
        "canonical": canonical,
        "work": reduction_work,
        "samples": reduction_samples(kinds),
        "label": axis_label(name),
    }
    return define(Op(name, forward, vjp=(vjp,), family="reduction", doc=doc, **(defaults | fields)))


def reduced_shape(shape: Shape, axis: tuple[int, ...], keepdims: bool) -> Shape:
    """The shape after reducing over ``axis``.

    >>> reduced_shape((2, 3, 4), (0, 2), True)
    (1, 3, 1)
    """
    if keepdims:
        return tuple(1 if i in axis else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axis)


def axis_label(name: str) -> Callable[[Attrs], str]:
    """A label such as ``sum axis 0,1``."""
    return lambda attrs: f"{name} axis {_comma_separated(attrs['axis'])}"


def shape_label(name: str) -> Callable[[Attrs], str]:
    """A label such as ``reshape [2,3]``."""
    return lambda attrs: f"{name} [{_comma_separated(attrs['shape'])}]"


def _comma_separated(value: IntOrTuple) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
