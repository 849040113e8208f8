"""Iterators over a pipeline: rows by epoch, as Tensors or numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.tensor import Tensor
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.stages import Row

Output = TypeVar("Output")


class EpochIterator(Generic[Output]):
    """An iterator that ends with each epoch and then starts the next, ``num_epochs`` times (-1: without limit).

    Raises ``RuntimeError`` if it is used more often, so that a loop is not silently empty.

    >>> rows = EpochIterator(lambda: iter([(np.int64(1),), (np.int64(2),)]), len, num_epochs=2)
    >>> [list(rows), list(rows)]
    [[1, 1], [1, 1]]
    """

    def __init__(self, epoch: Callable[[], Iterator[Row]], convert: Callable[[Row], Output], num_epochs: int) -> None:
        if num_epochs != -1:
            check_interval("num_epochs", num_epochs, 1)
        self._epoch = epoch
        self._convert = convert
        self._num_epochs, self._epochs_left = num_epochs, num_epochs
        self._rows: Iterator[Row] | None = None

    def __iter__(self) -> EpochIterator[Output]:
        return self

    def __next__(self) -> Output:
        if self._rows is None:
            self._start()
        row = next(self._rows, None)  # type: ignore[arg-type]
        if row is None:
            self._rows = None
            raise StopIteration
        return self._convert(row)

    def _start(self) -> None:
        if self._epochs_left == 0:
            raise ArgRuntimeError(
                f"dataset: all {self._num_epochs} epochs of this iterator are over; increase num_epochs"
            )
        self._epochs_left -= 1
        self._rows = self._epoch()


def as_output(value: np.ndarray) -> Any:
    """A value of a row as a Tensor; text, which Tensors do not support, unchanged.

    >>> as_output(np.array([1, 2]))
    Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    return value if value.dtype.kind in "US" else Tensor(value)
