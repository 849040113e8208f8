"""Sources of rows: anything Python can index or iterate over, and numpy arrays sliced along axis 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.dataset.checks import as_array, column_names_of, in_interval
from minigraph.dataset.pipeline import Dataset, Row
from minigraph.errors import RuntimeArgument, TypeArgument, ValueArgument


class GeneratorDataset(Dataset):
    """Rows of a list, a ``zip``, an object with ``__getitem__`` and ``__len__``, an iterable or a generator function.

    A row is a tuple with one value per column, or a bare value for one column. What can be indexed (a ``zip``
    or other iterator is read into a list) is shuffled unless ``shuffle=False``; a generator function is called
    anew each epoch, in its own order. ``num_samples`` ends an epoch early. The last two arguments are taken
    for MindSpore programs and change nothing: rows are made in the calling thread.

    Raises ``ValueError`` without ``column_names``, ``TypeError`` for a source of another kind,
    ``RuntimeError`` for a row with the wrong number of values.

    >>> data = GeneratorDataset([(1.0, 3), (2.0, 4)], ["x", "y"], shuffle=False)
    >>> [row[1].item() for row in data], data.get_dataset_size(), data.get_col_names()
    ([3, 4], 2, ['x', 'y'])
    """

    def __init__(
        self,
        source: Any,
        column_names: str | Sequence[str] | None = None,
        *,
        num_samples: int | None = None,
        shuffle: bool | None = None,
        num_parallel_workers: int = 1,
        python_multiprocessing: bool = True,
    ) -> None:
        if column_names is None:
            raise ValueArgument("Neither columns_names nor schema are provided.")
        columns = column_names_of(column_names)
        if num_samples is not None:
            in_interval("num_samples", num_samples, 1)
        items, count = _source(source, shuffle)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            return (_row(item, columns) for item in itertools.islice(items(rng), num_samples))

        super().__init__(columns, rows, lambda: count() if num_samples is None else min(num_samples, count()))


class NumpySlicesDataset(GeneratorDataset):
    """Slices along axis 0 of an array or list, of a tuple of them, or of a dict from column name to array.

    Columns are called ``column_0``, ``column_1`` ... unless named. Raises ``ValueError`` when the arrays
    differ in length.

    >>> data = NumpySlicesDataset({"x": [1.0, 2.0], "y": [3, 4]}, shuffle=False)
    >>> [sorted(row) for row in data.create_dict_iterator(num_epochs=1)]
    [['x', 'y'], ['x', 'y']]
    """

    def __init__(
        self,
        data: Any,
        column_names: str | Sequence[str] | None = None,
        *,
        num_samples: int | None = None,
        shuffle: bool | None = None,
        num_parallel_workers: int = 1,
    ) -> None:
        values = list(data.values()) if isinstance(data, Mapping) else list(data) if isinstance(data, tuple) else [data]
        arrays = [as_array(value) for value in values]
        lengths = [len(array) if array.ndim else 0 for array in arrays]
        if len(set(lengths)) != 1:
            raise ValueArgument(f"NumpySlicesDataset: columns of unequal length, {lengths}; cut the longer ones")
        named = list(data) if isinstance(data, Mapping) else [f"column_{i}" for i in range(len(arrays))]
        slices = [tuple(array[i] for array in arrays) for i in range(lengths[0])]
        super().__init__(slices, column_names or named, num_samples=num_samples, shuffle=shuffle)


Items = Callable[[np.random.Generator], Iterable[Any]]


def _source(source: Any, shuffle: bool | None) -> tuple[Items, Callable[[], int]]:
    """A function that starts an epoch of the source's items, and one that counts them."""
    _check_has_rows(source)
    if isinstance(source, Iterator):
        source = list(source)
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return _indexed(source, shuffle is not False), lambda: len(source)
    if shuffle:
        raise ValueArgument("GeneratorDataset: shuffle=True needs a source that can be indexed; use .shuffle(n)")

    def items(rng: np.random.Generator) -> Iterable[Any]:
        return source() if callable(source) else source

    return items, lambda: sum(1 for _ in items(np.random.default_rng(0)))


def _check_has_rows(source: Any) -> None:
    rows = callable(source) or hasattr(source, "__getitem__") or hasattr(source, "__iter__")
    if not rows or isinstance(source, Mapping | str):
        kind = type(source).__name__
        raise TypeArgument(f"GeneratorDataset: a {kind} has no rows; give a list, a zip or a generator function")


def _indexed(source: Any, shuffle: bool) -> Items:
    def items(rng: np.random.Generator) -> Iterable[Any]:
        order = rng.permutation(len(source)) if shuffle else range(len(source))
        return (source[int(i)] for i in order)

    return items


def _row(item: Any, columns: Sequence[str]) -> Row:
    whole = isinstance(item, tuple) or (isinstance(item, list) and len(columns) > 1)
    values = tuple(item) if whole else (item,)
    if len(values) != len(columns):
        raise RuntimeArgument(f"GeneratorDataset: a row has {len(values)} values for the columns {list(columns)}")
    return tuple(as_array(value) for value in values)
