"""Tokenizers of BERT (Devlin et al. 2018): words and signs, pieces of words, and both."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np

from minigraph.core.errors import TypeArgument, ValueArgument
from minigraph.dataset.operation_rows import operations
from minigraph.dataset.text.normalization import NormalizeForm, fold_case, normalize
from minigraph.dataset.text.strings import Token, as_string, as_strings, check_type, token_arrays
from minigraph.dataset.text.tokenizers import split_by_pattern
from minigraph.dataset.text.vocabulary import Vocab

UINT32_MAX = 2**32 - 1
UNUSED_TOKENS = r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]"
IDEOGRAPHS = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
ASCII_SIGNS = r"[!-/:-@\[-`{-~]"


# ---- words and signs -------------------------------------------------------------------------------


def _normalized(text: str, lower_case: bool, form: NormalizeForm, preserve_unused_token: bool) -> str:
    """The text without accents and in lower case, but for the unused tokens; or in a form of Unicode."""
    if not lower_case:
        return normalize(text, form)
    parts = re.split(f"({UNUSED_TOKENS})", text) if preserve_unused_token else [text]
    return "".join(part if index % 2 else _without_accents(fold_case(part)) for index, part in enumerate(parts))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def basic_tokens(text: str, lower_case: bool, keep_whitespace: bool, form: NormalizeForm, unused: bool) -> list[Token]:
    """Words, signs and ideographs; control characters count as white space."""
    whole = _normalized(text, lower_case, form, unused)
    spaced = "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in whole)
    signs = "".join(sorted({re.escape(c) for c in spaced if _is_punctuation(c)}))
    parts = [*([UNUSED_TOKENS] if unused else []), r"\s+", ASCII_SIGNS, IDEOGRAPHS, *([f"[{signs}]"] if signs else [])]
    return split_by_pattern(spaced, re.compile("|".join(parts)), lambda match: keep_whitespace or not match.isspace())


def basic(text: np.ndarray, with_offsets: bool, **options: Any) -> Any:
    """The words, signs and ideographs of a string; no token is one empty token.

    ``lower_case`` also removes accents; the tokens ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``, ``[MASK]`` and
    ``[unused1]`` are kept unless ``preserve_unused_token=False``. With ``with_offsets`` also the first byte and the end
    of each token in the changed text in UTF-8, uint32.
    """
    return token_arrays(basic_tokens(as_string("BasicTokenizer", text), **options), with_offsets)


def _basic_arguments(
    lower_case: bool = False,
    keep_whitespace: bool = False,
    normalization_form: NormalizeForm = NormalizeForm.NONE,
    preserve_unused_token: bool = True,
    with_offsets: bool = False,
) -> dict[str, Any]:
    check_type("normalization_form", normalization_form, NormalizeForm, "enum of 'NormalizeForm'")
    flags = {"lower_case": lower_case, "keep_whitespace": keep_whitespace,
             "preserve_unused_token": preserve_unused_token, "with_offsets": with_offsets}  # fmt: skip
    for name, value in flags.items():
        check_type(name, value, bool, "boolean")
    return {"lower_case": lower_case, "keep_whitespace": keep_whitespace, "form": normalization_form,
            "unused": preserve_unused_token, "with_offsets": with_offsets}  # fmt: skip


# ---- pieces of words -------------------------------------------------------------------------------


class Wordpieces:
    """The longest pieces of a word that a vocabulary has, from left to right; later pieces begin with a suffix mark."""

    def __init__(self, vocab: Vocab, suffix_indicator: str, max_bytes_per_token: int, unknown_token: str) -> None:
        self.words, self.mark = vocab.vocab().keys(), suffix_indicator
        self.max_bytes, self.unknown = max_bytes_per_token, unknown_token

    def pieces(self, word: str, start: int = 0) -> list[Token]:
        """The pieces of a word at a byte; the unknown token, or without one the word, if the pieces are not known."""
        size = len(word.encode("utf-8", "surrogatepass"))
        whole = [(self.unknown or word, start, start + size)]
        if not word or size > self.max_bytes:
            return whole if word else []
        found: list[Token] = []
        position, first = start, 0
        while first < len(word):
            last = next((end for end in range(len(word), first, -1) if self._piece(word, first, end)), None)
            if last is None:
                return whole
            length = len(word[first:last].encode("utf-8", "surrogatepass"))
            found.append((self._name(word, first, last), position, position + length))
            first, position = last, position + length
        return found

    def _name(self, word: str, first: int, last: int) -> str:
        return (self.mark if first else "") + word[first:last]

    def _piece(self, word: str, first: int, last: int) -> bool:
        return self._name(word, first, last) in self.words


def wordpiece(words: np.ndarray, with_offsets: bool, pieces: Wordpieces) -> Any:
    """The pieces of words in a vocabulary; no token is one empty token.

    With ``with_offsets`` also the first byte and the end of each piece in its word in UTF-8, uint32.
    """
    texts = as_strings("WordpieceTokenizer", words, (0, 1)).reshape(-1).tolist()
    return token_arrays([token for word in texts for token in pieces.pieces(word)], with_offsets)


def _wordpiece_arguments(
    vocab: Vocab,
    suffix_indicator: str = "##",
    max_bytes_per_token: int = 100,
    unknown_token: str = "[UNK]",
    with_offsets: bool = False,
) -> dict[str, Any]:
    check_type("vocab", vocab, Vocab, "text.Vocab object")
    check_type("suffix_indicator", suffix_indicator, str, "string")
    check_type("unknown_token", unknown_token, str, "string")
    check_type("with_offsets", with_offsets, bool, "boolean")
    if isinstance(max_bytes_per_token, bool) or not isinstance(max_bytes_per_token, int):
        raise TypeArgument(f"Wrong input type for max_bytes_per_token, should be int, got {max_bytes_per_token!r}.")
    if not 0 <= max_bytes_per_token <= UINT32_MAX:
        raise ValueArgument(f"Input is not within the required interval of [0, {UINT32_MAX}]: {max_bytes_per_token}.")
    pieces = Wordpieces(vocab, suffix_indicator, max_bytes_per_token, unknown_token)
    return {"pieces": pieces, "with_offsets": with_offsets}


# ---- both ------------------------------------------------------------------------------------------


def bert(text: np.ndarray, pieces: Wordpieces, with_offsets: bool, **options: Any) -> Any:
    """The pieces in a vocabulary of the tokens of ``BasicTokenizer``, whose other arguments these are.

    With ``with_offsets`` also the first byte and the end of each piece in the changed text in UTF-8, uint32.
    """
    tokens = basic_tokens(as_string("BertTokenizer", text), **options)
    return token_arrays([piece for word, start, _ in tokens for piece in pieces.pieces(word, start)], with_offsets)


def _bert_arguments(
    vocab: Vocab,
    suffix_indicator: str = "##",
    max_bytes_per_token: int = 100,
    unknown_token: str = "[UNK]",
    lower_case: bool = False,
    keep_whitespace: bool = False,
    normalization_form: NormalizeForm = NormalizeForm.NONE,
    preserve_unused_token: bool = True,
    with_offsets: bool = False,
) -> dict[str, Any]:
    pieces = _wordpiece_arguments(vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets)
    return pieces | _basic_arguments(
        lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
    )


# name -> function, and the operation's arguments as arguments of the function
ROWS: dict[str, tuple[Any, Any]] = {
    "BasicTokenizer": (basic, _basic_arguments),
    "BertTokenizer": (bert, _bert_arguments),
    "WordpieceTokenizer": (wordpiece, _wordpiece_arguments),
}
OPERATIONS = operations(ROWS, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
