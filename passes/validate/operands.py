"""Operand types that an operator takes: small shapes first, and what its own samples show.

Nothing here knows an operator by name. Ranks 0 to 2 suit most; whatever needs more (convolutions, pools,
norms, attention) says so by the samples in its record, whose sizes are fitted to operands already chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op, Sample
from minigraph.core.tensor import Tensor
from minigraph.core.types import BY_NUMPY, DType, Shape, TensorType
from passes.validate.input_values import Span

REFUSALS = (MinigraphError, ArithmeticError, ValueError, TypeError, IndexError)  # what operators say of wrong operands


class Operand(NamedTuple):
    """The type of one operand, and the integers it may hold (``None``: any)."""

    type: TensorType
    span: Span | None = None


class Offer(NamedTuple):
    """Operands for one call, with the attributes that go with them in the sample they come from."""

    operands: tuple[Operand, ...]
    attrs: dict[str, Any]


def example_tensor(operand: Operand) -> Tensor:
    """A tensor of that type: ones, or the least integer it may hold."""
    value = operand.span[0] if operand.span else 1
    return Tensor(np.full(operand.type.shape, value, operand.type.dtype.numpy))


@cache
def samples_of(op: Op) -> tuple[Sample, ...]:
    """The samples in an operator's record whose operands have a type; none when it has none."""
    given = op.samples(np.random.default_rng(0)) if op.samples else ()
    return tuple(sample for sample in given if all(np.asarray(arg).dtype in BY_NUMPY for arg in sample.args))


def offers(
    op: Op, known: Sequence[TensorType | None], dtype: DType, rng: np.random.Generator, largest: int, tries: int,
    beside: Sequence[Shape] = (),
) -> Iterator[Offer]:  # fmt: skip
    """Operands worth trying, given those already ``known``; their sizes are at most ``largest`` where free.

    Small shapes, samples, and the ranks of samples with small sizes take turns. ``beside`` are shapes used
    elsewhere in the program. Not every offer fits: the operator's own type rule decides.
    """
    samples = [sample for sample in samples_of(op) if len(sample.args) == len(known)]
    kinds = _fixed_dtypes(samples, len(known))
    for turn in range(tries):
        if turn % 3 == 0 or not samples:
            yield Offer(tuple(_small_operands(known, dtype, rng, largest, kinds, beside)), {})
        else:
            sample = samples[int(rng.integers(len(samples)))]
            yield _sample_offer(sample, known, dtype, _random_sizes(sample, rng, largest) if turn % 3 == 2 else {})


def _fixed_dtypes(samples: Sequence[Sample], count: int) -> list[DType | None]:
    """By operand: the dtype it always has in the samples when that is no float, such as an index or a condition."""
    found: list[DType | None] = []
    for position in range(count):
        seen = {BY_NUMPY[np.asarray(sample.args[position]).dtype] for sample in samples}
        found.append(next(iter(seen)) if len(seen) == 1 and not next(iter(seen)).is_float else None)
    return found


# ---- small shapes ----------------------------------------------------------------------------------


def _small_operands(
    known: Sequence[TensorType | None], dtype: DType, rng: np.random.Generator, largest: int,
    kinds: Sequence[DType | None], beside: Sequence[Shape],
) -> Iterator[Operand]:  # fmt: skip
    shapes = [type.shape for type in known if type is not None]
    least = largest if rng.random() < 0.2 else 1  # now and then all sizes are one: squares, cubes
    for type, kind in zip(known, kinds, strict=True):
        if type is None:
            if (near := shapes or beside) and rng.random() < 0.6:
                shapes.append(_broadcastable_shape(near[int(rng.integers(len(near)))], rng))
            else:
                shapes.append(tuple(map(int, rng.integers(least, largest + 1, rng.integers(0, 3)))))
            whole = kind is not None and kind.kind == "i"
            yield Operand(TensorType(shapes[-1], kind or dtype), (0, 0) if whole else None)
        else:
            yield Operand(type)


def _broadcastable_shape(shape: Shape, rng: np.random.Generator) -> Shape:
    """The same shape, or one that broadcasts with it: fewer axes, or some of size 1."""
    if not shape or rng.random() < 0.6:
        return shape
    kept: Shape = shape[int(rng.integers(0, len(shape) + 1)) :]
    return tuple(1 if rng.random() < 0.4 else size for size in kept)


# ---- samples ---------------------------------------------------------------------------------------


def sample_shape(op: Op, position: int, count: int, rng: np.random.Generator, largest: int) -> Shape | None:
    """A shape that an operand of the operator may have, by one of its samples; ``None`` when it has none such."""
    samples = [sample for sample in samples_of(op) if len(sample.args) == count]
    if not samples:
        return None
    sample = samples[int(rng.integers(len(samples)))]
    sizes = _random_sizes(sample, rng, largest) if rng.random() < 0.5 else {}
    return tuple(sizes.get(int(size), int(size)) for size in np.asarray(sample.args[position]).shape)


def _random_sizes(sample: Sample, rng: np.random.Generator, largest: int) -> dict[int, int]:
    """A small size for every size that occurs in a sample."""
    sizes = {size for arg in sample.args for size in np.asarray(arg).shape}
    largest = min(largest, 3)  # of many axes
    least = largest if rng.random() < 0.3 else 1
    return {size: int(rng.integers(least, largest + 1)) for size in sorted(sizes)}


def _sample_offer(sample: Sample, known: Sequence[TensorType | None], dtype: DType, sizes: dict[int, int]) -> Offer:
    """A sample's operands, its sizes replaced as told and by those that known operands have in the same places."""
    shown = [np.asarray(arg) for arg in sample.args]
    for array, type in zip(shown, known, strict=True):
        if type is not None and type.ndim == array.ndim:
            sizes.update(zip(array.shape, type.shape, strict=True))
    operands = [
        Operand(type) if type is not None else _operand_like(array, sizes, dtype)
        for array, type in zip(shown, known, strict=True)
    ]
    return Offer(tuple(operands), dict(sample.attrs))


def _operand_like(array: np.ndarray, sizes: dict[int, int], dtype: DType) -> Operand:
    own = BY_NUMPY[array.dtype]
    type = TensorType(tuple(sizes.get(int(size), int(size)) for size in array.shape), dtype if own.is_float else own)
    span = (int(array.min()), int(array.max())) if own.kind == "i" and array.size else None
    return Operand(type, span)
