"""Tokenizers of BERT; tests/differential compares their results with MindSpore's."""

import numpy as np

from minigraph.dataset import text
from minigraph.dataset.text.bert import WordpieceSplitter, basic_tokens
from tests.tables import error_cases, results

VOCAB = text.Vocab.from_list(["un", "##aff", "##able", "[UNK]", "日"])
test_pieces = results(
    lambda word: [token[0] for token in WordpieceSplitter(VOCAB, "##", 10, "[UNK]").split(word)],
    ("unaffable", ["un", "##aff", "##able"]), ("unlike", ["[UNK]"]), ("日", ["日"]), ("", []), ("un" * 6, ["[UNK]"]),
)  # fmt: skip
test_errors = error_cases(
    (lambda: text.BertTokenizer(3), TypeError, "text.Vocab object"),
    (lambda: text.WordpieceTokenizer(VOCAB, max_bytes_per_token=-1), ValueError, "not within the required interval"),
    (lambda: text.WordpieceTokenizer(VOCAB, max_bytes_per_token="1"), TypeError, "max_bytes_per_token"),
    (lambda: text.BasicTokenizer(lower_case=1), TypeError, "lower_case, should be boolean"),
)


def test_unused_tokens_stay_as_they_are_in_lower_case() -> None:
    """MindSpore 2.10 repeats the text before them."""
    words = basic_tokens("É [UNK] B [unused12]", True, False, text.NormalizeForm.NONE, True)
    assert [word for word, _, _ in words] == ["e", "[UNK]", "b", "[unused12]"]


def test_ideographs_are_words_and_other_letters_are_not() -> None:
    words = basic_tokens("\ua000\ua001 한국어 \uf900a\ufaff北", False, False, text.NormalizeForm.NONE, True)
    assert [word for word, _, _ in words] == ["\ua000\ua001", "한국어", "\uf900", "a", "\ufaff", "北"]


def test_unknown_words_have_their_own_positions() -> None:
    """MindSpore 2.10 has one position for each piece that it tried."""
    tokens, starts, ends = text.WordpieceTokenizer(VOCAB, unknown_token="", with_offsets=True)(np.array(["日z", "un"]))
    assert (tokens.tolist(), starts.tolist(), ends.tolist()) == (["日z", "un"], [0, 0], [4, 2])
