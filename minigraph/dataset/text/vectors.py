"""Vectors of words from text files, and their look-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.operation_table import operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance
from minigraph.dataset.readers.text_files import read_text
from minigraph.dataset.text.strings import as_strings


class Vectors:
    """A float32 vector of ``size`` numbers per word, made by ``from_file``.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    >>> _, _ = file.write("deep 1 2\\nlearning 3 4\\n"), file.close()
    >>> Vectors.from_file(file.name).vector("deep")
    array([1., 2.], dtype=float32)
    """

    table: Mapping[str, np.ndarray]
    size: int

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Vectors:
        """The vectors of the lines ``word number number ...``, after a line with two numbers if there is one.

        ``max_vectors`` limits their number (0 and ``None``: all). Of a word that occurs twice, the first vector counts.
        Raises ``RuntimeError`` for a file that is missing, empty or damaged.
        """
        check_instance("file_path", file_path, (str,))
        cls.check_name(Path(file_path).name)
        if max_vectors is not None:
            check_instance("max_vectors", max_vectors, (int,))
            check_interval("max_vectors", max_vectors, 0)
        lines = read_text(Path(file_path)).removesuffix("\n").split("\n")
        rows = [line.split(" ") for line in (lines[1:] if len(lines[0].split()) == 2 else lines)]
        table: dict[str, np.ndarray] = {}
        for word, *numbers in rows[: max_vectors or None]:
            table.setdefault(word, _vector(cls.__name__, word, [number for number in numbers if number], table))
        if not table:
            raise ArgRuntimeError(f"{cls.__name__}: invalid file, there is no vector in {Path(file_path).name!r}.")
        vectors = cls()
        vectors.table, vectors.size = table, len(next(iter(table.values())))
        return vectors

    @staticmethod
    def check_name(name: str) -> None:
        """Raises ``RuntimeError`` for the name of a file of another kind; here all are accepted."""

    def vector(self, word: str) -> np.ndarray | None:
        """The vector of a word, or ``None``."""
        return self.table.get(word)


def _vector(kind: str, word: str, numbers: Sequence[str], table: Mapping[str, np.ndarray]) -> np.ndarray:
    size = len(next(iter(table.values()))) if table else len(numbers)
    if len(numbers) < 2 or len(numbers) != size:
        raise ArgRuntimeError(f"{kind}: the word {word!r} has {len(numbers)} numbers, expected {max(size, 2)}")
    try:
        return np.array([float(number) for number in numbers], np.float32)
    except ValueError as error:
        raise ArgRuntimeError(f"{kind}: the vector of {word!r}: {error}") from None


class GloVe(Vectors):
    """``Vectors`` from files named ``glove.6B.*.txt`` (Pennington et al. 2014)."""

    @staticmethod
    def check_name(name: str) -> None:
        """Raises ``RuntimeError`` for another name of a file."""
        if not (name.startswith("glove.6B.") and name.endswith(".txt")):
            raise ArgRuntimeError(f"GloVe: invalid file, can not find file 'glove.6B.*.txt', but got: {name}")


class FastText(Vectors):
    """``Vectors`` from files named ``*.vec`` (Bojanowski et al. 2017)."""

    @staticmethod
    def check_name(name: str) -> None:
        """Raises ``RuntimeError`` for another name of a file."""
        if not name.endswith(".vec"):
            raise ArgRuntimeError(f"FastText: invalid file, can not find file '*.vec', but got: {name}")


class CharNGram(Vectors):
    """Vectors of runs of two to four characters (Hashimoto et al. 2017); the vector of a word is their mean.

    The lines of the file begin with ``2gram-ab`` and so on; the ends of a word are ``#BEGIN#`` and ``#END#``.
    """

    def vector(self, word: str) -> np.ndarray | None:
        """The mean of the vectors of the runs in a word, or ``None`` without any."""
        parts = ["#BEGIN#", *word, "#END#"]
        keys = (f"{n}gram-{''.join(parts[i : i + n])}" for n in (2, 3, 4) for i in range(len(parts) - n + 1))
        vectors = [self.table[key] for key in keys if key in self.table]
        return np.stack(vectors).sum(0, dtype=np.float32) / np.float32(len(vectors)) if vectors else None


# ---- the operation ---------------------------------------------------------------------------------


def to_vectors(
    array: np.ndarray, vectors: Vectors, unk_init: Sequence[float] | None, lower_case_backup: bool
) -> np.ndarray:
    """The vectors of words, float32 [n, size], or [size] for one word.

    An unknown word has the vector ``unk_init``, zeros by default. With ``lower_case_backup`` words are in lower case.
    """
    words = as_strings("ToVectors", array).reshape(-1).tolist()
    unknown = np.zeros(vectors.size, np.float32) if unk_init is None else np.array(unk_init, np.float32)
    rows = [vectors.vector(word.lower() if lower_case_backup else word) for word in words]
    table = np.stack([unknown if vector is None else vector for vector in rows])
    return table[0] if len(words) == 1 else table


def _vector_arguments(
    vectors: Vectors, unk_init: Sequence[float] | None = None, lower_case_backup: bool = False
) -> dict[str, Any]:
    check_instance("vectors", vectors, (Vectors,))
    check_instance("lower_case_backup", lower_case_backup, (bool,))
    if unk_init is not None:
        check_instance("unk_init", unk_init, (list, tuple))
        for index, value in enumerate(unk_init):
            check_instance(f"unk_init[{index}]", value, (int, float))
        if len(unk_init) != vectors.size:
            raise ArgRuntimeError(f"ToVectors: unk_init has {len(unk_init)} numbers, the vectors {vectors.size}")
    return {"vectors": vectors, "unk_init": unk_init, "lower_case_backup": lower_case_backup}


OPERATIONS = operation_classes({"ToVectors": (to_vectors, _vector_arguments)}, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = ["CharNGram", "FastText", "GloVe", "Vectors", *OPERATIONS]  # noqa: PLE0604 - strings
