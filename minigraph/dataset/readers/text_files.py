"""Rows of text files: one row per line, and the base class of readers of other formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.readers.reader_arguments import (
    Shuffle,
    check_samples,
    check_shards,
    check_shuffle,
    matching_files,
)
from minigraph.dataset.stages import Row

Reader = Callable[[Path], Iterable[Sequence[object]]]
GLOBAL = Shuffle.GLOBAL  # the default of MindSpore's readers of text


class RowFiles(Dataset):
    """The base class: the rows that ``read`` returns for each file, file after file; every file is read once.

    ``shuffle`` is a bool or a member of ``Shuffle``. A shard is an equal part of consecutive rows; the last one
    continues with the first rows. ``num_samples`` ends an epoch early; ``num_parallel_workers`` and ``cache`` have no
    effect, so that the order of rows is MindSpore's with one worker. Raises ``RuntimeError`` for files without rows.
    """

    def __init__(
        self,
        files: Sequence[Path],
        columns: Sequence[str],
        read: Reader,
        num_samples: int | None,
        shuffle: bool | Shuffle | None,
        num_shards: int | None,
        shard_id: int | None,
    ) -> None:
        mode, limit = check_shuffle(shuffle), check_samples(num_samples)
        shards, shard = check_shards(num_shards, shard_id)

        @cache
        def parts() -> list[list[Row]]:
            return [[tuple(map(np.asarray, row)) for row in read(path)] for path in files]

        def size() -> int:
            count = -(-sum(map(len, parts())) // shards)
            return count if limit is None else min(limit, count)

        def rows(rng: np.random.Generator) -> Iterator[Row]:
            everything = [row for part in _in_order(parts(), mode, rng) for row in part]
            if not everything:
                names = ", ".join(path.name for path in files)
                raise ArgRuntimeError(f"{type(self).__name__}: there is no row in {names or 'no file'}")
            count = -(-len(everything) // shards)
            numbers = [(shard * count + i) % len(everything) for i in range(size())]
            order = rng.permutation(numbers).tolist() if mode in ROW_SHUFFLES else numbers
            return (everything[i] for i in order)

        super().__init__(columns, rows, size)


ROW_SHUFFLES = (Shuffle.GLOBAL, Shuffle.ADAPTIVE, Shuffle.PARTIAL)  # all rows are shuffled


def _in_order(parts: list[list[Row]], mode: Shuffle, rng: np.random.Generator) -> list[list[Row]]:
    """The rows of the files, with the files or the rows of each file in random order if ``mode`` says so."""
    if mode is Shuffle.FILES:
        return [parts[i] for i in rng.permutation(len(parts))]
    if mode is Shuffle.INFILE:
        return [[part[i] for i in rng.permutation(len(part))] for part in parts]
    return parts


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; raises ``RuntimeError`` for a file that is missing or not UTF-8."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        reraise_handler_error(error)
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ArgRuntimeError(f"dataset: {path.name!r} cannot be read: {reason}") from None


def read_lines(path: Path) -> Iterator[tuple[str]]:
    """The lines of a file without their end, as rows; empty lines are skipped."""
    return ((line,) for line in read_text(path).split("\n") if line)


class TextFileDataset(RowFiles):
    """The lines of text files, as strings of the column ``text``; empty lines are skipped.

    ``dataset_files`` is a pattern of file names or a list of them; the files are sorted. The other arguments and errors
    are those of ``RowFiles``. Raises ``ValueError`` for a pattern without a file.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    >>> _, _ = file.write("one line\\n\\nanother"), file.close()
    >>> data = TextFileDataset(file.name, shuffle=False)
    >>> [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    ['one line', 'another']
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        files = matching_files(dataset_files)
        super().__init__(files, ["text"], read_lines, num_samples, shuffle, num_shards, shard_id)
