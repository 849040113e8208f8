"""Vocabularies; tests/differential compares their results with MindSpore's."""

from pathlib import Path

import numpy as np

import minigraph as ms
from minigraph.dataset import NumpySlicesDataset, text
from tests.tables import error_cases

VOCAB = text.Vocab.from_list(["a", "b"], ["<unk>"], special_first=False)


def test_a_dataset_of_words_becomes_numbers(tmp_path: Path) -> None:
    def rows() -> NumpySlicesDataset:
        return NumpySlicesDataset([["b", "a"], ["c", "a"]], "words", shuffle=False)

    vocab = text.Vocab.from_dataset(rows(), "words", special_tokens=["<pad>"])
    assert vocab.vocab() == {"<pad>": 0, "a": 1, "b": 2, "c": 3}
    data = rows().map(text.Lookup(vocab), "words")
    assert [row[0].asnumpy().tolist() for row in data] == [[2, 1], [3, 1]]
    assert text.Vocab.from_dataset(rows(), freq_range=(2, None)).vocab() == {"a": 0}
    (tmp_path / "words").write_text("x 1\ny 2\n")
    assert text.Vocab.from_file(str(tmp_path / "words"), " ", 1).vocab() == {"x": 0}


def test_numbers_of_any_dtype() -> None:
    assert text.Lookup(VOCAB, "<unk>", ms.int64)(np.array([["a", "?"]])).tolist() == [[0, 2]]
    assert VOCAB.ids_to_tokens(np.array([2, 7])) == ["<unk>", ""] and VOCAB.tokens_to_ids("b") == 1


test_errors = error_cases(
    (lambda: text.Vocab().vocab(), RuntimeError, "has not built yet"),
    (lambda: text.Vocab.from_list(["a", "a"]), ValueError, "duplicate word: a"),
    (lambda: text.Vocab.from_dict({"a": -1}), ValueError, "word_id"),
    (lambda: text.Vocab.from_dataset(3), TypeError, "expected a dataset, got int"),
    (lambda: text.Vocab.from_dataset(NumpySlicesDataset([1], "n")), RuntimeError, "expected strings"),
    (lambda: text.Vocab.from_dataset(NumpySlicesDataset(["a"], "n"), "m"), RuntimeError, "no column 'm'"),
    (lambda: text.Vocab.from_dataset(NumpySlicesDataset(["a"], "n"), freq_range=(1, 2, 3)), ValueError, "2 integers"),
    (lambda: VOCAB.ids_to_tokens(-1), ValueError, "ids"),
    (lambda: text.Lookup(VOCAB, "?"), RuntimeError, "not in the vocabulary; add it"),
    (lambda: text.Lookup(VOCAB)(np.array("?")), RuntimeError, "give an unknown_token"),
)
