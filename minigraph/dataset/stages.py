"""The computation of pipeline stages: generators of rows, which are tuples of numpy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.arguments import Operation, as_array
from minigraph.dataset.config import debug_hooks
from minigraph.dataset.debug import with_hooks

Row = tuple[np.ndarray, ...]
PadInfo = Mapping[str, tuple[Sequence[int | None] | None, Any]]


class BatchInfo(NamedTuple):
    """Information on a batch for ``per_batch_map`` and for a ``batch_size`` that is a function."""

    batch_num: int
    epoch_num: int

    def get_batch_num(self) -> int:
        """The number of the batch in its epoch, from 0."""
        return self.batch_num

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0."""
        return self.epoch_num


def chunk_rows(
    rows: Iterator[Row], size: int | Callable[[BatchInfo], int], drop_remainder: bool, epoch: int
) -> Iterator[list[Row]]:
    """Rows ``size`` at a time; a short last chunk is kept unless ``drop_remainder``."""
    for number in itertools.count():
        count = size(BatchInfo(number, epoch)) if callable(size) else size
        chunk = list(itertools.islice(rows, count))
        if not chunk or (len(chunk) < count and drop_remainder):
            return
        yield chunk


def stack_values(name: str, values: Sequence[np.ndarray]) -> np.ndarray:
    """The values of one column as one array; raises ``RuntimeError`` when they differ in shape."""
    shapes = list(dict.fromkeys(value.shape for value in values))
    if len(shapes) > 1:
        listed = " and ".join(str(list(shape)) for shape in shapes[:2])
        raise ArgRuntimeError(f"batch: rows of column '{name}' differ in shape, {listed}; pad or crop them with map")
    return np.stack(values)


def stack_chunks(
    chunks: Iterator[list[Row]],
    columns: Sequence[str],
    results: Sequence[str],
    per_batch_map: Operation | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
    epoch: int,
) -> Iterator[Row]:
    """Chunks of rows as batches of the columns ``results``; ``per_batch_map`` of ``inputs`` gives ``outputs``."""
    for number, chunk in enumerate(chunks):
        arrays: dict[str, Any] = dict(zip(columns, zip(*chunk, strict=True), strict=True))
        if per_batch_map is not None:
            mapped = per_batch_map(*(list(arrays[name]) for name in inputs), BatchInfo(number, epoch))
            arrays.update(zip(outputs, mapped if isinstance(mapped, tuple) else (mapped,), strict=True))
        yield tuple(stack_values(name, [np.asarray(x) for x in arrays[name]]) for name in results)


def pad_values(values: Sequence[np.ndarray], shape: Sequence[int | None] | None, value: Any) -> list[np.ndarray]:
    """Values padded or cropped to one ``shape``, where ``None`` (for all axes, or for one) is the largest size.

    Raises ``RuntimeError`` for values of another rank.
    """
    rank = len(values[0].shape)
    if any(x.ndim != rank for x in values) or (shape is not None and len(shape) != rank):
        raise ArgRuntimeError(f"padded_batch: cannot pad rows of rank {rank} to shape {shape}; give one size per axis")
    largest = [max(sizes) for sizes in zip(*(x.shape for x in values), strict=True)]
    target = [limit if size is None else size for size, limit in zip(shape or [None] * rank, largest, strict=True)]
    results = []
    for x in values:
        cropped = x[tuple(slice(size) for size in target)]
        missing = [(0, size - current) for size, current in zip(target, cropped.shape, strict=True)]
        results.append(np.pad(cropped, missing, constant_values=value) if missing else cropped)
    return results


def shuffle_rows(rows: Iterator[Row], buffer_size: int, rng: np.random.Generator) -> Iterator[Row]:
    """Rows sampled from a buffer that is kept full."""
    buffer = list(itertools.islice(rows, buffer_size))
    for row in rows:
        index = int(rng.integers(len(buffer)))
        yield buffer[index]
        buffer[index] = row
    for index in rng.permutation(len(buffer)):
        yield buffer[index]


def map_rows(
    rows: Iterable[Row], columns: Sequence[str], fns: Sequence[Operation], inputs: Sequence[str], outputs: Sequence[str]
) -> Iterator[Row]:
    """Applies functions in sequence to the columns ``inputs``; the results replace them as columns ``outputs``."""
    observed = with_hooks(fns, debug_hooks())
    for row in rows:
        arrays = dict(zip(columns, row, strict=True))
        values = tuple(arrays[name] for name in inputs)
        for operation in observed:
            result = operation(*values)
            values = result if isinstance(result, tuple) else (result,)
        if len(values) != len(outputs):
            raise ArgRuntimeError(
                f"map: {len(values)} results for the columns {list(outputs)}; give one output column per result"
            )
        arrays.update(zip(outputs, map(as_array, values), strict=True))
        yield tuple(arrays[name] for name in replace_columns(columns, inputs, outputs))


def replace_columns(columns: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """Column names with ``outputs`` at the position of the first of ``inputs``.

    >>> replace_columns(["image", "size", "label"], ["size", "image"], ["small"])
    ['small', 'label']
    """
    position = columns.index(inputs[0])
    before = [name for name in columns[:position] if name not in inputs]
    return [*before, *outputs, *(name for name in columns[position:] if name not in inputs)]


def select_columns(rows: Iterable[Row], indices: Sequence[int]) -> Iterator[Row]:
    """Every row with only the values at these positions."""
    return (tuple(row[index] for index in indices) for row in rows)


def zip_rows(sources: Sequence[Iterator[Row]]) -> Iterator[Row]:
    """The concatenated rows of all sources, until one of them ends."""
    return (tuple(itertools.chain.from_iterable(rows)) for rows in zip(*sources, strict=False))


def rows_per_part(sizes: Sequence[int | float], total: int) -> list[int]:
    """The number of rows of each part of ``split``, from numbers or shares.

    Raises ``ValueError`` unless they sum up to all rows.

    >>> rows_per_part([0.75, 0.25], 8)
    [6, 2]
    """
    shares = all(isinstance(size, float) for size in sizes)
    if not sizes or any(isinstance(size, bool) or not isinstance(size, int | float) or size <= 0 for size in sizes):
        raise ArgValueError(f"split: sizes must be positive, all ints or all floats, got {sizes}")
    counts = [round(size * total) for size in sizes] if shares else [int(size) for size in sizes]
    if shares and abs(sum(sizes) - 1) < 1e-6:
        counts[-1] += total - sum(counts)  # the rounding error
    if sum(counts) != total or min(counts) < 1:
        raise ArgValueError(f"split: {sizes} of {total} rows; the parts must sum up to all rows, and none may be empty")
    return counts
