"""Batches of rows of similar length: ``Dataset.bucket_batch_by_length``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument, ValueArgument
from minigraph.dataset.arguments import Operation
from minigraph.dataset.stages import PadInfo, Row, pad_values, stack_values


class Buckets(NamedTuple):
    """Rows by length: bucket k has lengths from ``boundaries[k - 1]`` to below ``boundaries[k]``, the last all longer.

    A bucket with ``batch_sizes[k]`` rows is a batch.

    >>> Buckets([3, 6], [2, 2, 1]).index_of(3)
    1
    """

    boundaries: Sequence[int]
    batch_sizes: Sequence[int]

    def check(self) -> None:
        """Raises ``TypeError`` and ``ValueError`` for other lists than of increasing bounds and sizes from 1."""
        for name, numbers in (("bucket_boundaries", self.boundaries), ("bucket_batch_sizes", self.batch_sizes)):
            if not isinstance(numbers, list):
                kind = type(numbers)
                raise TypeArgument(f"Argument {name} with value {numbers} is not of type [{list}], but got {kind}.")
            if not numbers:
                raise ValueArgument(f"{name} cannot be empty.")
            if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
                raise TypeArgument(f"{name} should be a list of int.")
            if min(numbers) <= 0:
                raise ValueArgument(f"{name} must only contain positive numbers.")  # MindSpore's words
        if sorted({*self.boundaries}) != self.boundaries:
            raise ValueArgument("bucket_boundaries should be strictly increasing.")
        if len(self.batch_sizes) != len(self.boundaries) + 1:
            raise ValueArgument("bucket_batch_sizes must contain one element more than bucket_boundaries.")

    def index_of(self, length: int) -> int:
        """The bucket of a length; raises ``RuntimeError`` for a negative one."""
        if length < 0:
            raise RuntimeArgument(f"bucket_batch_by_length: a row has the length {length}; lengths are 0 or more")
        return bisect_right(self.boundaries, length)

    def batches(
        self, rows: Iterator[Row], length_of: Operation, drop_remainder: bool
    ) -> Iterator[tuple[int, list[Row]]]:
        """Each batch with its bucket, when it is full; at the end the rows left, by bucket."""
        waiting: list[list[Row]] = [[] for _ in self.batch_sizes]
        for row in rows:
            bucket = self.index_of(length_of(row))
            waiting[bucket].append(row)
            if len(waiting[bucket]) == self.batch_sizes[bucket]:
                yield bucket, waiting[bucket]
                waiting[bucket] = []
        if not drop_remainder:
            yield from ((bucket, left) for bucket, left in enumerate(waiting) if left)

    def padding_of(self, bucket: int, padding: PadInfo) -> PadInfo:
        """The padding in which sizes of ``None`` are the longest length of the bucket.

        Raises ``RuntimeError`` for the last bucket, whose lengths have no bound.
        """
        if bucket == len(self.boundaries):
            first = self.boundaries[-1]
            raise RuntimeArgument(
                f"bucket_batch_by_length: a row has a length of {first} or more, beyond the last of bucket_boundaries; "
                "add a larger one, or leave pad_to_bucket_boundary out"
            )
        size = self.boundaries[bucket] - 1
        return {
            name: (None if shape is None else [size if axis is None else axis for axis in shape], value)
            for name, (shape, value) in padding.items()
        }


def length_of_value(value: np.ndarray) -> int:
    """The size of the first axis; of a scalar, its value.

    >>> length_of_value(np.zeros((4, 2))), length_of_value(np.float32(3))
    (4, 3)
    """
    array = np.asarray(value)
    return array.shape[0] if array.ndim else int(array)


def pad_batch(columns: Sequence[str], rows: Sequence[Row], padding: PadInfo) -> Row:
    """The rows of a batch stacked, the columns in ``padding`` padded."""
    values = zip(columns, zip(*rows, strict=True), strict=True)
    return tuple(stack_values(n, pad_values(v, *padding[n]) if n in padding else v) for n, v in values)
