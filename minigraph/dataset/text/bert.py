"""Tokenizers of BERT (Devlin et al. 2018): words and punctuation, subwords, and one after the other."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError, ArgValueError
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.text.normalization import NormalizeForm, fold_case, normalize
from minigraph.dataset.text.strings import Token, as_string, as_strings, check_type, token_arrays
from minigraph.dataset.text.tokenizers import split_by_pattern
from minigraph.dataset.text.vocabulary import Vocab

UINT32_MAX = 2**32 - 1
SPECIAL_TOKENS = r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]"
IDEOGRAPHS = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
ASCII_PUNCTUATION = r"[!-/:-@\[-`{-~]"


# ---- words and punctuation -------------------------------------------------------------------------


def _normalize(text: str, lower_case: bool, form: NormalizeForm, preserve_unused_token: bool) -> str:
    """The text in lower case without accents, special tokens unchanged if preserved; or in a normal form of Unicode."""
    if not lower_case:
        return normalize(text, form)
    parts = re.split(f"({SPECIAL_TOKENS})", text) if preserve_unused_token else [text]
    return "".join(part if index % 2 else _without_accents(fold_case(part)) for index, part in enumerate(parts))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def basic_tokens(
    text: str, lower_case: bool, keep_whitespace: bool, normalization_form: NormalizeForm, preserve_unused_token: bool
) -> list[Token]:
    """Words, single punctuation characters and ideographs; control characters count as white space."""
    normalized = _normalize(text, lower_case, normalization_form, preserve_unused_token)
    spaced = "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in normalized)
    delimiters = [r"\s+", ASCII_PUNCTUATION, IDEOGRAPHS]
    if preserve_unused_token:
        delimiters.insert(0, SPECIAL_TOKENS)  # the first alternative that matches counts
    if other_punctuation := sorted({re.escape(c) for c in spaced if _is_punctuation(c)}):
        delimiters.append(f"[{''.join(other_punctuation)}]")
    pattern = re.compile("|".join(delimiters))
    return split_by_pattern(spaced, pattern, lambda match: keep_whitespace or not match.isspace())


def basic(text: np.ndarray, with_offsets: bool, **options: Any) -> Any:
    """The words, punctuation characters and ideographs of a string; no token is one empty token.

    ``lower_case`` also removes accents; the tokens ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``, ``[MASK]`` and
    ``[unused1]`` are kept unless ``preserve_unused_token=False``. With ``with_offsets`` also the first byte and the end
    of each token in the normalized text in UTF-8, uint32.
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
    return {"normalization_form": normalization_form, **flags}


# ---- subwords --------------------------------------------------------------------------------------


class WordpieceSplitter:
    """Splits words into subwords by WordPiece: the longest match first (Wu et al. 2016, arXiv:1609.08144).

    From left to right, the longest prefix of the rest that is in the vocabulary is a subword. The vocabulary has the
    subwords that do not begin a word with ``suffix_indicator`` before them.
    """

    def __init__(self, vocab: Vocab, suffix_indicator: str, max_bytes_per_token: int, unknown_token: str) -> None:
        self.words, self.suffix_indicator = vocab.vocab().keys(), suffix_indicator
        self.max_bytes, self.unknown_token = max_bytes_per_token, unknown_token

    def split(self, word: str, start: int = 0) -> list[Token]:
        """The subwords of a word that begins at byte ``start``.

        A word that is too long or has a part without a subword is one unknown token, or stays if there is none.
        """
        size = _byte_count(word)
        unsplit = [(self.unknown_token or word, start, start + size)] if word else []
        if size > self.max_bytes:
            return unsplit
        subwords: list[Token] = []
        first, first_byte = 0, start
        while first < len(word):
            last = self._end_of_longest_match(word, first)
            if last is None:
                return unsplit
            last_byte = first_byte + _byte_count(word[first:last])
            subwords.append((self._entry(word, first, last), first_byte, last_byte))
            first, first_byte = last, last_byte
        return subwords

    def _end_of_longest_match(self, word: str, first: int) -> int | None:
        ends = range(len(word), first, -1)
        return next((last for last in ends if self._entry(word, first, last) in self.words), None)

    def _entry(self, word: str, first: int, last: int) -> str:
        """A part of a word as it stands in the vocabulary."""
        return (self.suffix_indicator if first else "") + word[first:last]


def _byte_count(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def wordpiece(words: np.ndarray, with_offsets: bool, splitter: WordpieceSplitter) -> Any:
    """The subwords of words in a vocabulary; no token is one empty token.

    With ``with_offsets`` also the start and limit byte offsets of each subword in its word in UTF-8, uint32.
    """
    texts = as_strings("WordpieceTokenizer", words, (0, 1)).reshape(-1).tolist()
    return token_arrays([token for word in texts for token in splitter.split(word)], with_offsets)


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
        raise ArgTypeError(f"Wrong input type for max_bytes_per_token, should be int, got {max_bytes_per_token!r}.")
    if not 0 <= max_bytes_per_token <= UINT32_MAX:
        raise ArgValueError(f"Input is not within the required interval of [0, {UINT32_MAX}]: {max_bytes_per_token}.")
    splitter = WordpieceSplitter(vocab, suffix_indicator, max_bytes_per_token, unknown_token)
    return {"splitter": splitter, "with_offsets": with_offsets}


# ---- words, then subwords --------------------------------------------------------------------------


def bert(text: np.ndarray, splitter: WordpieceSplitter, with_offsets: bool, **options: Any) -> Any:
    """The subwords, as of ``WordpieceTokenizer``, of the words of ``BasicTokenizer``.

    With ``with_offsets`` also the start and limit byte offsets of each subword in the normalized text in UTF-8, uint32.
    """
    words = basic_tokens(as_string("BertTokenizer", text), **options)
    return token_arrays([token for word, start, _ in words for token in splitter.split(word, start)], with_offsets)


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
    splitting = _wordpiece_arguments(vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets)
    return splitting | _basic_arguments(
        lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
    )


OPERATION_TABLE: OperationTable = {
    "BasicTokenizer": (basic, _basic_arguments),
    "BertTokenizer": (bert, _bert_arguments),
    "WordpieceTokenizer": (wordpiece, _wordpiece_arguments),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
