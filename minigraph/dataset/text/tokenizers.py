"""Operations that split a string into tokens."""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.text.strings import WHITESPACE, Token, as_string, check_type, split_runs, token_arrays


def _offsets(with_offsets: bool = False) -> dict[str, Any]:
    check_type("with_offsets", with_offsets, bool, "boolean")
    return {"with_offsets": with_offsets}


def whitespace_tokens(text: np.ndarray, with_offsets: bool) -> Any:
    """The words of a string between whitespace; a string without words is one empty token.

    With ``with_offsets`` also the start and limit offsets of each word in UTF-8 bytes, uint32.
    """
    runs = split_runs(as_string("WhitespaceTokenizer", text), (c in WHITESPACE for c in text.item()))
    return token_arrays((run for run in runs if run[0][0] not in WHITESPACE), with_offsets)


def characters(text: np.ndarray, with_offsets: bool) -> Any:
    """The characters of a string; with ``with_offsets`` also the start and limit offsets in bytes, uint32."""
    string = as_string("UnicodeCharTokenizer", text)
    return token_arrays(split_runs(string, itertools.count()) if string else (), with_offsets)


# ---- scripts ---------------------------------------------------------------------------------------

# First words of the names of letters that several scripts share.
MULTI_SCRIPT_WORDS = (
    "MODIFIER", "MATHEMATICAL", "DOUBLE-STRUCK", "SCRIPT", "BLACK-LETTER", "SQUARE", "CIRCLED", "PARENTHESIZED",
)  # fmt: skip
WIDTH_WORDS = ("FULLWIDTH", "HALFWIDTH")
COMMON, INHERITED, LATIN, UNKNOWN = "COMMON", "INHERITED", "LATIN", "UNKNOWN"
# (first, last, script) of characters whose names begin with another word than their script.
SCRIPT_EXCEPTIONS = (
    (0xAA, 0xAA, LATIN), (0xB5, 0xB5, COMMON), (0xBA, 0xBA, LATIN), (0x2B0, 0x2B8, LATIN), (0x2E0, 0x2E4, LATIN),
    (0x374, 0x374, COMMON), (0x385, 0x385, COMMON), (0x605, 0x605, COMMON), (0x60C, 0x60C, COMMON),
    (0x61B, 0x61B, COMMON), (0x61F, 0x61F, COMMON), (0x640, 0x640, COMMON), (0x64B, 0x655, INHERITED),
    (0x670, 0x670, INHERITED), (0x951, 0x954, INHERITED), (0x964, 0x965, COMMON), (0xE3F, 0xE3F, COMMON),
    (0x3005, 0x3005, "CJK"), (0x3007, 0x3007, "CJK"), (0x3099, 0x309A, INHERITED), (0x30FC, 0x30FC, COMMON),
    (0xFF70, 0xFF70, COMMON),
)  # fmt: skip


@lru_cache(maxsize=4096)
def script_of(character: str) -> str:
    """The script of a character, by its Unicode name; Unicode's own table of scripts is not part of Python.

    ``COMMON`` is for digits, punctuation and symbols of several scripts, ``INHERITED`` for combining marks.

    >>> [script_of(c) for c in "aΩ北ひ1!"]
    ['LATIN', 'GREEK', 'CJK', 'HIRAGANA', 'COMMON', 'COMMON']
    """
    code, category = ord(character), unicodedata.category(character)
    exception = next((script for first, last, script in SCRIPT_EXCEPTIONS if first <= code <= last), None)
    if exception or category in ("Cn", "Co"):
        return exception or UNKNOWN
    first, _, rest = unicodedata.name(character, "").partition(" ")
    name = rest.partition(" ")[0] if first in WIDTH_WORDS else first
    if name in ("COMBINING", "VARIATION"):
        return INHERITED
    is_letter = category[0] in "LM" and name not in MULTI_SCRIPT_WORDS
    return name if is_letter or name in _scripts() else COMMON


@cache
def _scripts() -> frozenset[str]:
    """The first words of the names of letters."""
    letters = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in ("Ll", "Lo", "Lu"))
    words = {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}
    return frozenset(words - {"", *MULTI_SCRIPT_WORDS, *WIDTH_WORDS})


def script_tokens(text: np.ndarray, keep_whitespace: bool, with_offsets: bool) -> Any:
    """The runs of a string in one script, without whitespace unless ``keep_whitespace``.

    Scripts follow the Unicode names of the characters. With ``with_offsets`` also the start and limit
    offsets of each token in UTF-8 bytes, uint32.
    """
    string = as_string("UnicodeScriptTokenizer", text)
    runs = split_runs(string, ((script_of(c), c in WHITESPACE) for c in string))
    return token_arrays((run for run in runs if keep_whitespace or run[0][0] not in WHITESPACE), with_offsets)


def _script_arguments(keep_whitespace: bool = False, with_offsets: bool = False) -> dict[str, Any]:
    check_type("keep_whitespace", keep_whitespace, bool, "boolean")
    return {"keep_whitespace": keep_whitespace, **_offsets(with_offsets)}


# ---- regular expressions ---------------------------------------------------------------------------


def split_by_pattern(text: str, delimiter: re.Pattern[str], kept: Callable[[str], bool]) -> list[Token]:
    """The text between matches of a pattern, and the matches that are ``kept``, as tokens; empty ones are left out."""
    spans, last = [], 0  # (first, end, whether it is a token)
    for match in delimiter.finditer(text):
        spans += [(last, match.start(), True), (match.start(), match.end(), kept(match[0]))]
        last = match.end()
    spans.append((last, len(text), True))
    positions = [0, *itertools.accumulate(len(c.encode("utf-8", "surrogatepass")) for c in text)]
    return [(text[a:b], positions[a], positions[b]) for a, b, is_token in spans if is_token and a < b]


def pattern_of(caller: str, pattern: str) -> re.Pattern[str]:
    """A compiled pattern of Python's module ``re``; raises ``RuntimeError`` for one that is not valid there."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ArgRuntimeError(f"{caller}: {pattern!r} is not a regular expression of Python: {error}") from None


def pattern_tokens(text: np.ndarray, delim_pattern: str, keep_delim_pattern: str, with_offsets: bool) -> Any:
    """The text between matches of a regular expression (of Python's ``re``), and the matches of the second one.

    With ``with_offsets`` also the start and limit offsets of each token in UTF-8 bytes, uint32. Raises
    ``RuntimeError`` for an expression that Python does not know, such as one with ``\\\\p{L}``.
    """
    delimiter, kept = (pattern_of("RegexTokenizer", pattern) for pattern in (delim_pattern, keep_delim_pattern))
    string = as_string("RegexTokenizer", text)
    return token_arrays(split_by_pattern(string, delimiter, lambda match: bool(kept.fullmatch(match))), with_offsets)


def _pattern_arguments(delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> dict[str, Any]:
    check_type("delim_pattern", delim_pattern, str, "string")
    check_type("keep_delim_pattern", keep_delim_pattern, str, "string")
    return {"delim_pattern": delim_pattern, "keep_delim_pattern": keep_delim_pattern, **_offsets(with_offsets)}


# ---- Python ----------------------------------------------------------------------------------------


class PythonTokenizer:
    """Tokens by a function from a string to a list of strings.

    >>> PythonTokenizer(str.split)(np.array("a b")).tolist()
    ['a', 'b']
    """

    def __init__(self, tokenizer: Callable[[str], Any]) -> None:
        if not callable(tokenizer):
            raise ArgTypeError(f"tokenizer is not a callable Python function, got {tokenizer!r}.")
        self.tokenizer = tokenizer

    def __call__(self, text: np.ndarray) -> np.ndarray:
        """The tokens of a string, or of each string of an array, which must have equally many."""
        if not isinstance(text, np.ndarray):
            raise ArgTypeError(f"input should be a NumPy array. Got {type(text)}.")
        if text.dtype.kind not in "US":
            raise ArgTypeError(f"PythonTokenizer: expected strings, got an array of {text.dtype}.")
        if text.ndim == 0:
            return np.array(self.tokenizer(text.item()))
        tokens = np.array([self.tokenizer(string) for string in text.reshape(-1).tolist()])
        return tokens.reshape(text.shape + tokens.shape[1:])


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """An array of strings as bytes in an encoding.

    >>> to_str(to_bytes(np.array(["ü"]))).tolist()
    ['ü']
    """
    check_array(array)
    return np.char.encode(array, encoding)


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """An array of bytes in an encoding as strings."""
    check_array(array)
    return np.char.decode(array, encoding)


def check_array(array: object) -> None:
    """Raises ``TypeError`` unless the value is an array of strings or bytes."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "US":
        raise ArgTypeError(f"input should be a NumPy array of strings or bytes, got {type(array).__name__}.")


OPERATION_TABLE: OperationTable = {
    "RegexTokenizer": (pattern_tokens, _pattern_arguments),
    "UnicodeCharTokenizer": (characters, _offsets),
    "UnicodeScriptTokenizer": (script_tokens, _script_arguments),
    "WhitespaceTokenizer": (whitespace_tokens, _offsets),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = ["PythonTokenizer", "to_bytes", "to_str", *OPERATIONS]  # noqa: PLE0604 - strings
