"""Operations that split a string into tokens."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument
from minigraph.dataset.operation_rows import operations
from minigraph.dataset.text.strings import WHITESPACE, Token, as_string, check_type, split_runs, token_arrays


def _offsets(with_offsets: bool = False) -> dict[str, Any]:
    check_type("with_offsets", with_offsets, bool, "boolean")
    return {"with_offsets": with_offsets}


def whitespace_tokens(text: np.ndarray, with_offsets: bool) -> Any:
    """The words of a string between white space; no word is one empty token.

    With ``with_offsets`` also the first byte and the end of each word in UTF-8, uint32.
    """
    runs = split_runs(as_string("WhitespaceTokenizer", text), (c in WHITESPACE for c in text.item()))
    return token_arrays((run for run in runs if run[0][0] not in WHITESPACE), with_offsets)


def characters(text: np.ndarray, with_offsets: bool) -> Any:
    """The characters of a string; with ``with_offsets`` also the first byte and the end of each in UTF-8, uint32."""
    whole = as_string("UnicodeCharTokenizer", text)
    return token_arrays(split_runs(whole, itertools.count()) if whole else (), with_offsets)


# ---- scripts ---------------------------------------------------------------------------------------

# Letters that several scripts share, of the blocks of modifiers, mathematics and signs.
COMMON_LETTERS = ("MODIFIER", "MATHEMATICAL", "DOUBLE-STRUCK", "SCRIPT", "BLACK-LETTER", "FEMININE", "MASCULINE")
FORMS = ("FULLWIDTH", "HALFWIDTH")
SCRIPTS = {"KATAKANA-HIRAGANA": "COMMON", "IDEOGRAPHIC": "COMMON"}


def script_of(character: str) -> str:
    """The script of a character, by its Unicode name: ``COMMON`` for digits, punctuation and symbols.

    Marks that combine with letters of any script are ``INHERITED``.

    >>> [script_of(c) for c in "aΩ北ひ1!"]
    ['LATIN', 'GREEK', 'CJK', 'HIRAGANA', 'COMMON', 'COMMON']
    """
    category, (first, _, rest) = unicodedata.category(character), unicodedata.name(character, "").partition(" ")
    if first == "COMBINING":
        return "INHERITED"
    if category[0] not in "LM" or first in COMMON_LETTERS:
        return "COMMON"
    name = rest.partition(" ")[0] if first in FORMS else first
    return SCRIPTS.get(name, name)


def script_tokens(text: np.ndarray, keep_whitespace: bool, with_offsets: bool) -> Any:
    """The runs of a string in one script, without white space unless ``keep_whitespace``.

    Scripts follow the Unicode names of the characters. With ``with_offsets`` also the first byte and the end of each
    token in UTF-8, uint32.
    """
    whole = as_string("UnicodeScriptTokenizer", text)
    runs = split_runs(whole, ((script_of(c), c in WHITESPACE) for c in whole))
    return token_arrays((run for run in runs if keep_whitespace or run[0][0] not in WHITESPACE), with_offsets)


def _script_arguments(keep_whitespace: bool = False, with_offsets: bool = False) -> dict[str, Any]:
    check_type("keep_whitespace", keep_whitespace, bool, "boolean")
    return {"keep_whitespace": keep_whitespace, **_offsets(with_offsets)}


# ---- regular expressions ---------------------------------------------------------------------------


def split_by_pattern(text: str, delimiter: re.Pattern[str], kept: Callable[[str], bool]) -> list[Token]:
    """The text between matches of a pattern, and the matches that are ``kept``, as tokens; empty ones are left out."""
    pieces, last = [], 0
    for match in delimiter.finditer(text):
        pieces += [(last, match.start(), True), (match.start(), match.end(), kept(match[0]))]
        last = match.end()
    pieces.append((last, len(text), True))
    positions = [0, *itertools.accumulate(len(c.encode("utf-8", "surrogatepass")) for c in text)]
    return [(text[a:b], positions[a], positions[b]) for a, b, is_token in pieces if is_token and a < b]


def pattern_of(caller: str, pattern: str) -> re.Pattern[str]:
    """A compiled pattern of Python's module ``re``; raises ``RuntimeError`` for one that is not valid there."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RuntimeArgument(f"{caller}: {pattern!r} is no regular expression of Python: {error}") from None


def pattern_tokens(text: np.ndarray, delim_pattern: str, keep_delim_pattern: str, with_offsets: bool) -> Any:
    """The text between matches of a regular expression (of Python's ``re``), and the matches of the second one.

    With ``with_offsets`` also the first byte and the end of each token in UTF-8, uint32. Raises ``RuntimeError`` for
    an expression that Python does not know, such as one with ``\\\\p{L}``.
    """
    delimiter, kept = (pattern_of("RegexTokenizer", pattern) for pattern in (delim_pattern, keep_delim_pattern))
    whole = as_string("RegexTokenizer", text)
    return token_arrays(split_by_pattern(whole, delimiter, lambda match: bool(kept.fullmatch(match))), with_offsets)


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
            raise TypeArgument(f"tokenizer is not a callable Python function, got {tokenizer!r}.")
        self.tokenizer = tokenizer

    def __call__(self, text: np.ndarray) -> np.ndarray:
        """The tokens of a string, or of each string of an array, which must have equally many."""
        if not isinstance(text, np.ndarray):
            raise TypeArgument(f"input should be a NumPy array. Got {type(text)}.")
        if text.dtype.kind not in "US":
            raise TypeArgument(f"PythonTokenizer: expected strings, got an array of {text.dtype}.")
        if text.ndim == 0:
            return np.array(self.tokenizer(text.item()))
        tokens = np.array([self.tokenizer(one) for one in text.reshape(-1).tolist()])
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
        raise TypeArgument(f"input should be a NumPy array of strings or bytes, got {type(array).__name__}.")


# name -> function, and the operation's arguments as arguments of the function
ROWS: dict[str, tuple[Any, Any]] = {
    "RegexTokenizer": (pattern_tokens, _pattern_arguments),
    "UnicodeCharTokenizer": (characters, _offsets),
    "UnicodeScriptTokenizer": (script_tokens, _script_arguments),
    "WhitespaceTokenizer": (whitespace_tokens, _offsets),
}
OPERATIONS = operations(ROWS, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = ["PythonTokenizer", "to_bytes", "to_str", *OPERATIONS]  # noqa: PLE0604 - strings
