"""Sources of rows: anything Python can index or iterate over, and numpy arrays sliced along axis 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument, UsageError, ValueArgument
from minigraph.core.types import DType
from minigraph.dataset.arguments import as_array, column_names_of, in_interval
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.samplers import DistributedSampler, RandomSampler, Sampler, SequentialSampler, SubsetSampler
from minigraph.dataset.stages import Row

Items = Callable[[np.random.Generator], Iterable[Any]]


class GeneratorDataset(Dataset):
    """Rows of a list, a ``zip``, an object with ``__getitem__`` and ``__len__``, an iterable or a generator function.

    A row is a tuple with one value per column, or a bare value for one column; ``column_types`` casts them. What can
    be indexed (a ``zip`` or other iterator is read into a list) is shuffled unless ``shuffle=False``, or comes as a
    ``sampler`` says, which may be a list of indices; ``num_shards`` and ``shard_id`` take a share of it. A generator
    function is called anew each epoch, in its own order. ``num_samples`` ends an epoch early. Rows are made in the
    calling thread, so the arguments about workers change nothing.

    Raises ``ValueError`` without ``column_names`` or for arguments that contradict each other, ``TypeError`` for a
    source of another kind, ``RuntimeError`` for a row with the wrong number of values.

    >>> data = GeneratorDataset([(1.0, 3), (2.0, 4)], ["x", "y"], shuffle=False)
    >>> [row[1].item() for row in data], data.get_dataset_size(), data.get_col_names()
    ([3, 4], 2, ['x', 'y'])
    """

    def __init__(
        self,
        source: Any,
        column_names: str | Sequence[str] | None = None,
        column_types: Sequence[DType] | None = None,
        schema: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Any = None,
        collate_fn: Any = None,
    ) -> None:
        for name, value in (("schema", schema), ("batch_sampler", batch_sampler), ("collate_fn", collate_fn)):
            if value is not None:
                raise UsageError(f"GeneratorDataset: {name} is not supported; use column_names, or batch and map")
        if column_names is None:
            raise ValueArgument("Neither columns_names nor schema are provided.")
        columns, types = column_names_of(column_names), _types_of(column_types, column_names)
        most = _most(num_samples)
        items, count = _source(source, _sampler_of(shuffle, sampler, num_shards, shard_id))

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return (_row(item, columns, types) for item in itertools.islice(items(rng), most))

        super().__init__(columns, rows, lambda: count() if most is None else min(most, count()))


class NumpySlicesDataset(GeneratorDataset):
    """Slices along axis 0 of an array or list, of a tuple of them, or of a dict from column name to array.

    Columns are called ``column_0``, ``column_1`` ... unless named. The other arguments are those of
    ``GeneratorDataset``. Raises ``ValueError`` when the arrays differ in length.

    >>> data = NumpySlicesDataset({"x": [1.0, 2.0], "y": [3, 4]}, shuffle=False)
    >>> [sorted(row) for row in data.create_dict_iterator(num_epochs=1)]
    [['x', 'y'], ['x', 'y']]
    """

    def __init__(
        self,
        data: Any,
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
            raise ValueArgument(f"NumpySlicesDataset: columns of unequal length, {lengths}; cut the longer ones")
        named = list(data) if isinstance(data, Mapping) else [f"column_{i}" for i in range(len(arrays))]
        slices = [tuple(array[i] for array in arrays) for i in range(lengths[0])]
        super().__init__(
            slices, column_names or named, num_samples=num_samples, shuffle=shuffle, sampler=sampler,
            num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip


# ---- the source ------------------------------------------------------------------------------------


def _source(source: Any, sampler: Sampler | None) -> tuple[Items, Callable[[], int]]:
    """A function that starts an epoch of the source's items, and one that counts them.

    ``sampler`` is ``None`` where nothing was said: what can be indexed is shuffled then.
    """
    _check_has_rows(source)
    if isinstance(source, Iterator) and not hasattr(type(source), "__len__") and iter(source) is source:
        source = _replayed(source)
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return _indexed(source, sampler or RandomSampler())
    if sampler is not None and not isinstance(sampler, SequentialSampler):
        raise ValueArgument(
            "GeneratorDataset: to shuffle, sample or shard, the source must be one that can be indexed; "
            "give a list, or use .shuffle(n)"
        )

    def items(rng: np.random.Generator) -> Iterable[Any]:
        return source() if callable(source) else source

    return items, lambda: sum(1 for _ in items(np.random.default_rng(0)))


def _replayed(iterator: Iterator[Any]) -> Any:
    """An iterator as something every epoch can begin: itself where its ``__iter__`` starts anew, else a list."""
    own = type(iterator).__module__ not in ("builtins", "itertools")
    return iterator if own else list(iterator)


def _check_has_rows(source: Any) -> None:
    rows = callable(source) or hasattr(source, "__getitem__") or hasattr(source, "__iter__")
    if not rows or isinstance(source, Mapping | str):
        kind = type(source).__name__
        raise TypeArgument(f"GeneratorDataset: a {kind} has no rows; give a list, a zip or a generator function")


def _indexed(source: Any, sampler: Sampler) -> tuple[Items, Callable[[], int]]:
    def items(rng: np.random.Generator) -> Iterable[Any]:
        return (source[i] for i in sampler.indices(len(source), rng))

    return items, lambda: sum(1 for _ in sampler.indices(len(source), np.random.default_rng(0)))


# ---- arguments -------------------------------------------------------------------------------------


def _sampler_of(shuffle: bool | None, sampler: Any, num_shards: int | None, shard_id: int | None) -> Sampler | None:
    """In which order to index; raises ``ValueError`` for answers that contradict each other."""
    if (num_shards is None) != (shard_id is None):
        raise ValueArgument("GeneratorDataset: num_shards and shard_id are given together or not at all")
    answers = {"shuffle": shuffle, "num_shards": num_shards}
    given = [name for name, answer in answers.items() if answer is not None]
    if sampler is not None and given:
        raise ValueArgument(f"GeneratorDataset: sampler and {' and '.join(given)} contradict each other; give one")
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False)
    if sampler is None:
        return None if shuffle is None else RandomSampler() if shuffle else SequentialSampler()
    return sampler if isinstance(sampler, Sampler) else SubsetSampler(sampler)


def _most(num_samples: int | None) -> int | None:
    """The number of rows to stop after; 0 is none, as in MindSpore."""
    if num_samples is not None:
        in_interval("num_samples", num_samples, 0)
    return num_samples or None


def _types_of(types: Sequence[DType] | None, names: Any) -> list[np.dtype[Any]] | None:
    columns = column_names_of(names)
    if types is not None and len(types) != len(columns):
        raise ValueArgument(f"GeneratorDataset: {len(types)} column_types for the columns {list(columns)}")
    return None if types is None else [np.dtype(kind.numpy) for kind in types]


def _row(item: Any, columns: Sequence[str], types: Sequence[np.dtype[Any]] | None) -> Row:
    whole = isinstance(item, tuple) or (isinstance(item, list) and len(columns) > 1)
    values = tuple(item) if whole else (item,)
    if len(values) != len(columns):
        raise RuntimeArgument(f"GeneratorDataset: a row has {len(values)} values for the columns {list(columns)}")
    arrays = tuple(as_array(value) for value in values)
    return arrays if types is None else tuple(x.astype(kind) for x, kind in zip(arrays, types, strict=True))
