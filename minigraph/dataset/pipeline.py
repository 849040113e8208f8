"""Data pipelines: the stages ``shuffle``, ``map``, ``batch`` and others, each applied to the previous one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError
from minigraph.dataset.arguments import INT_MAX, Operation, as_column_names, check_callables, check_interval
from minigraph.dataset.buckets import Buckets, length_function, pad_batch
from minigraph.dataset.callbacks import DSCallback, observed
from minigraph.dataset.config import get_seed
from minigraph.dataset.stages import (
    BatchInfo,
    PadInfo,
    Row,
    chunk_rows,
    map_rows,
    replace_columns,
    rows_per_part,
    select_columns,
    shuffle_rows,
    stack_chunks,
    zip_rows,
)
from minigraph.dataset.stream import Rows, Size, as_sequence, check_datasets
from minigraph.dataset.synchronization import SynchronizedStream


class Dataset(SynchronizedStream):
    """A stage with the methods that append the next one; see ``Stream`` for its parts.

    ``num_parallel_workers`` and similar arguments are accepted and have no effect.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> rows = NumpySlicesDataset([1, 2, 3, 4, 5], "n", shuffle=False).map(lambda n: n * 10).batch(2)
    >>> [row[0].tolist() for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    [[10, 20], [30, 40], [50]]
    """

    # ---- stages: number and order of rows ----------------------------------------------------------

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
        max_rowsize: object = None,
    ) -> Dataset:
        """Rows stacked ``batch_size`` at a time; a short last batch is kept unless ``drop_remainder``.

        ``batch_size`` may be a function of a ``BatchInfo``. ``per_batch_map(*columns, info)`` gets a list of arrays per
        column of ``input_columns`` (all by default) and returns a tuple of such lists, which become ``output_columns``.
        Raises ``RuntimeError`` if the rows of a batch differ in shape.
        """
        if not callable(batch_size):
            check_interval("batch_size", batch_size, 1)
        inputs = self._check_columns(input_columns, self._columns)
        outputs = inputs if output_columns is None else as_column_names(output_columns)
        columns = as_column_names(replace_columns(self._columns, inputs, outputs)) if per_batch_map else self._columns

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            epoch = self._epochs
            chunks = chunk_rows(self.epoch(), batch_size, drop_remainder, epoch)
            return stack_chunks(chunks, self._columns, columns, per_batch_map, inputs, outputs, epoch)

        return self._batch_stage(rows, columns, batch_size, drop_remainder)

    def padded_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: PadInfo | None = None,
    ) -> Dataset:
        """``batch``, with rows padded to one shape: ``pad_info`` has (shape, value) by column.

        A size of ``None`` is the largest in the batch; columns without an entry are padded to it, with 0.
        """
        check_interval("batch_size", batch_size, 1)
        padding = dict(pad_info or dict.fromkeys(self._columns, (None, 0)))
        self._check_columns(list(padding), ())

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            for chunk in chunk_rows(self.epoch(), batch_size, drop_remainder, self._epochs):
                yield pad_batch(self._columns, chunk, padding)

        return self._batch_stage(rows, self._columns, batch_size, drop_remainder)

    def bucket_batch_by_length(
        self,
        column_names: Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Operation | None = None,
        pad_info: PadInfo | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batches of rows of similar length, padded as by ``padded_batch``: ``bucket_boundaries`` bound the lengths.

        The length is ``element_length_function(*columns)``, or the first size of the one column in ``column_names``.
        With ``pad_to_bucket_boundary``, sizes of ``None`` are the longest length of the bucket instead. Raises
        ``TypeError`` and ``ValueError`` for other lists.
        """
        (buckets := Buckets(bucket_boundaries, bucket_batch_sizes)).check(column_names, element_length_function)
        padding = dict.fromkeys(self._columns, (None, 0)) if pad_info is None else dict(pad_info)
        self._check_columns(list(padding), ())
        names = self._check_columns(column_names, ())
        length_of = length_function([self._columns.index(name) for name in names], element_length_function)
        to_bounds = pad_to_bucket_boundary and pad_info
        paddings = buckets.padding_by_bucket(padding) if to_bounds else [padding] * len(bucket_batch_sizes)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            batches = buckets.batches(self.epoch(), length_of, drop_remainder)
            return (pad_batch(self._columns, chunk, paddings[bucket]) for bucket, chunk in batches)

        return self._next(rows)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows sampled from a buffer that is kept full; a buffer of all rows shuffles uniformly."""
        check_interval("buffer_size", buffer_size, 2)
        return self._next(lambda rng: shuffle_rows(self.epoch(), buffer_size, rng), self._size)

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows repeated ``count`` times per epoch; endless for ``None`` or -1, where the size is one repetition."""
        times = -1 if count is None else count
        if times != -1:
            check_interval("count", times, 1)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            repetitions = itertools.count() if times < 0 else range(times)
            return itertools.chain.from_iterable(self.epoch() for _ in repetitions)

        stage = self._next(rows, lambda: abs(times) * self._size())
        stage.repeats = times
        return stage

    def take(self, count: int = -1) -> Dataset:
        """The first ``count`` rows; all of them for -1."""
        if count != -1:
            check_interval("count", count, 1)
        stop = None if count == -1 else count
        return self._next(lambda rng: itertools.islice(self.epoch(), stop), lambda: min(self._size(), stop or INT_MAX))

    def skip(self, count: int) -> Dataset:
        """All but the first ``count`` rows."""
        check_interval("count", count, 0)
        return self._next(lambda rng: itertools.islice(self.epoch(), count, None), lambda: max(0, self._size() - count))

    def filter(
        self,
        predicate: Operation,
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """The rows for which a function of ``input_columns`` (all by default) is true."""
        check_callables((predicate,))
        indices = [self._columns.index(name) for name in self._check_columns(input_columns, self._columns)]
        return self._next(
            lambda rng: (row for row in self.epoch() if bool(predicate(*(row[index] for index in indices))))
        )

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The rows, then the rows of other pipelines with the same columns; also ``a + b``."""
        parts = [self, *as_sequence(datasets)]
        check_datasets("concat", parts)
        for part in parts:
            if part._columns != self._columns:
                raise ArgValueError(
                    f"concat: columns {list(self._columns)} and {list(part._columns)} differ; rename or project them"
                )
        size = lambda: sum(part._size() for part in parts)  # noqa: E731
        return Dataset(self._columns, lambda rng: itertools.chain.from_iterable(p.epoch() for p in parts), size, parts)

    def flat_map(self, func: Operation) -> Dataset:
        """The concatenated rows of the pipelines that a function returns for each row."""
        check_callables((func,))
        columns = func(*self._first_row()).get_col_names()

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return itertools.chain.from_iterable(func(*row).epoch() for row in self.epoch())

        return self._next(rows, None, columns)

    def split(self, sizes: Sequence[int | float], randomize: bool = True) -> list[Dataset]:
        """The rows in parts, by numbers of rows or by shares that sum to 1; in random order if ``randomize``.

        All parts use the same order, in every epoch. Raises ``ValueError`` for sizes that do not sum up to all rows.
        """
        counts = rows_per_part(sizes, self._size())
        order = list(range(self._size()))
        if randomize:
            order = np.random.default_rng((get_seed(), self._depth)).permutation(len(order)).tolist()
        ends = list(itertools.accumulate(counts))
        return [self._part(order[end - count : end]) for count, end in zip(counts, ends, strict=True)]

    def _part(self, indices: Sequence[int]) -> Dataset:
        def rows(rng: np.random.Generator) -> Iterator[Row]:
            with self.fresh_epochs():  # all parts must number the rows alike
                all_rows = list(self.epoch())
            return (all_rows[index] for index in indices)

        part = self._next(rows, lambda: len(indices))
        self._consumers.discard(part)  # several parts of one source may be used
        return part

    # ---- stages: columns ---------------------------------------------------------------------------

    def map(
        self,
        operations: Operation | Sequence[Operation],
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        *,
        python_multiprocessing: bool = False,
        max_rowsize: object = None,
        callbacks: DSCallback | Sequence[DSCallback] | None = None,
    ) -> Dataset:
        """Functions of numpy arrays applied in sequence to ``input_columns`` (default: the first column).

        The results replace the input columns, as ``output_columns``; ``callbacks`` are called before and after rows.
        """
        check_callables(fns := tuple(operations) if isinstance(operations, Sequence) else (operations,))
        inputs = self._check_columns(input_columns, self._columns[:1])
        outputs = inputs if output_columns is None else as_column_names(output_columns)
        columns = as_column_names(replace_columns(self._columns, inputs, outputs))
        process = observed(callbacks, lambda rows: map_rows(rows, self._columns, fns, inputs, outputs))
        return self._next(lambda rng: process(self.epoch()), self._size, columns)

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """Only these columns, in this order."""
        indices = [*map(self._columns.index, names := self._check_columns(columns, ()))]
        return self._next(lambda rng: select_columns(self.epoch(), indices), self._size, names)

    def rename(self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]) -> Dataset:
        """Renames columns. Raises ``ValueError`` for lists of unequal length."""
        old, new = self._check_columns(input_columns, ()), as_column_names(output_columns)
        if len(old) != len(new):
            raise ArgValueError(f"rename: {len(old)} columns and {len(new)} names; pass one per column")
        names = dict(zip(old, new, strict=True))
        columns = as_column_names([names.get(name, name) for name in self._columns])
        return self._next(lambda rng: self.epoch(), self._size, columns)

    def zip(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The columns of this and other pipelines, as long as all have rows."""
        return zip_datasets([self, *as_sequence(datasets)])

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """The pipeline that a function returns for this one; raises ``TypeError`` for other results."""
        check_datasets("apply", [result := apply_func(self)])
        return result

    def __add__(self, other: Dataset) -> Dataset:
        return self.concat(other)

    def _next(self, rows: Rows, size: Size | None = None, columns: Sequence[str] | None = None) -> Dataset:
        return Dataset(self._columns if columns is None else columns, rows, size, (self,))

    def _batch_stage(self, rows: Rows, columns: Sequence[str], batch_size: Any, drop_remainder: bool) -> Dataset:
        """A stage whose rows are batches."""
        if callable(batch_size):
            return self._next(rows, None, columns)

        def size() -> int:
            return self._size() // batch_size if drop_remainder else -(-self._size() // batch_size)

        stage = self._next(rows, size, columns)
        stage.batch_size = batch_size
        return stage


def zip_datasets(datasets: Sequence[Dataset]) -> Dataset:
    """The columns of several pipelines, as long as all have rows; ``minigraph.dataset.zip``.

    Raises ``ValueError`` for a repeated column name, ``TypeError`` for other types.

    >>> from minigraph.dataset import NumpySlicesDataset
    >>> pair = zip_datasets([NumpySlicesDataset([1, 2], name, shuffle=False) for name in "xy"])
    >>> pair.get_col_names(), pair.get_dataset_size()
    (['x', 'y'], 2)
    """
    parts = tuple(datasets)
    check_datasets("zip", parts)
    columns = as_column_names([name for part in parts for name in part.get_col_names()])
    return Dataset(
        columns,
        lambda rng: zip_rows([part.epoch() for part in parts]),
        lambda: min(part.get_dataset_size() for part in parts),
        parts,
    )
