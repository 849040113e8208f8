"""The base class of pipeline stages: rows by epoch, and queries.

Rows are produced on demand, in the calling thread, as tuples of numpy arrays; iterators return them as MindSpore does:
lists, or dicts, of Tensors.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError, ArgValueError, UnknownNameError, did_you_mean
from minigraph.dataset.arguments import as_column_names
from minigraph.dataset.config import get_seed
from minigraph.dataset.iterators import EpochIterator, as_output
from minigraph.dataset.stages import Row

Rows = Callable[[np.random.Generator], Iterator[Row]]
Size = Callable[[], int]


class Stream:
    """One stage: its column names, a function that starts an epoch of rows, and their number.

    ``rows(rng)`` starts an epoch, with a random generator that differs by epoch and stage and is reproducible by seed;
    ``size`` (``None``) counts the rows by running an epoch. A stage has at most one consumer, as in MindSpore;
    otherwise iteration raises ``ValueError``.
    """

    batch_size = 1  # of ``batch`` and ``padded_batch``
    repeats = 1  # of ``repeat``

    def __init__(
        self, columns: Sequence[str], rows: Rows, size: Size | None = None, parents: Sequence[Stream] = ()
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self._size = size or self._count_rows
        self._parents = tuple(parents)
        self._depth: int = 1 + max((parent._depth for parent in parents), default=-1)
        self._epochs = 0
        self._consumers: weakref.WeakSet[Stream] = weakref.WeakSet()
        for parent in parents:
            parent._consumers.add(self)

    # ---- rows --------------------------------------------------------------------------------------

    def epoch(self) -> Iterator[Row]:
        """The rows of the next epoch, as tuples of numpy arrays."""
        rng = np.random.default_rng((get_seed(), self._depth, self._epochs))
        self._epochs += 1
        return self._rows(rng)

    def create_tuple_iterator(
        self,
        columns: str | Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> EpochIterator[list[Any]]:
        """Rows as lists, in the order of ``columns``, of Tensors or of numpy arrays."""
        self._check_tree()
        indices = [self._columns.index(name) for name in self._check_columns(columns, self._columns)]
        value = np.asarray if output_numpy else as_output
        return EpochIterator(self.epoch, lambda row: [value(row[index]) for index in indices], num_epochs)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> EpochIterator[dict[str, Any]]:
        """Rows as dicts from column name to Tensor or numpy array."""
        self._check_tree()
        value = np.asarray if output_numpy else as_output
        return EpochIterator(
            self.epoch, lambda row: {n: value(v) for n, v in zip(self._columns, row, strict=True)}, num_epochs
        )

    def __iter__(self) -> EpochIterator[list[Any]]:
        return self.create_tuple_iterator(num_epochs=1)

    # ---- queries -----------------------------------------------------------------------------------

    def get_dataset_size(self) -> int:
        """The rows of one epoch (batches, after ``batch``); for an endless ``repeat``, the rows of one repetition."""
        self._check_tree()
        return self._size()

    def get_col_names(self) -> list[str]:
        """The column names, in order."""
        return list(self._columns)

    def get_batch_size(self) -> int:
        """The batch size of the last ``batch``; 1 without one."""
        return next((s.batch_size for s in self._chain() if s.batch_size != 1), 1)

    def get_repeat_count(self) -> int:
        """The count of the last ``repeat``, -1 if endless; 1 without one."""
        return next((s.repeats for s in self._chain() if s.repeats != 1), 1)

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the columns in the first row; ``estimate`` has no effect."""
        return [list(value.shape) for value in self._first_row()]

    def output_types(self) -> list[np.dtype[Any]]:
        """The dtypes of the columns in the first row."""
        return [value.dtype for value in self._first_row()]

    # ---- helpers -----------------------------------------------------------------------------------

    def _chain(self) -> Iterator[Stream]:
        """This stage and its ancestors, as long as each has one parent."""
        stage: Stream | None = self
        while stage is not None:
            yield stage
            stage = stage._parents[0] if len(stage._parents) == 1 else None

    def _ancestors(self) -> list[Stream]:
        """This stage and all its ancestors."""
        stages, stack = [], [self]
        while stack:
            stage = stack.pop()
            stages.append(stage)
            stack += stage._parents
        return stages

    @contextmanager
    def fresh_epochs(self) -> Iterator[None]:
        """In this context epochs restart from the first; the epoch counts are restored afterwards."""
        counts = [(stage, stage._epochs) for stage in self._ancestors()]
        try:
            for stage, _ in counts:
                stage._epochs = 0
            yield
        finally:
            for stage, count in counts:
                stage._epochs = count

    def _count_rows(self) -> int:
        with self.fresh_epochs():
            return sum(1 for _ in self.epoch())

    def _first_row(self) -> Row:
        with self.fresh_epochs():
            row = next(self.epoch(), None)
        if row is None:
            raise ArgValueError("dataset: shapes and types come from the first row, but there are no rows")
        return row

    def _check_columns(self, names: str | Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
        """Names of existing columns; raises ``UnknownNameError`` with the nearest name for others."""
        columns = tuple(default) if names is None else as_column_names(names)
        for name in columns:
            if name not in self._columns:
                raise UnknownNameError(f"dataset: no column '{name}'{did_you_mean(name, self._columns)}")
        return columns

    def _check_tree(self) -> None:
        for stage in self._ancestors():
            if len(stage._consumers) > 1:
                raise ArgValueError(
                    "The data pipeline is not a tree (i.e., one node has 2 consumers); "
                    "create the source again for the second use"
                )


def as_sequence(datasets: object) -> Sequence[Any]:
    """One dataset or several as a sequence; ``check_datasets`` checks other types."""
    return datasets if isinstance(datasets, list | tuple) else [datasets]


def check_datasets(caller: str, datasets: Any) -> None:
    """Raises ``TypeError`` unless there is at least one dataset and all are."""
    for dataset in datasets or (None,):
        if not isinstance(dataset, Stream):
            raise ArgTypeError(f"{caller}: expected a dataset, got {type(dataset).__name__}")
