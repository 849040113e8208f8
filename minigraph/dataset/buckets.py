"""Batches of rows of similar length: ``Dataset.bucket_batch_by_length``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
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

    def check(self, column_names: Sequence[str], length_function: Operation | None) -> None:
        """Check the arguments, with MindSpore's messages.

        Raises ``TypeError`` and ``ValueError`` for other lists than of increasing bounds and sizes from 1, and for
        several columns without a function of them.
        """
        numbers_by_name = {"bucket_boundaries": self.boundaries, "bucket_batch_sizes": self.batch_sizes}
        for name, values in {"column_names": column_names, **numbers_by_name}.items():
            if not isinstance(values, list):
                kind = type(values)
                raise ArgTypeError(f"Argument {name} with value {values} is not of type [{list}], but got {kind}.")
        for name, numbers in numbers_by_name.items():
            if not numbers:
                raise ArgValueError(f"{name} cannot be empty.")
            if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
                raise ArgTypeError(f"{name} should be a list of int.")
            if min(numbers) <= 0:
                raise ArgValueError(f"{name} must only contain positive numbers.")
        if sorted({*self.boundaries}) != self.boundaries:
            raise ArgValueError("bucket_boundaries should be strictly increasing.")
        if len(self.batch_sizes) != len(self.boundaries) + 1:
            raise ArgValueError("bucket_batch_sizes must contain one element more than bucket_boundaries.")
        if length_function is None and len(column_names) != 1:
            text = "If element_length_function is not specified, exactly one column name should be passed."
            raise ArgValueError(text)

    def index_of(self, length: int) -> int:
        """The bucket of a length; raises ``RuntimeError`` for a negative one."""
        if length < 0:
            raise ArgRuntimeError(f"bucket_batch_by_length: a row has the length {length}; lengths are 0 or more")
        return bisect_right(self.boundaries, length)

    def batches(
        self, rows: Iterator[Row], length_of: Callable[[Row], int], drop_remainder: bool
    ) -> Iterator[tuple[int, list[Row]]]:
        """Each bucket that is full, with its rows, as a batch; at the end the buckets that hold fewer rows."""
        incomplete: list[list[Row]] = [[] for _ in self.batch_sizes]
        for row in rows:
            bucket = self.index_of(length_of(row))
            incomplete[bucket].append(row)
            if len(incomplete[bucket]) == self.batch_sizes[bucket]:
                yield bucket, incomplete[bucket]
                incomplete[bucket] = []
        if not drop_remainder:
            yield from ((bucket, remainder) for bucket, remainder in enumerate(incomplete) if remainder)

    def padding_by_bucket(self, padding: PadInfo) -> list[PadInfo | None]:
        """``padding`` for each bucket, with its longest length for ``None``; the last has no bound and no padding."""
        return [*(_with_sizes(boundary - 1, padding) for boundary in self.boundaries), None]


def _with_sizes(length: int, padding: PadInfo) -> PadInfo:
    """A padding in which sizes of ``None`` are ``length``."""
    shapes = {
        name: shape and [length if size is None else size for size in shape] for name, (shape, _) in padding.items()
    }
    return {name: (shape, padding[name][1]) for name, shape in shapes.items()}


def length_function(indices: Sequence[int], function: Operation | None) -> Callable[[Row], int]:
    """The function that gives the length of a row from the columns of these indices; by default ``length_of_value``."""
    return lambda row: int((function or length_of_value)(*(row[index] for index in indices)))


def length_of_value(value: np.ndarray) -> int:
    """The size of the first axis; of a scalar, its value.

    >>> length_of_value(np.zeros((4, 2))), length_of_value(np.float32(3))
    (4, 3)
    """
    array = np.asarray(value)
    return array.shape[0] if array.ndim else int(array)


def pad_batch(columns: Sequence[str], rows: Sequence[Row], padding: PadInfo | None) -> Row:
    """The rows of a batch stacked, the columns in ``padding`` padded.

    Raises ``RuntimeError`` without a padding: the bucket has no boundary to which it could be padded.
    """
    if padding is None:
        raise ArgRuntimeError(
            "bucket_batch_by_length: a row is longer than the last of bucket_boundaries; add a larger one, or leave "
            "pad_to_bucket_boundary out"
        )
    values = zip(columns, zip(*rows, strict=True), strict=True)
    return tuple(stack_values(n, pad_values(v, *padding[n]) if n in padding else v) for n, v in values)
