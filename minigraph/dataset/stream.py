"""What any stage of a data pipeline is: rows, epoch by epoch, and what can be asked of them.

Rows are made on demand, in this thread, as tuples of numpy arrays; iterators hand them out as MindSpore does:
lists, or dicts, of Tensors.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minigraph.core.errors import UnknownName, ValueArgument, did_you_mean
from minigraph.dataset.arguments import column_names_of
from minigraph.dataset.config import get_seed
from minigraph.dataset.iterators import Epochs, handed_out
from minigraph.dataset.stages import Row

Rows = Callable[[np.random.Generator], Iterator[Row]]
Size = Callable[[], int]


class Stream:
    """One stage: its column names, a function that makes the rows of one epoch, and how many they are.

    ``rows(rng)`` starts an epoch, with randomness that differs by epoch and stage and repeats by seed; ``size``
    (``None``) counts them by running an epoch. A stage feeds one other stage only, as in MindSpore; ``ValueError``
    says so when rows are asked for.
    """

    batch_size = 1  # of ``batch`` and ``padded_batch``
    repeats = 1  # of ``repeat``

    def __init__(
        self, columns: Sequence[str], rows: Rows, size: Size | None = None, parents: Sequence[Stream] = ()
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self._size = size or self._counted
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
    ) -> Epochs[list[Any]]:
        """Rows as lists, in the order of ``columns``, of Tensors or of numpy arrays."""
        self._check_tree()
        places = [self._columns.index(name) for name in self._chosen(columns, self._columns)]
        value = np.asarray if output_numpy else handed_out
        return Epochs(self.epoch, lambda row: [value(row[place]) for place in places], num_epochs)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> Epochs[dict[str, Any]]:
        """Rows as dicts from column name to Tensor or numpy array."""
        self._check_tree()
        value = np.asarray if output_numpy else handed_out
        return Epochs(
            self.epoch, lambda row: {n: value(v) for n, v in zip(self._columns, row, strict=True)}, num_epochs
        )

    def __iter__(self) -> Epochs[list[Any]]:
        return self.create_tuple_iterator(num_epochs=1)

    # ---- what can be asked -------------------------------------------------------------------------

    def get_dataset_size(self) -> int:
        """Rows of one epoch (batches, after ``batch``); of a ``repeat`` without end those of one round."""
        self._check_tree()
        return self._size()

    def get_col_names(self) -> list[str]:
        """The column names, in order."""
        return list(self._columns)

    def get_batch_size(self) -> int:
        """How many rows the last ``batch`` stacked; 1 without one."""
        return next((s.batch_size for s in self._line() if s.batch_size != 1), 1)

    def get_repeat_count(self) -> int:
        """How often the last ``repeat`` says its rows, -1 for without end; 1 without one."""
        return next((s.repeats for s in self._line() if s.repeats != 1), 1)

    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """The shapes of the columns, as the first row has them; ``estimate`` changes nothing."""
        return [list(value.shape) for value in self._first_row()]

    def output_types(self) -> list[np.dtype[Any]]:
        """The dtypes of the columns, as the first row has them."""
        return [value.dtype for value in self._first_row()]

    # ---- helpers -----------------------------------------------------------------------------------

    def _line(self) -> Iterator[Stream]:
        """This stage and those before it, as far as each has one source."""
        stage: Stream | None = self
        while stage is not None:
            yield stage
            stage = stage._parents[0] if len(stage._parents) == 1 else None

    def _family(self) -> list[Stream]:
        """This stage and all before it."""
        found, waiting = [], [self]
        while waiting:
            stage = waiting.pop()
            found.append(stage)
            waiting += stage._parents
        return found

    @contextmanager
    def as_new(self) -> Iterator[None]:
        """Have epochs in here be what the first ones are, and leave no trace on those that follow."""
        counts = [(stage, stage._epochs) for stage in self._family()]
        try:
            for stage, _ in counts:
                stage._epochs = 0
            yield
        finally:
            for stage, count in counts:
                stage._epochs = count

    def _counted(self) -> int:
        with self.as_new():
            return sum(1 for _ in self.epoch())

    def _first_row(self) -> Row:
        with self.as_new():
            row = next(self.epoch(), None)
        if row is None:
            raise ValueArgument("dataset: shapes and types are those of the first row, but there is no row")
        return row

    def _chosen(self, names: str | Sequence[str] | None, otherwise: Sequence[str]) -> tuple[str, ...]:
        """Names of columns there are; raises ``UnknownName`` with the nearest for others."""
        chosen = tuple(otherwise) if names is None else column_names_of(names)
        for name in chosen:
            if name not in self._columns:
                raise UnknownName(f"dataset: no column '{name}'{did_you_mean(name, self._columns)}")
        return chosen

    def _check_tree(self) -> None:
        for stage in self._family():
            if len(stage._consumers) > 1:
                raise ValueArgument(
                    "The data pipeline is not a tree (i.e., one node has 2 consumers); "
                    "make the source once more for the second use"
                )
