"""Operations on sequences of tokens: n-grams, windows, truncation, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.types import DType
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.number_text import leading_float, leading_integer
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance
from minigraph.dataset.text.strings import as_strings

Padding = tuple[str, int]  # pad token, pad width


# ---- n-grams ---------------------------------------------------------------------------------------


def n_grams(words: np.ndarray, n: list[int], left_pad: Padding, right_pad: Padding, separator: str) -> np.ndarray:
    """The n-grams, ``n`` consecutive words joined by a separator, for every number in ``n``; one empty string if none.

    ``left_pad`` and ``right_pad`` are a pad token and how many are added at that end, at most n - 1.
    """
    texts = as_strings("Ngram", words, (1,)).tolist()
    if not texts:
        raise ArgRuntimeError("Ngram: there is no word; pad the words first")
    grams = []
    for size in n:
        left, right = (max(0, min(count, size - 1)) for _, count in (left_pad, right_pad))
        padded = [left_pad[0]] * left + texts + [right_pad[0]] * right
        joined = [separator.join(padded[i : i + size]) for i in range(len(padded) - size + 1)]
        grams += joined or [""]
    return np.array(grams)


def _check_padding(name: str, padding: object) -> None:
    is_pair = isinstance(padding, tuple) and len(padding) == 2
    if not is_pair or not isinstance(padding[0], str) or not isinstance(padding[1], int):  # type: ignore[index]
        raise ArgValueError(f"{name} needs to be a tuple of (str, int) str is pad token and int is pad_width.")
    if padding[1] < 0:  # type: ignore[index]
        raise ArgValueError(f"padding width need to be positive numbers, got {padding}.")


def _ngram_arguments(
    n: int | list[int], left_pad: Padding = ("", 0), right_pad: Padding = ("", 0), separator: str = " "
) -> dict[str, Any]:
    sizes = [n] if isinstance(n, int) else n
    if not isinstance(sizes, list) or not sizes:
        raise ArgValueError(f"n needs to be a non-empty list of positive integers, got {n!r}.")
    for index, size in enumerate(sizes):
        check_instance(f"gram_{index}", size, (int,))
        if size < 1:
            raise ArgValueError(f"Input gram_{index} must be greater than 0, got {size}.")
    _check_padding("left_pad", left_pad)
    _check_padding("right_pad", right_pad)
    check_instance("separator", separator, (str,))
    return {"n": sizes, "left_pad": left_pad, "right_pad": right_pad, "separator": separator}


# ---- windows and truncation ------------------------------------------------------------------------


def sliding_window(array: np.ndarray, width: int, axis: int) -> np.ndarray:
    """The windows of a sequence, [n] to [n - width + 1, width]; empty for a sequence shorter than ``width``."""
    if array.ndim != 1 or axis not in (0, -1):
        shape = list(array.shape)
        raise ArgRuntimeError(f"SlidingWindow: supports one axis, 0 or -1, got shape {shape} and axis {axis}")
    if len(array) < width:
        return np.zeros(0, array.dtype)
    return np.lib.stride_tricks.sliding_window_view(array, width).copy()


def _window_arguments(width: int, axis: int = 0) -> dict[str, Any]:
    check_instance("width", width, (int,))
    check_interval("width", width, 1)
    check_instance("axis", axis, (int,))
    return {"width": width, "axis": axis}


def truncate(array: np.ndarray, max_seq_len: int) -> np.ndarray:
    """The first ``max_seq_len`` elements along the last axis of an array of rank 1 or 2."""
    if array.ndim not in (1, 2):
        raise ArgRuntimeError(f"Truncate: the input should have one axis or two, got shape {list(array.shape)}")
    return array[..., :max_seq_len]


def _truncate_arguments(max_seq_len: int) -> dict[str, Any]:
    check_instance("max_seq_len", max_seq_len, (int,))
    check_interval("max_seq_len", max_seq_len, 1)
    return {"max_seq_len": max_seq_len}


def truncate_pair(*arrays: np.ndarray, max_length: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sequences truncated to a total length: the longer one loses its last element, the second if equally long."""
    if len(arrays) != 2 or any(array.ndim != 1 for array in arrays):
        shapes = [list(array.shape) for array in arrays]
        raise ArgRuntimeError(f"TruncateSequencePair: expected two sequences with one axis, got shapes {shapes}")
    first, second = arrays
    lengths = [len(first), len(second)]
    while sum(lengths) > max(max_length, 0):
        lengths[0 if lengths[0] > lengths[1] else 1] -= 1
    return first[: lengths[0]], second[: lengths[1]]


def add_token(array: np.ndarray, token: str, begin: bool) -> np.ndarray:
    """Strings [n] or [m, n] with a token at the beginning or end of each sequence."""
    words = as_strings("AddToken", array, (1, 2))
    tokens = np.full((*words.shape[:-1], 1), token)
    return np.concatenate([tokens, words] if begin else [words, tokens], -1)


def _token_arguments(token: str, begin: bool = True) -> dict[str, Any]:
    check_instance("token", token, (str,))
    check_instance("begin", begin, (bool,))
    if not token:
        raise ArgRuntimeError("AddToken: the token is empty; give one character or more")
    return {"token": token, "begin": begin}


# ---- numbers ---------------------------------------------------------------------------------------


def to_number(array: np.ndarray, data_type: DType) -> np.ndarray:
    """The numbers at the start of strings; raises ``RuntimeError`` for a string without one, or one out of range."""
    words, dtype = as_strings("ToNumber", array), np.dtype(data_type.numpy)
    parse = _parse_integer if dtype.kind in "iu" else _parse_float
    return np.array([parse(word, dtype) for word in words.reshape(-1).tolist()], dtype).reshape(words.shape)


def _parse_integer(word: str, dtype: np.dtype[Any]) -> int:
    number, limits = leading_integer(word), np.iinfo(dtype)
    if number is None:
        raise ArgRuntimeError(f"ToNumber: it is invalid to convert {word!r} to a number.")
    if not limits.min <= number <= limits.max:
        raise ArgRuntimeError(f"ToNumber: string input {word} will be out of bounds if cast to {dtype}.")
    return number


def _parse_float(word: str, dtype: np.dtype[Any]) -> float:
    number = leading_float(word)
    if number is None:
        raise ArgRuntimeError(f"ToNumber: it is invalid to convert {word!r} to a number.")
    if abs(number) > np.finfo(dtype).max:
        raise ArgRuntimeError(f"ToNumber: string input {word} will be out of bounds if cast to {dtype}.")
    return number


def _number_arguments(data_type: DType) -> dict[str, Any]:
    check_instance("data_type", data_type, (DType,))
    kind = np.dtype(data_type.numpy).kind if data_type.numpy is not None else "O"
    if kind not in "iuf":
        raise ArgTypeError(f"data_type: {data_type} is not numeric data type.")
    return {"data_type": data_type}


OPERATION_TABLE: OperationTable = {
    "AddToken": (add_token, _token_arguments),
    "Ngram": (n_grams, _ngram_arguments),
    "SlidingWindow": (sliding_window, _window_arguments),
    "ToNumber": (to_number, _number_arguments),
    "Truncate": (truncate, _truncate_arguments),
    "TruncateSequencePair": (truncate_pair, lambda max_length: dict(locals())),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
