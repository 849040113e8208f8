"""Batches of a dataset for a training loop of the user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minigraph.core.errors import ArgTypeError
from minigraph.dataset import Dataset


class DatasetHelper:
    """One epoch of a dataset, row by row; there is no device to sink data to, so ``sink_size`` has no effect.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> [str(row[0]) for row in DatasetHelper(NumpySlicesDataset([1, 2], shuffle=False), False)]
    ['1', '2']
    """

    def __init__(
        self, dataset: Dataset, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        if not isinstance(dataset, Dataset):
            raise ArgTypeError(f"DatasetHelper: expected a dataset, got {type(dataset).__name__}")
        self.dataset, self.epoch_num = dataset, epoch_num

    def __iter__(self) -> Iterator[Any]:
        return iter(self.dataset.create_tuple_iterator(num_epochs=1))

    def sink_size(self) -> int:
        """The number of rows of one call: 1."""
        return 1

    def types_shapes(self) -> tuple[list[Any], list[Any]]:
        """(dtypes, shapes) of the columns."""
        row = next(iter(self))
        return [column.dtype for column in row], [list(column.shape) for column in row]

    def get_data_info(self) -> tuple[list[Any], list[Any]]:
        """The same as ``types_shapes``."""
        return self.types_shapes()

    def continue_send(self) -> None:
        """No effect: nothing is sent."""

    def stop_send(self, queue_name: str = "") -> None:
        """No effect: nothing is sent."""

    def release(self) -> None:
        """No effect: nothing is held."""
