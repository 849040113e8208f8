"""Iterators over epochs, and their values."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.dataset.iterators import EpochIterator, as_output


def numbers(n):
    return lambda: iter([(np.array(i),) for i in range(n)])


def test_epochs_start_lazily():
    begun = []

    def epoch():
        begun.append(len(begun))
        return numbers(2)()

    rows = EpochIterator(epoch, lambda row: int(row[0]), -1)
    assert begun == []
    assert [list(rows), list(rows)] == [[0, 1], [0, 1]]
    assert begun == [0, 1]


@pytest.mark.parametrize("value", [np.array([1.5]), np.array(True), np.array(3, np.int8)])
def test_numbers_become_tensors_of_their_dtype(value):
    result = as_output(value)
    assert isinstance(result, Tensor)
    assert result.asnumpy().dtype == value.dtype


def test_text_stays_as_it_is_and_an_epoch_without_rows_ends_at_once():
    # text stays as it is
    word = np.array("a")
    assert as_output(word) is word
    # an epoch without rows ends at once
    rows = EpochIterator(numbers(0), len, 2)
    assert [list(rows), list(rows)] == [[], []]
    with pytest.raises(RuntimeError, match="all 2 epochs"):
        next(rows)
