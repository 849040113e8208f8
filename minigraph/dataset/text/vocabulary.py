"""Vocabularies: tokens with numbers, and their look-up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UnknownNameError
from minigraph.core.types import DType, int32
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.operation_table import operation_classes
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.readers.reader_arguments import check_instance
from minigraph.dataset.readers.text_files import read_text
from minigraph.dataset.text.strings import as_strings


class Vocab:
    """Tokens with numbers from 0, made by ``from_list``, ``from_dict``, ``from_file`` or ``from_dataset``.

    >>> vocab = Vocab.from_list(["deep", "learning"], special_tokens=["<unk>"])
    >>> vocab.vocab(), vocab.tokens_to_ids(["learning", "?"]), vocab.ids_to_tokens(0)
    ({'<unk>': 0, 'deep': 1, 'learning': 2}, [2, -1], '<unk>')
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] | None = None

    @classmethod
    def _of(cls, ids: Mapping[str, int]) -> Vocab:
        vocab = cls()
        vocab._ids = dict(ids)
        return vocab

    # ---- creation ----------------------------------------------------------------------------------

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: list[str] | None = None, special_first: bool = True
    ) -> Vocab:
        """Words in the order of a list, with special tokens before or after them.

        Raises ``TypeError`` for other types, ``ValueError`` for a word that occurs twice.
        """
        check_instance("word_list", word_list, (list,))
        for word in word_list:
            check_instance("word_list", word, (str,))
        special = _check_special(special_tokens, special_first)
        if repeated := [word for word, count in Counter(word_list).items() if count > 1]:
            raise ArgValueError(f"word_list contains duplicate word: {repeated[0]}.")
        if both := set(word_list) & set(special):
            raise ArgValueError(f"special_tokens and word_list contain duplicate word :{both}.")
        return cls._of(_number_words(word_list, special, special_first))

    @classmethod
    def from_dict(cls, word_dict: Mapping[str, int]) -> Vocab:
        """Words with the numbers of a dict; raises ``TypeError`` for other types, ``ValueError`` for one below 0."""
        check_instance("word_dict", word_dict, (dict,))
        for word, number in word_dict.items():
            check_instance("word", word, (str,))
            check_instance("word_id", number, (int,))
            check_interval("word_id", number, 0)
        return cls._of(word_dict)

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Words in the order of the lines of a file, up to a delimiter, at most ``vocab_size``.

        Raises ``RuntimeError`` for a missing file or a word that occurs twice.
        """
        check_instance("file_path", file_path, (str,))
        check_instance("delimiter", delimiter, (str,))
        special = _check_special(special_tokens, special_first)
        if vocab_size is not None:
            _check_positive("vocab_size", vocab_size)
        lines = read_text(Path(file_path)).removesuffix("\n").split("\n")[:vocab_size]
        words = [line.partition(delimiter)[0] if delimiter else line for line in lines]
        repeated = [word for word, count in Counter([*words, *special]).items() if count > 1]
        if repeated:
            raise ArgRuntimeError(f"from_file: word_list contains duplicate word:{repeated[0]}")
        return cls._of(_number_words(words, special, special_first))

    @classmethod
    def from_dataset(
        cls,
        dataset: Dataset,
        columns: str | Sequence[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of some columns of a dataset (all by default), the most frequent first, then by code points.

        ``freq_range`` keeps the words whose count is in a range (``None``: no limit), ``top_k`` the first words of
        them. Raises ``RuntimeError`` for columns that do not hold strings, and for special tokens among the words.
        """
        if not isinstance(dataset, Dataset):
            raise ArgTypeError(f"from_dataset: expected a dataset, got {type(dataset).__name__}")
        special, (low, high) = _check_special(special_tokens, special_first), _check_range(freq_range)
        if top_k is not None:
            _check_positive("top_k", top_k)
        counts = _count_words(dataset, columns)
        words = [word for word, count in counts.items() if low <= count and (high is None or count <= high)]
        if both := set(counts) & set(special):
            raise ArgRuntimeError(f"Invalid special words, these are already in the vocab: {' '.join(sorted(both))}.")
        ordered = sorted(words, key=lambda word: (-counts[word], word))[:top_k]
        return cls._of(_number_words(ordered, special, special_first))

    # ---- look-up -----------------------------------------------------------------------------------

    def vocab(self) -> dict[str, int]:
        """The numbers by word; raises ``RuntimeError`` unless this was made by one of the functions ``from_...``."""
        if self._ids is None:
            raise ArgRuntimeError(
                "The Vocab has not built yet; use Vocab.from_dataset(), Vocab.from_list(), Vocab.from_file() or "
                "Vocab.from_dict()."
            )
        return dict(self._ids)

    def ids_to_tokens(self, ids: int | Sequence[int] | np.ndarray) -> Any:
        """The word of a number, or the words of several; an unknown number has the word ``""``."""
        check_instance("ids", ids, (int, list, np.ndarray))
        words = {number: word for word, number in self.vocab().items()}
        if isinstance(ids, int):
            check_interval("ids", ids, 0)
            return words.get(ids, "")
        for position, number in enumerate(np.asarray(ids).tolist() if len(ids) else ()):
            check_instance(f"ids[{position}]", number, (int,))
            check_interval(f"ids[{position}]", number, 0)
        return [words.get(int(number), "") for number in ids]

    def tokens_to_ids(self, tokens: str | Sequence[str] | np.ndarray) -> Any:
        """The number of a word, or the numbers of several; an unknown word has the number -1."""
        check_instance("tokens", tokens, (str, list, np.ndarray))
        ids, words = self.vocab(), tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        if isinstance(words, str):
            return ids.get(words, -1)
        for position, word in enumerate(words):
            check_instance(f"tokens[{position}]", word, (str,))
        return [ids.get(word, -1) for word in words]


# ---- arguments -------------------------------------------------------------------------------------


def _number_words(words: Iterable[str], special: Sequence[str], special_first: bool) -> dict[str, int]:
    ordered = [*special, *words] if special_first else [*words, *special]
    return {word: number for number, word in enumerate(ordered)}


def _check_special(tokens: list[str] | None, special_first: bool) -> list[str]:
    check_instance("special_first", special_first, (bool,))
    if tokens is None:
        return []
    check_instance("special_tokens", tokens, (list,))
    for token in tokens:
        check_instance("special_tokens", token, (str,))
    if repeated := [token for token, count in Counter(tokens).items() if count > 1]:
        raise ArgValueError(f"special_tokens contains duplicate word: {repeated[0]}.")
    return tokens


def _check_positive(name: str, value: int) -> None:
    check_instance(name, value, (int,))
    if value < 1:
        raise ArgValueError(f"Input {name} must be greater than 0, got {value}.")


def _check_range(freq_range: tuple[int | None, int | None] | None) -> tuple[int, int | None]:
    if freq_range is None:
        return 0, None
    check_instance("freq_range", freq_range, (tuple,))
    if len(freq_range) != 2 or not all(limit is None or isinstance(limit, int) for limit in freq_range):
        raise ArgValueError(f"freq_range needs to be a tuple of 2 integers or an int and a None, got {freq_range}.")
    low, high = freq_range
    if (low or 0) < 0 or (high is not None and high < (low or 0)):
        raise ArgValueError(f"frequency range [a,b] should be 0 <= a <= b (a,b are inclusive), got {freq_range}.")
    return low or 0, high


def _count_words(dataset: Dataset, columns: str | Sequence[str] | None) -> Counter[str]:
    try:
        rows = dataset.create_tuple_iterator(columns, num_epochs=1, output_numpy=True)
    except UnknownNameError as error:
        raise ArgRuntimeError(f"from_dataset: {error}") from None
    counts: Counter[str] = Counter()
    for value in (value for row in rows for value in row):
        counts.update(as_strings("from_dataset", value).reshape(-1).tolist())
    return counts


# ---- the operation ---------------------------------------------------------------------------------


def look_up(array: np.ndarray, vocab: Vocab, unknown: int | None, data_type: DType) -> np.ndarray:
    """The numbers of words in a vocabulary, int32 or another dtype.

    A word that is not in it has the number of ``unknown_token``; without one, raises ``RuntimeError``.
    """
    ids, words = vocab.vocab(), as_strings("Lookup", array)
    numbers = [ids.get(word, unknown) for word in words.reshape(-1).tolist()]
    if None in numbers:
        word = words.reshape(-1)[numbers.index(None)]
        raise ArgRuntimeError(f"Lookup: {str(word)!r} is not in the vocabulary; give an unknown_token")
    return np.array(numbers).astype(data_type.numpy).reshape(words.shape)


def _look_up_arguments(vocab: Vocab, unknown_token: str | None = None, data_type: DType = int32) -> dict[str, Any]:
    check_instance("vocab", vocab, (Vocab,))
    check_instance("data_type", data_type, (DType,))
    if unknown_token is not None:
        check_instance("unknown_token", unknown_token, (str,))
        if unknown_token not in vocab.vocab():
            raise ArgRuntimeError(f"Lookup: the unknown_token {unknown_token!r} is not in the vocabulary; add it")
    unknown = None if unknown_token is None else vocab.vocab()[unknown_token]
    return {"vocab": vocab, "unknown": unknown, "data_type": data_type}


OPERATIONS = operation_classes({"Lookup": (look_up, _look_up_arguments)}, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = ["Vocab", *OPERATIONS]  # noqa: PLE0604 - strings
