"""Data pipelines: the stages ``shuffle``, ``map``, ``batch`` and others, each behind the one before."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.dataset.arguments import LARGEST, Operation, check_callables, column_names_of, in_interval
from minigraph.dataset.config import get_seed
from minigraph.dataset.stages import (
    BatchInfo,
    PadInfo,
    Row,
    chunks,
    mapped,
    padded,
    picked,
    replaced,
    shuffled,
    side_by_side,
    stacked,
)
from minigraph.dataset.stream import Rows, Size, Stream


class Dataset(Stream):
    """A stage with the methods that add the next one behind it; see ``Stream`` for what it is made of.

    ``num_parallel_workers`` and the like are taken everywhere and change nothing.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> rows = NumpySlicesDataset([1, 2, 3, 4, 5], "n", shuffle=False).map(lambda n: n * 10).batch(2)
    >>> [row[0].tolist() for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    [[10, 20], [30, 40], [50]]
    """

    # ---- stages: how many rows, in which order -----------------------------------------------------

    def batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        *,
        per_batch_map: Operation | None = None,
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> Dataset:
        """Rows stacked ``batch_size`` at a time; the short last batch is kept unless ``drop_remainder``.

        ``batch_size`` may be a function of a ``BatchInfo``. ``per_batch_map(*columns, info)`` is given a list of
        arrays per column of ``input_columns`` (all by default) and returns a tuple of such lists, which become
        ``output_columns``. Raises ``RuntimeError`` when the rows of one batch differ in shape.
        """
        if not callable(batch_size):
            in_interval("batch_size", batch_size, 1)
        ins = self._chosen(input_columns, self._columns)
        outs = ins if output_columns is None else column_names_of(output_columns)
        columns = column_names_of(replaced(self._columns, ins, outs)) if per_batch_map else self._columns

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            epoch = self._epochs
            for number, chunk in enumerate(chunks(self.epoch(), batch_size, drop_remainder, epoch)):
                named: dict[str, Any] = dict(zip(self._columns, zip(*chunk, strict=True), strict=True))
                if per_batch_map is not None:
                    results = per_batch_map(*(list(named[name]) for name in ins), BatchInfo(number, epoch))
                    named.update(zip(outs, results if isinstance(results, tuple) else (results,), strict=True))
                yield tuple(stacked(name, [np.asarray(x) for x in named[name]]) for name in columns)

        return self._batched(rows, columns, batch_size, drop_remainder)

    def padded_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: PadInfo | None = None,
    ) -> Dataset:
        """``batch``, with rows brought to one shape before: ``pad_info`` has (shape, value) by column.

        A size of ``None`` is the largest in the batch; columns that are not named are padded so, with 0.
        """
        in_interval("batch_size", batch_size, 1)
        wanted = dict.fromkeys(self._columns, (None, 0)) if pad_info is None else dict(pad_info)
        self._chosen(list(wanted), ())

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            for chunk in chunks(self.epoch(), batch_size, drop_remainder, self._epochs):
                columns = zip(self._columns, zip(*chunk, strict=True), strict=True)
                yield tuple(stacked(n, padded(v, *wanted[n]) if n in wanted else v) for n, v in columns)

        return self._batched(rows, self._columns, batch_size, drop_remainder)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows drawn at random from a buffer that is kept full; a buffer of all rows shuffles evenly."""
        in_interval("buffer_size", buffer_size, 2)
        return self._then(lambda rng: shuffled(self.epoch(), buffer_size, rng), self._size)

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows ``count`` times over in one epoch; for ``None`` or -1 without end, where the size is one round."""
        times = -1 if count is None else count
        if times != -1:
            in_interval("count", times, 1)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            rounds = itertools.count() if times < 0 else range(times)
            return itertools.chain.from_iterable(self.epoch() for _ in rounds)

        stage = self._then(rows, lambda: abs(times) * self._size())
        stage.repeats = times
        return stage

    def take(self, count: int = -1) -> Dataset:
        """The first ``count`` rows; all of them for -1."""
        if count != -1:
            in_interval("count", count, 1)
        most = None if count == -1 else count
        return self._then(lambda rng: itertools.islice(self.epoch(), most), lambda: min(self._size(), most or LARGEST))

    def skip(self, count: int) -> Dataset:
        """All but the first ``count`` rows."""
        in_interval("count", count, 0)
        return self._then(lambda rng: itertools.islice(self.epoch(), count, None), lambda: max(0, self._size() - count))

    def filter(
        self,
        predicate: Operation,
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """The rows for which a function of ``input_columns`` (all by default) is true."""
        check_callables((predicate,))
        places = [self._columns.index(name) for name in self._chosen(input_columns, self._columns)]
        return self._then(
            lambda rng: (row for row in self.epoch() if bool(predicate(*(row[place] for place in places))))
        )

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The rows, then those of other pipelines with the same columns; also ``a + b``."""
        parts = [self, *_several(datasets)]
        check_datasets("concat", parts)
        for part in parts:
            if part._columns != self._columns:
                raise ValueArgument(
                    f"concat: columns {list(self._columns)} and {list(part._columns)} differ; rename or project them"
                )
        rows = lambda rng: itertools.chain.from_iterable(part.epoch() for part in parts)  # noqa: E731
        return Dataset(self._columns, rows, lambda: sum(part._size() for part in parts), parts)

    def flat_map(self, func: Operation) -> Dataset:
        """The rows of the pipelines that a function makes of each row's values, one after the other."""
        check_callables((func,))
        columns = func(*self._first_row()).get_col_names()

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return itertools.chain.from_iterable(func(*row).epoch() for row in self.epoch())

        return self._then(rows, None, columns)

    def split(self, sizes: Sequence[int | float], randomize: bool = True) -> list[Dataset]:
        """The rows in parts: by numbers of rows, or by shares that add up to 1; in random order unless told not to.

        All parts draw the same order, the same in every epoch. Raises ``ValueError`` for sizes that do not fit.
        """
        counts = _counts(sizes, self._size())
        order = list(range(self._size()))
        if randomize:
            order = np.random.default_rng((get_seed(), self._depth)).permutation(len(order)).tolist()
        ends = list(itertools.accumulate(counts))
        return [self._part(order[end - count : end]) for count, end in zip(counts, ends, strict=True)]

    def _part(self, places: Sequence[int]) -> Dataset:
        def rows(rng: np.random.Generator) -> Iterator[Row]:
            with self.as_new():  # the parts must agree on which row is which
                every = list(self.epoch())
            return (every[place] for place in places)

        part = self._then(rows, lambda: len(places))
        self._consumers.discard(part)  # the parts of one source may be used side by side
        return part

    # ---- stages: what is in a row ------------------------------------------------------------------

    def map(
        self,
        operations: Operation | Sequence[Operation],
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        *,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> Dataset:
        """Functions of numpy arrays applied in turn to ``input_columns`` (default: the first column).

        The results take the place of the input columns, under the names ``output_columns``.
        """
        chain = tuple(operations) if isinstance(operations, Sequence) else (operations,)
        check_callables(chain)
        ins = self._chosen(input_columns, self._columns[:1])
        outs = ins if output_columns is None else column_names_of(output_columns)
        columns = column_names_of(replaced(self._columns, ins, outs))
        return self._then(lambda rng: mapped(self.epoch(), self._columns, chain, ins, outs), self._size, columns)

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """These columns only, in this order."""
        names = self._chosen(columns, ())
        places = [self._columns.index(name) for name in names]
        return self._then(lambda rng: picked(self.epoch(), places), self._size, names)

    def rename(self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]) -> Dataset:
        """The same rows under other column names. Raises ``ValueError`` for lists of unequal length."""
        old, new = self._chosen(input_columns, ()), column_names_of(output_columns)
        if len(old) != len(new):
            raise ValueArgument(f"rename: {len(old)} columns and {len(new)} names; give as many")
        names = dict(zip(old, new, strict=True))
        columns = column_names_of([names.get(name, name) for name in self._columns])
        return self._then(lambda rng: self.epoch(), self._size, columns)

    def zip(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The columns of this and other pipelines side by side, as long as all have rows."""
        return zip_datasets([self, *_several(datasets)])

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of this pipeline; raises ``TypeError`` when that is none."""
        found = apply_func(self)
        check_datasets("apply", [found])
        return found

    def __add__(self, other: Dataset) -> Dataset:
        return self.concat(other)

    # ---- helpers -----------------------------------------------------------------------------------

    def _then(self, rows: Rows, size: Size | None = None, columns: Sequence[str] | None = None) -> Dataset:
        return Dataset(self._columns if columns is None else columns, rows, size, (self,))

    def _batched(self, rows: Rows, columns: Sequence[str], batch_size: Any, drop_remainder: bool) -> Dataset:
        """A stage whose rows are batches."""
        if callable(batch_size):
            return self._then(rows, None, columns)

        def size() -> int:
            return self._size() // batch_size if drop_remainder else -(-self._size() // batch_size)

        stage = self._then(rows, size, columns)
        stage.batch_size = batch_size
        return stage


def zip_datasets(datasets: Sequence[Dataset]) -> Dataset:
    """The columns of several pipelines side by side, as long as all have rows; ``zip`` in the dataset room.

    Raises ``ValueError`` for a column name that two of them have, ``TypeError`` for other things.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> pair = zip_datasets([NumpySlicesDataset([1, 2], name, shuffle=False) for name in "xy"])
    >>> pair.get_col_names(), pair.get_dataset_size()
    (['x', 'y'], 2)
    """
    parts = tuple(datasets)
    check_datasets("zip", parts)
    columns = column_names_of([name for part in parts for name in part.get_col_names()])
    return Dataset(
        columns,
        lambda rng: side_by_side([part.epoch() for part in parts]),
        lambda: min(part.get_dataset_size() for part in parts),
        parts,
    )


def _several(datasets: Any) -> Sequence[Any]:
    """One dataset or several as several; other things are left to ``check_datasets``."""
    return datasets if isinstance(datasets, list | tuple) else [datasets]


def check_datasets(who: str, datasets: Sequence[Any]) -> None:
    """Raise ``TypeError`` unless there is a dataset and all are."""
    for dataset in datasets or (None,):
        if not isinstance(dataset, Dataset):
            raise TypeArgument(f"{who}: a dataset is wanted, got {type(dataset).__name__}")


def _counts(sizes: Sequence[int | float], total: int) -> list[int]:
    """Numbers of rows for parts given by number or by share."""
    shares = all(isinstance(size, float) for size in sizes)
    if not sizes or any(isinstance(size, bool) or not isinstance(size, int | float) or size <= 0 for size in sizes):
        raise ValueArgument(f"split: sizes are numbers above 0, all ints or all floats, got {sizes}")
    counts = [round(size * total) for size in sizes] if shares else [int(size) for size in sizes]
    if shares and abs(sum(sizes) - 1) < 1e-6:
        counts[-1] += total - sum(counts)  # what rounding left over
    if sum(counts) != total or min(counts) < 1:
        raise ValueArgument(f"split: {sizes} of {total} rows; the parts must be all of them, and none empty")
    return counts
