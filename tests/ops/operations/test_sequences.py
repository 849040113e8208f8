"""Edit distances, and words that would repeat an n-gram."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops


def distance(left, right, normalize):
    def sparse(rows):
        indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
        values = [float(ord(letter)) for row in rows for letter in row]
        return Tensor(np.array(indices).reshape(-1, 2)), Tensor(values), Tensor([len(rows), 9])

    return ops.EditDistance(normalize)(*sparse(left), *sparse(right)).tolist()


def test_distances_of_words():
    assert distance(["kitten", "", "abc"], ["sitting", "ab", "abc"], False) == [3, 2, 0]
    assert distance(["kitten", "ab", ""], ["sitting", "", ""], True) == [pytest.approx(3 / 7), np.inf, 0]


def test_words_that_would_repeat_are_excluded():
    words, logs = Tensor([[[1, 2, 1, 3, 1]]], ms.int32), ops.zeros((1, 1, 5))
    lowest = np.finfo(np.float32).min
    assert ops.NoRepeatNGram(2)(words, logs).tolist() == [[[0, 0, lowest, lowest, 0]]]
    assert ops.NoRepeatNGram(1)(words, logs).tolist() == [[[0, lowest, lowest, lowest, 0]]]
    assert ms.jit(ops.NoRepeatNGram(3))(words, logs).tolist() == [[[0] * 5]]
    with pytest.raises(ValueError, match="from 1 to 5, got 6"):
        ops.NoRepeatNGram(6)(words, logs)
