"""Sequences of tokens; tests/differential compares their results with MindSpore's."""

import numpy as np

import minigraph as ms
from minigraph.dataset import NumpySlicesDataset, text
from tests.tables import error_cases


def test_windows_and_pairs_in_a_pipeline() -> None:
    rows = NumpySlicesDataset(([[1, 2, 3]], [[4, 5]]), ["a", "b"])
    pair = rows.map(text.TruncateSequencePair(4), ["a", "b"])
    assert [column.asnumpy().tolist() for column in next(iter(pair))] == [[1, 2], [4, 5]]
    assert text.SlidingWindow(2)(np.arange(3)).tolist() == [[0, 1], [1, 2]]
    assert text.SlidingWindow(4)(np.arange(3)).shape == (0,)


test_errors = error_cases(
    (lambda: text.Ngram(2)(np.array([], "U1")), RuntimeError, "there is no word"),
    (lambda: text.Ngram([2, 0]), ValueError, "gram_1 must be greater than 0"),
    (lambda: text.Ngram(2, ("a",)), ValueError, "left_pad needs to be"),
    (lambda: text.Ngram(2, ("a", -1)), ValueError, "positive numbers"),
    (lambda: text.SlidingWindow(2, 1)(np.arange(3)), RuntimeError, "supports one axis"),
    (lambda: text.Truncate(2)(np.zeros((1, 1, 1))), RuntimeError, "one axis or two"),
    (lambda: text.TruncateSequencePair(2)(np.arange(3)), RuntimeError, "two sequences"),
    (lambda: text.AddToken(""), RuntimeError, "the token is empty"),
    (lambda: text.ToNumber(ms.int8)(np.array("300")), RuntimeError, "out of bounds if cast to int8"),
    (lambda: text.ToNumber(ms.float16)(np.array("inf")), RuntimeError, "out of bounds if cast to float16"),
    (lambda: text.ToNumber(ms.int8)(np.array("x")), RuntimeError, "invalid to convert 'x'"),
    (lambda: text.ToNumber(ms.float32)(np.array("")), RuntimeError, "invalid to convert ''"),
    (lambda: text.ToNumber(ms.bool_), TypeError, "not numeric"),
)
