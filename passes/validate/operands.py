"""Generates operand types accepted by an operator, smallest shapes first.

No operator is special here. Ranks 0 to 2 suit most operators. Others (convolutions, pools, norms, attention) have
samples in their record, whose sizes are adapted to the operands chosen already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op, Sample
from minigraph.core.tensor import Tensor
from minigraph.core.types import DTYPE_BY_NUMPY, DType, Shape, TensorType
from passes.validate.input_values import Span

REJECTION_ERRORS = (
    MinigraphError,
    ArithmeticError,
    ValueError,
    TypeError,
    IndexError,
)  # errors for unsuitable operands


class Operand(NamedTuple):
    """The type of one operand, and the range of its integers (``None``: any)."""

    type: TensorType
    span: Span | None = None


class Candidate(NamedTuple):
    """Candidate operands for one call, with the attributes of the sample that they come from."""

    operands: tuple[Operand, ...]
    attrs: Attrs


def example_tensor(operand: Operand) -> Tensor:
    """A tensor of that type, filled with ones, or with the least integer of its range."""
    value = operand.span[0] if operand.span else 1
    return Tensor(np.full(operand.type.shape, value, operand.type.dtype.numpy))


@lru_cache(maxsize=1024)
def samples_of(op: Op) -> tuple[Sample, ...]:
    """The samples in an operator's record whose operands all have a supported dtype."""
    samples = op.samples(np.random.default_rng(0)) if op.samples else ()
    return tuple(sample for sample in samples if all(np.asarray(arg).dtype in DTYPE_BY_NUMPY for arg in sample.args))


def candidate_operands(
    op: Op, operand_types: Sequence[TensorType | None], dtype: DType, rng: np.random.Generator, max_size: int,
    count: int, context_shapes: Sequence[Shape] = (),
) -> Iterator[Candidate]:  # fmt: skip
    """Candidate operands for a call; types that are not ``None`` are fixed, others have sizes up to ``max_size``.

    Small shapes, samples, and samples with small sizes alternate. ``context_shapes`` are shapes of other operands in
    the program. The operator's own type rule decides whether it accepts a candidate.
    """
    samples = [sample for sample in samples_of(op) if len(sample.args) == len(operand_types)]
    fixed = _fixed_dtypes(samples, len(operand_types))
    for attempt in range(count):
        if attempt % 3 == 0 or not samples:
            yield Candidate(tuple(_small_operands(operand_types, dtype, rng, max_size, fixed, context_shapes)), {})
        else:
            sample = samples[int(rng.integers(len(samples)))]
            yield _sample_candidate(
                sample, operand_types, dtype, _random_sizes(sample, rng, max_size) if attempt % 3 == 2 else {}
            )


def _fixed_dtypes(samples: Sequence[Sample], count: int) -> list[DType | None]:
    """By operand: the dtype that it has in all samples if that is not a float, such as of an index or a condition."""
    fixed: list[DType | None] = []
    for position in range(count):
        dtypes = {DTYPE_BY_NUMPY[np.asarray(sample.args[position]).dtype] for sample in samples}
        fixed.append(next(iter(dtypes)) if len(dtypes) == 1 and not next(iter(dtypes)).is_float else None)
    return fixed


# ---- small shapes ----------------------------------------------------------------------------------


def _small_operands(
    operand_types: Sequence[TensorType | None], dtype: DType, rng: np.random.Generator, max_size: int,
    fixed: Sequence[DType | None], context_shapes: Sequence[Shape],
) -> Iterator[Operand]:  # fmt: skip
    shapes = [type.shape for type in operand_types if type is not None]
    min_size = max_size if rng.random() < 0.2 else 1  # sometimes all sizes are equal: squares, cubes
    for type, fixed_dtype in zip(operand_types, fixed, strict=True):
        if type is None:
            if (sources := shapes or context_shapes) and rng.random() < 0.6:
                shapes.append(_broadcastable_shape(sources[int(rng.integers(len(sources)))], rng))
            else:
                shapes.append(tuple(map(int, rng.integers(min_size, max_size + 1, rng.integers(0, 3)))))
            is_integer = fixed_dtype is not None and fixed_dtype.kind == "i"
            yield Operand(TensorType(shapes[-1], fixed_dtype or dtype), (0, 0) if is_integer else None)
        else:
            yield Operand(type)


def _broadcastable_shape(shape: Shape, rng: np.random.Generator) -> Shape:
    """The same shape, or one that broadcasts with it: with fewer axes, or with some of size 1."""
    if not shape or rng.random() < 0.6:
        return shape
    trailing: Shape = shape[int(rng.integers(0, len(shape) + 1)) :]
    return tuple(1 if rng.random() < 0.4 else size for size in trailing)


# ---- samples ---------------------------------------------------------------------------------------


def sample_shape(op: Op, position: int, count: int, rng: np.random.Generator, max_size: int) -> Shape | None:
    """A shape that an operand has in a sample of its operator; ``None`` without a sample of that many operands."""
    samples = [sample for sample in samples_of(op) if len(sample.args) == count]
    if not samples:
        return None
    sample = samples[int(rng.integers(len(samples)))]
    sizes = _random_sizes(sample, rng, max_size) if rng.random() < 0.5 else {}
    return tuple(sizes.get(int(size), int(size)) for size in np.asarray(sample.args[position]).shape)


def _random_sizes(sample: Sample, rng: np.random.Generator, max_size: int) -> dict[int, int]:
    """A random small size for every size in a sample."""
    sizes = {size for arg in sample.args for size in np.asarray(arg).shape}
    max_size = min(max_size, 3)  # samples have many axes
    min_size = max_size if rng.random() < 0.3 else 1
    return {size: int(rng.integers(min_size, max_size + 1)) for size in sorted(sizes)}


def _sample_candidate(
    sample: Sample, operand_types: Sequence[TensorType | None], dtype: DType, sizes: dict[int, int]
) -> Candidate:
    """A sample's operands with sizes replaced by ``sizes``, and by the sizes of known operands on the same axes."""
    arrays = [np.asarray(arg) for arg in sample.args]
    for array, type in zip(arrays, operand_types, strict=True):
        if type is not None and type.ndim == array.ndim:
            sizes.update(zip(array.shape, type.shape, strict=True))
    operands = [
        Operand(type) if type is not None else _operand_like(array, sizes, dtype)
        for array, type in zip(arrays, operand_types, strict=True)
    ]
    return Candidate(tuple(operands), dict(sample.attrs))


def _operand_like(array: np.ndarray, sizes: dict[int, int], dtype: DType) -> Operand:
    fixed_dtype = DTYPE_BY_NUMPY[array.dtype]
    type = TensorType(
        tuple(sizes.get(int(size), int(size)) for size in array.shape), dtype if fixed_dtype.is_float else fixed_dtype
    )
    span = (int(array.min()), int(array.max())) if fixed_dtype.kind == "i" and array.size else None
    return Operand(type, span)
