"""Mixed precision of Cells: the operators of a call compute in another dtype than its Parameters have."""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import lru_cache
from typing import Any, Self

from minigraph.capture.trace import Tracing
from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.core.op import Op, apply, current_interpreter, use_interpreter
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.eager import Eager
from minigraph.core.types import DType, bfloat16, float16, float32

COMPUTE_DTYPES = (float32, float16, bfloat16)
COMPUTE, OUTPUT = "compute dtype", "output dtype"  # where a Cell keeps them


class MixedPrecisionType(IntEnum):
    """In which dtype a Cell computes; prints with its class, as MindSpore's does."""

    NOTSET, FP16, FP32, BF16 = range(4)
    __str__ = Enum.__str__


TYPES = {None: MixedPrecisionType.NOTSET, float16: MixedPrecisionType.FP16, float32: MixedPrecisionType.FP32,
         bfloat16: MixedPrecisionType.BF16}  # fmt: skip


class OperandCast:
    """Casts the float operands of every operator call to one dtype; casts and assignments keep their operands."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __call__(self, op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands of a call."""
        if op.effects or op.family == "region" or "dtype" in op.attributes or (op.unit == "none" and not op.attributes):
            return args
        return tuple([self._cast(arg) for arg in args])

    def _cast(self, arg: object) -> PyTree:
        if not isinstance(arg, Tensor) or arg.dtype.kind != "f" or arg.dtype is self.dtype:
            return arg
        return apply("cast", arg, dtype=self.dtype)

    def run_eagerly(self, run: Function, *args: object, **kwargs: object) -> PyTree:
        """Call a function whose operators are computed immediately."""
        return use_interpreter(_casting_eager(self.dtype)).call(run, *args, **kwargs)

    def run_traced(self, tracing: Tracing, run: Function, *args: object, **kwargs: object) -> PyTree:
        """Call a function whose operators become nodes of a graph."""
        outer, tracing.operand_cast = tracing.operand_cast, self
        try:
            return run(*args, **kwargs)
        finally:
            tracing.operand_cast = outer


class CastingEager(Eager):
    """Eager mode in another dtype."""

    def __init__(self, cast: OperandCast) -> None:
        super().__init__()
        self.cast = cast

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """The operands as tensors of the dtype."""
        return super().lift(op, self.cast(op, args))


@lru_cache(maxsize=64)
def _casting_eager(dtype: DType) -> CastingEager:
    return CastingEager(OperandCast(dtype))


def with_dtypes(cell: object, run: Function) -> Function:
    """``run``, the computation of a Cell, in the Cell's dtypes; ``run`` itself if it has none."""
    compute, output = vars(cell).get(COMPUTE), vars(cell).get(OUTPUT)
    return run if compute is output is None else _Call(run, compute, output)


class _Call:
    """A computation whose operators compute in the dtype ``compute``, and whose results are cast to ``output``."""

    def __init__(self, run: Function, compute: DType | None, output: DType | None) -> None:
        self.run, self.output = run, output
        self.cast = None if compute is None else OperandCast(compute)

    def __call__(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        interpreter = current_interpreter()
        if self.cast is None:
            results = self.run(*inputs, **kwargs)
        elif isinstance(interpreter, Tracing):
            results = self.cast.run_traced(interpreter, self.run, *inputs, **kwargs)
        else:
            results = self.cast.run_eagerly(self.run, *inputs, **kwargs)
        return results if self.output is None else cast_floats(results, self.output)


def cast_floats(structure: object, dtype: DType) -> PyTree:
    """The structure with its float tensors cast.

    >>> cast_floats((Tensor([1.5]), Tensor([2])), float16)[0].dtype
    mindspore.float16
    """
    leaves, spec = flatten(structure, lambda item: isinstance(item, Tensor))
    return unflatten(spec, [apply("cast", leaf, dtype=dtype) if leaf.dtype.kind == "f" else leaf for leaf in leaves])


class MixedPrecisionCell:
    """The methods of a Cell that choose the dtype in which it computes."""

    def to_float(self, dst_type: DType) -> Self:
        """Computes this Cell and all below it in Float32, Float16 or BFloat16: operators cast their float operands.

        Parameters keep their dtype, and so do their gradients. Raises ``ValueError`` for other dtypes.

        >>> from minigraph import nn
        >>> net = nn.Dense(2, 1).to_float(float16)
        >>> net(Tensor([[1.0, 2.0]])).dtype, net.weight.dtype
        (mindspore.float16, mindspore.float32)
        """
        if dst_type not in COMPUTE_DTYPES:
            raise ArgValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        for _, cell in self.cells_and_names():  # type: ignore[attr-defined]
            set_dtypes(cell, dst_type, vars(cell).get(OUTPUT))
        return self

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """The dtype that ``to_float`` chose for this Cell.

        >>> from minigraph import nn
        >>> nn.ReLU().to_float(float16).get_mixed_precision_type()
        <MixedPrecisionType.FP16: 1>
        """
        return TYPES[vars(self).get(COMPUTE)]

    def set_mixed_precision_type(self, mixed_type: MixedPrecisionType) -> None:
        """Chooses the dtype for this Cell alone, in both modes; raises ``TypeError`` for another value."""
        if not isinstance(mixed_type, MixedPrecisionType):
            text = f"set_mixed_precision_type: needs a MixedPrecisionType, got {type(mixed_type).__name__}"
            raise ArgTypeError(f"{text}; use that of get_mixed_precision_type, or to_float")
        dtype = next(dtype for dtype, kind in TYPES.items() if kind is mixed_type)
        set_dtypes(self, dtype, vars(self).get(OUTPUT))


def set_dtypes(cell: object, compute: DType | None, output: DType | None) -> None:
    """Set the dtypes in which a Cell computes, and to which its float results are cast."""
    vars(cell).update({COMPUTE: compute, OUTPUT: output})
    vars(cell)["_version"] += 1  # compiled code is guarded by it
