"""Data pipelines: rows from a source, through ``shuffle``, ``map``, ``batch`` and ``repeat``, epoch by epoch.

A ``Dataset`` is one stage; each method adds the next stage behind it. Rows are made on demand, in this
thread, as tuples of numpy arrays; iterators hand them out as MindSpore does: lists, or dicts, of Tensors.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from minigraph.dataset.checks import Operation, as_array, check_callables, column_names_of, in_interval
from minigraph.dataset.config import get_seed
from minigraph.errors import RuntimeArgument, UnknownName, ValueArgument, did_you_mean
from minigraph.tensor import Tensor

Row = tuple[np.ndarray, ...]
Rows = Callable[[np.random.Generator], Iterator[Row]]
Form = TypeVar("Form")


class Dataset:
    """One stage: its column names, a function that makes the rows of one epoch, and how many they are.

    ``rows(rng)`` starts an epoch, with randomness that differs by epoch and stage and repeats by seed.
    A stage feeds one other stage only, as in MindSpore; ``ValueError`` says so when rows are asked for.
    """

    def __init__(
        self, columns: Sequence[str], rows: Rows, size: Callable[[], int], parent: Dataset | None = None
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self._size = size
        self._parent = parent
        self._depth: int = 0 if parent is None else parent._depth + 1
        self._epochs = 0
        self._consumers: weakref.WeakSet[Dataset] = weakref.WeakSet()
        if parent is not None:
            parent._consumers.add(self)

    # ---- stages ------------------------------------------------------------------------------------

    def batch(self, batch_size: int, drop_remainder: bool = False) -> Dataset:
        """Rows stacked ``batch_size`` at a time; the short last batch is kept unless ``drop_remainder``.

        Raises ``RuntimeError`` when the rows of one batch differ in shape.
        """
        in_interval("batch_size", batch_size, 1)

        def size() -> int:
            rows = self._size()
            return rows if rows < 0 else rows // batch_size if drop_remainder else -(-rows // batch_size)

        return self._then(lambda rng: _batches(self, batch_size, drop_remainder), size)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows drawn at random from a buffer that is kept full; a buffer of all rows shuffles evenly."""
        in_interval("buffer_size", buffer_size, 2)
        return self._then(lambda rng: _shuffled(self.epoch(), buffer_size, rng), self._size)

    def map(
        self,
        operations: Operation | Sequence[Operation],
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
    ) -> Dataset:
        """Functions of numpy arrays applied in turn to ``input_columns`` (default: the first column).

        The results take the place of the input columns, under the names ``output_columns``.
        """
        chain = tuple(operations) if isinstance(operations, Sequence) else (operations,)
        check_callables(chain)
        ins = self._chosen(input_columns, self._columns[:1])
        outs = ins if output_columns is None else column_names_of(output_columns)
        columns = _replaced(self._columns, ins, outs)
        return self._then(lambda rng: _mapped(self, chain, ins, outs), self._size, column_names_of(columns))

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows ``count`` times over in one epoch; without end for ``None`` or -1."""
        times = -1 if count is None else count
        if times != -1:
            in_interval("count", times, 1)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            rounds = itertools.count() if times < 0 else range(times)
            return itertools.chain.from_iterable(self.epoch() for _ in rounds)

        return self._then(rows, lambda: -1 if times < 0 or self._size() < 0 else times * self._size())

    # ---- what comes out ----------------------------------------------------------------------------

    def create_tuple_iterator(
        self, columns: Sequence[str] | None = None, num_epochs: int = -1, output_numpy: bool = False
    ) -> Epochs[list[Any]]:
        """Rows as lists, in the order of ``columns``, of Tensors or of numpy arrays."""
        self._check_tree()
        places = [self._columns.index(name) for name in self._chosen(columns, self._columns)]
        value = np.asarray if output_numpy else Tensor
        return Epochs(self, lambda row: [value(row[place]) for place in places], num_epochs)

    def create_dict_iterator(self, num_epochs: int = -1, output_numpy: bool = False) -> Epochs[dict[str, Any]]:
        """Rows as dicts from column name to Tensor or numpy array."""
        self._check_tree()
        value = np.asarray if output_numpy else Tensor
        return Epochs(self, lambda row: {n: value(v) for n, v in zip(self._columns, row, strict=True)}, num_epochs)

    def get_dataset_size(self) -> int:
        """Rows of one epoch (batches, after ``batch``); -1 for a ``repeat`` without end."""
        self._check_tree()
        return self._size()

    def get_col_names(self) -> list[str]:
        """The column names, in order."""
        return list(self._columns)

    def epoch(self) -> Iterator[Row]:
        """The rows of the next epoch, as tuples of numpy arrays."""
        rng = np.random.default_rng((get_seed(), self._depth, self._epochs))
        self._epochs += 1
        return self._rows(rng)

    def __iter__(self) -> Epochs[list[Any]]:
        return self.create_tuple_iterator(num_epochs=1)

    # ---- helpers -----------------------------------------------------------------------------------

    def _then(self, rows: Rows, size: Callable[[], int], columns: Sequence[str] | None = None) -> Dataset:
        return Dataset(self._columns if columns is None else columns, rows, size, self)

    def _chosen(self, names: str | Sequence[str] | None, otherwise: Sequence[str]) -> tuple[str, ...]:
        chosen = tuple(otherwise) if names is None else column_names_of(names)
        for name in chosen:
            if name not in self._columns:
                raise UnknownName(f"dataset: no column '{name}'{did_you_mean(name, self._columns)}")
        return chosen

    def _check_tree(self) -> None:
        stage: Dataset | None = self
        while stage is not None:
            if len(stage._consumers) > 1:
                raise ValueArgument(
                    "The data pipeline is not a tree (i.e., one node has 2 consumers); "
                    "make the source once more for the second use"
                )
            stage = stage._parent


class Epochs(Generic[Form]):
    """An iterator that ends with each epoch and then starts the next, ``num_epochs`` times (-1: always).

    >>> rows = Dataset(["n"], lambda rng: iter([(np.int64(1),), (np.int64(2),)]), lambda: 2)
    >>> both = rows.create_tuple_iterator(num_epochs=2, output_numpy=True)
    >>> [len(list(both)) for _ in range(3)]
    [2, 2, 0]
    """

    def __init__(self, dataset: Dataset, form: Callable[[Row], Form], num_epochs: int) -> None:
        if num_epochs != -1:
            in_interval("num_epochs", num_epochs, 1)
        self._dataset = dataset
        self._form = form
        self._left = num_epochs
        self._rows: Iterator[Row] | None = None

    def __iter__(self) -> Epochs[Form]:
        return self

    def __next__(self) -> Form:
        if self._rows is None:
            self._start()
        row = next(self._rows, None)  # type: ignore[arg-type]
        if row is None:
            self._rows = None
            raise StopIteration
        return self._form(row)

    def _start(self) -> None:
        if self._left == 0:
            raise StopIteration
        self._left -= 1
        self._rows = self._dataset.epoch()


def _batches(dataset: Dataset, size: int, drop_remainder: bool) -> Iterator[Row]:
    rows = dataset.epoch()
    while chunk := list(itertools.islice(rows, size)):
        if len(chunk) == size or not drop_remainder:
            columns = zip(dataset.get_col_names(), zip(*chunk, strict=True), strict=True)
            yield tuple(_stacked(name, values) for name, values in columns)


def _stacked(name: str, values: Sequence[np.ndarray]) -> np.ndarray:
    shapes = list(dict.fromkeys(value.shape for value in values))
    if len(shapes) > 1:
        listed = " and ".join(str(list(shape)) for shape in shapes[:2])
        raise RuntimeArgument(f"batch: rows of column '{name}' differ in shape, {listed}; pad or crop them with map")
    return np.stack(values)


def _shuffled(rows: Iterator[Row], buffer_size: int, rng: np.random.Generator) -> Iterator[Row]:
    buffer = list(itertools.islice(rows, buffer_size))
    for row in rows:
        place = int(rng.integers(len(buffer)))
        yield buffer[place]
        buffer[place] = row
    for place in rng.permutation(len(buffer)):
        yield buffer[place]


def _mapped(dataset: Dataset, chain: Sequence[Operation], ins: Sequence[str], outs: Sequence[str]) -> Iterator[Row]:
    columns = dataset.get_col_names()
    for row in dataset.epoch():
        named = dict(zip(columns, row, strict=True))
        values = tuple(named[name] for name in ins)
        for operation in chain:
            result = operation(*values)
            values = result if isinstance(result, tuple) else (result,)
        if len(values) != len(outs):
            raise RuntimeArgument(f"map: {len(values)} results for columns {list(outs)}; name as many output_columns")
        named.update(zip(outs, map(as_array, values), strict=True))
        yield tuple(named[name] for name in _replaced(columns, ins, outs))


def _replaced(columns: Sequence[str], ins: Sequence[str], outs: Sequence[str]) -> list[str]:
    """Column names with ``outs`` standing where the first of ``ins`` stood."""
    place = columns.index(ins[0])
    before = [name for name in columns[:place] if name not in ins]
    return [*before, *outs, *(name for name in columns[place:] if name not in ins)]
