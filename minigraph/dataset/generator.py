"""Sources of rows: Python objects that can be indexed or iterated over, and numpy arrays sliced along axis 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UsageError
from minigraph.core.types import DType
from minigraph.dataset.arguments import as_array, as_column_names, check_interval
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.samplers import DistributedSampler, RandomSampler, Sampler, SequentialSampler, SubsetSampler
from minigraph.dataset.stages import Row

Items = Callable[[np.random.Generator], Iterable[Any]]  # starts an epoch: the items in their order


class GeneratorDataset(Dataset):
    """Rows of a list, a ``zip``, an object with ``__getitem__`` and ``__len__``, an iterable or a generator function.

    A row is a tuple with one value per column, or a bare value for one column; ``column_types`` casts them. An
    indexable source (a ``zip`` or other iterator is read into a list) is shuffled unless ``shuffle=False``, or ordered
    by a ``sampler``, which may be a list of indices; ``num_shards`` and ``shard_id`` select a shard. A generator
    function is called again each epoch, in its own order. ``num_samples`` ends an epoch early. Rows are produced in the
    calling thread, so the arguments about workers have no effect.

    Raises ``ValueError`` without ``column_names`` or for contradictory arguments, ``TypeError`` for unsupported
    sources, ``RuntimeError`` for a row with the wrong number of values.

    >>> data = GeneratorDataset([(1.0, 3), (2.0, 4)], ["x", "y"], shuffle=False)
    >>> [row[1].item() for row in data], data.get_dataset_size(), data.get_col_names()
    ([3, 4], 2, ['x', 'y'])
    """

    def __init__(
        self,
        source: object,
        column_names: str | Sequence[str] | None = None,
        column_types: Sequence[DType] | None = None,
        schema: object = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: object = None,
        batch_sampler: object = None,
        collate_fn: object = None,
    ) -> None:
        for name, value in (("schema", schema), ("batch_sampler", batch_sampler), ("collate_fn", collate_fn)):
            if value is not None:
                raise UsageError(f"GeneratorDataset: {name} is not supported; use column_names, or batch and map")
        if column_names is None:
            raise ArgValueError("Neither columns_names nor schema are provided.")
        columns, types = as_column_names(column_names), _check_types(column_types, column_names)
        limit = _row_limit(num_samples)
        items, count = _source(source, _choose_sampler(shuffle, sampler, num_shards, shard_id))

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return (_row(item, columns, types) for item in itertools.islice(items(rng), limit))

        super().__init__(columns, rows, lambda: count() if limit is None else min(limit, count()))


class NumpySlicesDataset(GeneratorDataset):
    """Slices along axis 0 of an array or list, of a tuple of them, or of a dict from column name to array.

    Columns are named ``column_0``, ``column_1`` ... by default. The other arguments are those of ``GeneratorDataset``.
    Raises ``ValueError`` if the arrays differ in length.

    >>> data = NumpySlicesDataset({"x": [1.0, 2.0], "y": [3, 4]}, shuffle=False)
    >>> [sorted(row) for row in data.create_dict_iterator(num_epochs=1)]
    [['x', 'y'], ['x', 'y']]
    """

    def __init__(
        self,
        data: object,
        column_names: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        values = list(data.values()) if isinstance(data, Mapping) else list(data) if isinstance(data, tuple) else [data]
        arrays = [as_array(value) for value in values]
        lengths = [len(array) if array.ndim else 0 for array in arrays]
        if len(set(lengths)) != 1:
            raise ArgValueError(f"NumpySlicesDataset: columns of unequal length, {lengths}; truncate the longer ones")
        names = list(data) if isinstance(data, Mapping) else [f"column_{i}" for i in range(len(arrays))]
        if column_names is not None and len(as_column_names(column_names)) != len(arrays):
            count = len(as_column_names(column_names))
            raise ArgValueError(f"Num of input column names is {count}, but required is {len(arrays)}.")
        slices = [tuple(array[i] for array in arrays) for i in range(lengths[0])]
        super().__init__(
            slices, column_names or names, num_samples=num_samples, shuffle=shuffle, sampler=sampler,
            num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip


class PaddedDataset(GeneratorDataset):
    """Rows as dicts from column name to array, in order, such as the rows that fill up the shards of another dataset.

    Raises ``TypeError`` for rows that are not dicts, ``ValueError`` without a row, and ``RuntimeError`` in an epoch
    with a row that lacks a column or has a value that is not an array.

    >>> data = PaddedDataset([{"x": np.zeros(2)}, {"x": np.ones(2)}])
    >>> data.get_dataset_size(), data.get_col_names()
    (2, ['x'])
    """

    def __init__(self, padded_samples: Sequence[Mapping[str, np.ndarray]]) -> None:
        if not isinstance(padded_samples, list):
            raise ArgTypeError(f"Argument padded_samples with value {padded_samples} is not of type [<class 'list'>].")
        if not padded_samples:
            raise ArgValueError("padded_samples cannot be empty.")
        for row in padded_samples:
            if not isinstance(row, dict):
                raise ArgTypeError(f"Argument padded_element with value {row} is not of type [<class 'dict'>].")
        columns = list(padded_samples[0])
        super().__init__(_DictRows(padded_samples, columns), columns, shuffle=False)


class _DictRows:
    """Rows as dicts, by index."""

    def __init__(self, rows: Sequence[Mapping[str, np.ndarray]], columns: Sequence[str]) -> None:
        self.rows, self.columns = rows, columns

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        row = self.rows[index]
        for name in self.columns:
            if not isinstance(row.get(name), np.ndarray | np.generic):
                raise ArgRuntimeError(f"PaddedDataset: row {index} has no array for column {name!r}")
        return tuple(row[name] for name in self.columns)


# ---- the source ------------------------------------------------------------------------------------


def _source(source: Any, sampler: Sampler | None) -> tuple[Items, Callable[[], int]]:
    """A function that starts an epoch of the source's items, and one that counts them.

    If ``sampler`` is ``None``, an indexable source is shuffled.
    """
    _check_has_rows(source)
    if isinstance(source, Iterator) and not hasattr(type(source), "__len__") and iter(source) is source:
        source = _as_restartable(source)
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return _sampled_items(source, sampler or RandomSampler())
    if sampler is not None and not isinstance(sampler, SequentialSampler):
        raise ArgValueError(
            "GeneratorDataset: to shuffle, sample or shard, the source must be indexable; "
            "pass a list, or use .shuffle(n)"
        )

    def items(rng: np.random.Generator) -> Iterable[Any]:
        return source() if callable(source) else source

    return items, lambda: sum(1 for _ in items(np.random.default_rng(0)))


def _as_restartable(iterator: Iterator[object]) -> Any:
    """An iterator that every epoch can start: itself if its ``__iter__`` restarts, else a list."""
    is_user_defined = type(iterator).__module__ not in ("builtins", "itertools")
    return iterator if is_user_defined else list(iterator)


def _check_has_rows(source: object) -> None:
    """Raise ``TypeError`` for a source that can neither be indexed nor iterated over."""
    rows = callable(source) or hasattr(source, "__getitem__") or hasattr(source, "__iter__")
    if not rows or isinstance(source, Mapping | str):
        kind = type(source).__name__
        raise ArgTypeError(f"GeneratorDataset: {kind} has no rows; pass a list, a zip or a generator function")


def _sampled_items(source: Any, sampler: Sampler) -> tuple[Items, Callable[[], int]]:
    """The same for an indexable source, in the order of a sampler."""

    def items(rng: np.random.Generator) -> Iterable[Any]:
        return (source[i] for i in sampler.indices(len(source), rng))

    return items, lambda: sum(1 for _ in sampler.indices(len(source), np.random.default_rng(0)))


# ---- arguments -------------------------------------------------------------------------------------


def _choose_sampler(
    shuffle: bool | None, sampler: object, num_shards: int | None, shard_id: int | None
) -> Sampler | None:
    """The sampler of an indexable source; raises ``ValueError`` for contradictory arguments."""
    if (num_shards is None) != (shard_id is None):
        raise ArgValueError("GeneratorDataset: pass num_shards and shard_id together or not at all")
    options = {"shuffle": shuffle, "num_shards": num_shards}
    present = [name for name, option in options.items() if option is not None]
    if sampler is not None and present:
        raise ArgValueError(f"GeneratorDataset: sampler and {' and '.join(present)} contradict each other; pass one")
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False)
    if sampler is None:
        return None if shuffle is None else RandomSampler() if shuffle else SequentialSampler()
    return sampler if isinstance(sampler, Sampler) else SubsetSampler(sampler)


def _row_limit(num_samples: int | None) -> int | None:
    """The maximum number of rows; 0 means no limit, as in MindSpore."""
    if num_samples is not None:
        check_interval("num_samples", num_samples, 0)
    return num_samples or None


def _check_types(types: Sequence[DType] | None, names: Any) -> list[np.dtype[Any]] | None:
    """The columns' types as numpy's; raises ``ValueError`` unless there is one for each column."""
    columns = as_column_names(names)
    if types is not None and len(types) != len(columns):
        raise ArgValueError(f"GeneratorDataset: {len(types)} column_types for the columns {list(columns)}")
    return None if types is None else [np.dtype(kind.numpy) for kind in types]


def _row(item: Any, columns: Sequence[str], types: Sequence[np.dtype[Any]] | None) -> Row:
    """An item of the source as a row of arrays; raises ``RuntimeError`` for a wrong number of values."""
    values = tuple(item) if isinstance(item, tuple | list) else (item,)
    if len(values) != len(columns):
        text = f"GeneratorDataset: a row has {len(values)} values for the columns {list(columns)}"
        raise ArgRuntimeError(text + (f"; pass the list as ({item!r:.40},)" if isinstance(item, list) else ""))
    arrays = tuple(as_array(value) for value in values)
    return arrays if types is None else tuple(x.astype(kind) for x, kind in zip(arrays, types, strict=True))
