"""Rows of MindRecord files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.generator import GeneratorDataset
from minigraph.dataset.readers.reader_arguments import (
    Shuffle,
    check_instance,
    check_shards,
    check_shuffle,
    sampler_options,
    with_labels,
)
from minigraph.dataset.samplers import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetSampler,
)
from minigraph.mindrecord.record_file import RecordFiles

SAMPLERS = (SubsetSampler, PKSampler, DistributedSampler, RandomSampler, SequentialSampler)


class MindDataset(GeneratorDataset):
    """The rows of MindRecord files: of all files that were written with one, or only of those in a list.

    ``columns_list`` selects columns; all of them are in sorted order. A column has the type and shape of its field;
    bytes are an array of one bytes string, and text is str. ``shuffle`` is a bool or a member of ``Shuffle``;
    ``num_padded`` rows ``padded_sample`` follow the others, so that ``num_shards`` divides their number. The other
    arguments are those of ``GeneratorDataset``, or a ``PKSampler``.

    Raises ``ValueError`` for a missing file, ``RuntimeError`` for damaged files, unknown columns and arguments that
    contradict each other.

    >>> import tempfile
    >>> from minigraph.mindrecord import FileWriter
    >>> writer = FileWriter(name := tempfile.mkdtemp() + "/rows.mindrecord")
    >>> writer.add_schema({"x": {"type": "float32", "shape": [2]}, "label": {"type": "int32"}})
    >>> writer.write_raw_data([{"x": np.ones(2, np.float32), "label": i} for i in range(3)])
    >>> writer.commit()
    >>> data = MindDataset(name, ["label"], shuffle=False)
    >>> data.get_dataset_size(), [int(row[0]) for row in data]
    (3, [0, 1, 2])
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Sampler | None = None,
        padded_sample: Mapping[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: object = None,
    ) -> None:
        for name in dataset_files if isinstance(dataset_files, list) else [dataset_files]:
            _check_file(name)
        if columns_list is not None:
            check_instance("columns_list", columns_list, (list,))
        mode = check_shuffle(shuffle)
        shuffles = mode is not Shuffle.FALSE if isinstance(shuffle, bool | Shuffle) else None
        options = sampler_options(_check_sampler(sampler), num_samples, shuffles, num_shards, shard_id)
        padding = _check_padding(columns_list, padded_sample, num_padded)
        files = RecordFiles(dataset_files)
        files.check_fields(columns_list)
        columns = columns_list or list(files.header.schema.fields)
        if padding and (len(files) + padding) % (num_shards or 1):
            rows_in_all = f"the size of dataset and num_padded: {len(files)} + {padding}"
            raise ArgRuntimeError(f"Invalid data, {rows_in_all} is not divisible by num_shards: {num_shards}")
        rows = _RecordRows(files, columns, padded_sample or {}, padding)
        if mode in (Shuffle.FILES, Shuffle.INFILE):
            if num_samples:
                raise ArgValueError("'Shuffle.FILES' or 'Shuffle.INFILE' and 'num_samples' contradict each other.")
            options = {"sampler": _FileOrder(mode, [0, *files.ends], len(rows), *check_shards(num_shards, shard_id))}
        if isinstance(sampler, PKSampler):
            options = with_labels(options, _labels(files, sampler.class_column))
        super().__init__(rows, columns, **options)


class _RecordRows:
    """The rows of files and then ``count`` times a padded row, as tuples of arrays."""

    def __init__(self, files: RecordFiles, columns: Sequence[str], padded: Mapping[str, Any], count: int) -> None:
        self.files, self.columns, self.padded, self.count = files, columns, padded, count

    def __len__(self) -> int:
        return len(self.files) + self.count

    def __getitem__(self, number: int) -> tuple[np.ndarray, ...]:
        is_padded = number >= len(self.files)
        row = self.padded if is_padded else self.files.row(number, self.columns)
        return tuple(self._array(name, row[name]) for name in self.columns)

    def _array(self, name: str, value: Any) -> np.ndarray:
        field = self.files.header.schema.fields[name]
        kind = field["type"]
        if kind == "bytes":
            return np.array([bytes(value)])
        if kind == "string":
            return np.array(value)
        try:
            return call_ignoring_float_errors(np.asarray, value, kind).reshape(field.get("shape", []))
        except (OverflowError, TypeError, ValueError):
            raise ArgRuntimeError(
                f"MindDataset: column {name!r}: {str(value)[:40]} is no {kind} of its shape"
            ) from None


class _FileOrder(Sampler):
    """The files in random order, or the rows of each file, then every n-th row; padded rows are the last file."""

    def __init__(self, mode: Shuffle, ends: Sequence[int], count: int, shards: int, shard: int) -> None:
        super().__init__()
        self.mode, self.shards, self.shard = mode, shards, shard
        bounds = [*ends, count]
        self.files = [range(*pair) for pair in pairwise(bounds)]

    def order(self, count: int, rng: np.random.Generator) -> Iterator[int]:
        """The rows of this shard; all shards have equally many."""
        files = [list(file) for file in self.files]
        if self.mode is Shuffle.FILES:
            files = [files[i] for i in rng.permutation(len(files))]
        else:
            files = [rng.permutation(file).tolist() for file in files]
        rows = [row for file in files for row in file]
        return (rows[(self.shard + i * self.shards) % len(rows)] for i in range(-(-len(rows) // self.shards)))


def _labels(files: RecordFiles, column: str) -> list[Any]:
    """The values of the class column; raises ``RuntimeError`` for one that the files do not have."""
    if column not in files.header.schema.plain_fields:
        raise ArgRuntimeError(f"Invalid data, 'class_column': {column} can not found in fields of mindrecord files.")
    return [files.row(number, [column])[column] for number in range(len(files))]


# ---- arguments -------------------------------------------------------------------------------------


def _check_file(name: Any) -> None:
    """Raises ``TypeError`` for no path, ``ValueError`` for a file that does not exist."""
    if not isinstance(name, str):
        raise ArgTypeError(f"path: {name} is not string")
    if not os.path.isfile(name):
        raise ArgValueError(f"The file {os.path.abspath(name)} does not exist or permission denied!")


def _check_sampler(sampler: Any) -> Sampler | None:
    if sampler is not None and not isinstance(sampler, SAMPLERS):
        raise ArgValueError("The sampler is not supported yet; use one of those of minigraph.dataset.")
    return sampler


def _check_padding(columns: Iterable[str] | None, sample: Any, count: Any) -> int:
    """The number of padded rows; raises ``RuntimeError`` unless the three arguments fit together."""
    if sample is None and count is None:
        return 0
    if sample is None:
        raise ArgRuntimeError("num_padded is specified but padded_sample is not.")
    check_instance("padded_sample", sample, (dict,))
    if count is None:
        raise ArgRuntimeError("padded_sample is specified and requires num_padded as well.")
    check_interval("num_padded", count, 0)
    if columns is None:
        raise ArgRuntimeError("padded_sample is specified and requires columns_list as well.")
    for name in columns:
        if name not in sample:
            raise ArgValueError(f"padded_sample cannot match columns_list: it has no column {name!r}.")
    return int(count)
