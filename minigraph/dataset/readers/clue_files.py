"""The tasks of the Chinese benchmark CLUE (Xu et al. 2020): lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.readers.reader_arguments import Shuffle, check_instance, matching_files
from minigraph.dataset.readers.text_files import GLOBAL, RowFiles, read_lines

# task -> (columns of the files with labels, columns of the test file), in order
TASKS = {
    "AFQMC": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "CMNLI": ("label sentence1 sentence2", "id sentence1 sentence2"),
    "CSL": ("abst id keyword label", "abst id keyword"),
    "IFLYTEK": ("label label_des sentence", "id sentence"),
    "TNEWS": ("keywords label label_desc sentence", "id keywords sentence"),
    "WSC": ("idx label span1_index span1_text span2_index span2_text text",
            "idx span1_index span1_text span2_index span2_text text"),
}  # fmt: skip


class CLUEDataset(RowFiles):
    """The examples of a task: AFQMC, CMNLI, CSL, IFLYTEK, TNEWS or WSC, of files of lines of JSON.

    ``usage`` is ``train``, ``eval`` or ``test``, whose files have no labels; the columns are the keys of a line, in
    sorted order. The other arguments and errors are those of ``TextFileDataset``. Raises ``ValueError`` for other
    tasks and usages, ``RuntimeError`` for lines without the keys.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
    >>> _, _ = file.write('{"id": 7, "sentence": "text"}'), file.close()
    >>> data = CLUEDataset(file.name, "IFLYTEK", "test")
    >>> [row["sentence"].item() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
    ['text']
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        task: str = "AFQMC",
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        files = matching_files(dataset_files)
        check_instance("task", task, (str,))
        check_instance("usage", usage, (str,))
        if task not in TASKS:
            raise ArgValueError(f"task should be one of {sorted(TASKS)}, got {task!r}.")
        if usage not in ("train", "test", "eval"):
            raise ArgValueError(f"usage should be 'train', 'test' or 'eval', got {usage!r}.")
        columns = TASKS[task][usage == "test"].split()

        def read(path: Path) -> Iterator[list[Any]]:
            return (_row(line, columns, path.name) for (line,) in read_lines(path))

        super().__init__(files, columns, read, num_samples, shuffle, num_shards, shard_id)


def _row(line: str, columns: list[str], name: str) -> list[Any]:
    """The values of a line of JSON; keys of its ``target`` are columns, too."""
    try:
        content = json.loads(line)
        values = [{**content, **content.get("target", {})}[column] for column in columns]
        return [_value(value) for value in values]
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ArgRuntimeError(f"CLUEDataset: {name!r}: a line does not fit the task: {error!r}") from None


def _value(value: Any) -> np.ndarray:
    """A number as uint32, texts as str; raises ``ValueError`` for others."""
    if isinstance(value, int) and not isinstance(value, bool):
        return np.array(value, np.uint32)
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(item, str) for item in value)):
        return np.array(value)
    raise ValueError(f"{str(value)[:40]!r} is neither a number nor text")
