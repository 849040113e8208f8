"""What the stages of a pipeline do to the rows that come in: plain generators of tuples of numpy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import RuntimeArgument
from minigraph.dataset.arguments import Operation, as_array

Row = tuple[np.ndarray, ...]
PadInfo = Mapping[str, tuple[Sequence[int | None] | None, Any]]


class BatchInfo(NamedTuple):
    """What ``per_batch_map`` and a ``batch_size`` that is a function are told of a batch."""

    batch_num: int
    epoch_num: int

    def get_batch_num(self) -> int:
        """The number of the batch in its epoch, from 0."""
        return self.batch_num

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0."""
        return self.epoch_num


def chunks(
    rows: Iterator[Row], size: int | Callable[[BatchInfo], int], drop_remainder: bool, epoch: int
) -> Iterator[list[Row]]:
    """Rows ``size`` at a time; the short last chunk is kept unless ``drop_remainder``."""
    for number in itertools.count():
        wanted = size(BatchInfo(number, epoch)) if callable(size) else size
        chunk = list(itertools.islice(rows, wanted))
        if not chunk or (len(chunk) < wanted and drop_remainder):
            return
        yield chunk


def stacked(name: str, values: Sequence[np.ndarray]) -> np.ndarray:
    """The values of one column as one array; raises ``RuntimeError`` when they differ in shape."""
    shapes = list(dict.fromkeys(value.shape for value in values))
    if len(shapes) > 1:
        listed = " and ".join(str(list(shape)) for shape in shapes[:2])
        raise RuntimeArgument(f"batch: rows of column '{name}' differ in shape, {listed}; pad or crop them with map")
    return np.stack(values)


def padded(values: Sequence[np.ndarray], shape: Sequence[int | None] | None, value: Any) -> list[np.ndarray]:
    """Values brought to one ``shape``, where ``None`` (for all, or one axis) is the largest there is.

    What is missing is filled with ``value``, what is too much cut off. Raises ``RuntimeError`` for another rank.
    """
    rank = len(values[0].shape)
    if any(x.ndim != rank for x in values) or (shape is not None and len(shape) != rank):
        raise RuntimeArgument(f"padded_batch: rows of rank {rank} and the shape {shape} do not fit")
    largest = [max(sizes) for sizes in zip(*(x.shape for x in values), strict=True)]
    wanted = [most if size is None else size for size, most in zip(shape or [None] * rank, largest, strict=True)]
    found = []
    for x in values:
        cut = x[tuple(slice(size) for size in wanted)]
        missing = [(0, size - have) for size, have in zip(wanted, cut.shape, strict=True)]
        found.append(np.pad(cut, missing, constant_values=value) if missing else cut)
    return found


def shuffled(rows: Iterator[Row], buffer_size: int, rng: np.random.Generator) -> Iterator[Row]:
    """Rows drawn at random from a buffer that is kept full."""
    buffer = list(itertools.islice(rows, buffer_size))
    for row in rows:
        place = int(rng.integers(len(buffer)))
        yield buffer[place]
        buffer[place] = row
    for place in rng.permutation(len(buffer)):
        yield buffer[place]


def mapped(
    rows: Iterable[Row], columns: Sequence[str], chain: Sequence[Operation], ins: Sequence[str], outs: Sequence[str]
) -> Iterator[Row]:
    """Rows in which the results of a chain of functions of ``ins`` stand, as ``outs``, in their place."""
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        values = tuple(named[name] for name in ins)
        for operation in chain:
            result = operation(*values)
            values = result if isinstance(result, tuple) else (result,)
        if len(values) != len(outs):
            raise RuntimeArgument(f"map: {len(values)} results for columns {list(outs)}; name as many output_columns")
        named.update(zip(outs, map(as_array, values), strict=True))
        yield tuple(named[name] for name in replaced(columns, ins, outs))


def replaced(columns: Sequence[str], ins: Sequence[str], outs: Sequence[str]) -> list[str]:
    """Column names with ``outs`` standing where the first of ``ins`` stood.

    >>> replaced(["image", "size", "label"], ["size", "image"], ["small"])
    ['small', 'label']
    """
    place = columns.index(ins[0])
    before = [name for name in columns[:place] if name not in ins]
    return [*before, *outs, *(name for name in columns[place:] if name not in ins)]


def picked(rows: Iterable[Row], places: Sequence[int]) -> Iterator[Row]:
    """The values at some places of every row."""
    return (tuple(row[place] for place in places) for row in rows)


def side_by_side(sources: Sequence[Iterator[Row]]) -> Iterator[Row]:
    """One row of every source as one, as long as all have one."""
    return (tuple(itertools.chain.from_iterable(rows)) for rows in zip(*sources, strict=False))
