"""Checks of strings and arrays of strings, and tokens with their positions in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError

Token = tuple[str, int, int]  # text, first byte and end in UTF-8
WHITESPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {*map(chr, range(0x2000, 0x200B))}


def check_type(name: str, value: object, kind: type, wanted: str) -> None:
    """Raises ``TypeError`` unless ``value`` is an instance of ``kind``."""
    if not isinstance(value, kind):
        raise ArgTypeError(f"Wrong input type for {name}, should be {wanted}, got {value!r}.")


def as_strings(caller: str, array: np.ndarray, ranks: Sequence[int] | None = None) -> np.ndarray:
    """The array; raises ``RuntimeError`` unless it holds strings and its rank is one of ``ranks`` (``None``: any).

    >>> as_strings("Lookup", np.array(["a"])).tolist()
    ['a']
    """
    if array.dtype.kind != "U" or (ranks is not None and array.ndim not in ranks):
        rank_text = "" if ranks is None else f" of rank {' or '.join(map(str, ranks))}"
        raise ArgRuntimeError(f"{caller}: expected strings{rank_text}, got {array.dtype} of shape {list(array.shape)}")
    return array


def as_string(caller: str, array: np.ndarray) -> str:
    """One string; raises ``RuntimeError`` for other values."""
    return str(as_strings(caller, array, (0,)).item())


def map_strings(caller: str, array: np.ndarray, function: Callable[[str], str]) -> np.ndarray:
    """A function of each string, in an array of the same shape."""
    texts = as_strings(caller, array)
    return np.array([function(text) for text in texts.reshape(-1).tolist()], np.str_).reshape(texts.shape)


def token_arrays(tokens: Iterable[Token], with_offsets: bool) -> Any:
    """Tokens as an array, and with ``with_offsets`` their first bytes and ends, uint32; no token is one empty token.

    >>> token_arrays([], True)
    (array([''], dtype='<U1'), array([0], dtype=uint32), array([0], dtype=uint32))
    """
    texts, starts, ends = zip(*(tuple(tokens) or (("", 0, 0),)), strict=True)
    words = np.array(texts)
    return (words, np.array(starts, np.uint32), np.array(ends, np.uint32)) if with_offsets else words


def split_runs(text: str, kinds: Iterable[object]) -> list[Token]:
    """The runs of characters of one kind, as tokens.

    >>> split_runs("aü1", [0, 0, 1])
    [('aü', 0, 3), ('1', 3, 4)]
    """
    runs: list[Token] = []
    last, position = None, 0
    for character, kind in zip(text, kinds, strict=False):
        end = position + len(character.encode("utf-8", "surrogatepass"))
        if runs and kind == last:
            before, start, _ = runs.pop()
            runs.append((before + character, start, end))
        else:
            runs.append((character, position, end))
        last, position = kind, end
    return runs
