"""The generators of the stages."""

import itertools

import numpy as np
import pytest

from minigraph.dataset import stages


def rows(*numbers):
    return iter([(np.array(n),) for n in numbers])


def test_chunks_are_read_lazily():
    source = ((np.array(n),) for n in itertools.count())
    first = next(stages.chunk_rows(source, 3, False, 0))
    assert [int(row[0]) for row in first] == [0, 1, 2]
    assert int(next(source)[0]) == 3


def test_batch_info_of_chunks():
    text = []

    def size(info):
        text.append(tuple(info))
        return 2

    assert [len(chunk) for chunk in stages.chunk_rows(rows(1, 2, 3), size, False, 7)] == [2, 1]
    assert text == [(0, 7), (1, 7), (2, 7)]


def test_padding_zipping_selecting_and_replacing():
    # padded truncates long rows
    result = stages.pad_values([np.ones((1, 3)), np.ones((2, 1))], (2, 2), 5)
    assert [x.tolist() for x in result] == [[[1, 1], [5, 5]], [[1, 5], [1, 5]]]
    with pytest.raises(RuntimeError, match="rows of rank 1"):
        stages.pad_values([np.ones(1), np.ones((1, 1))], None, 0)
    # zip ends with the shortest
    assert [tuple(map(int, row)) for row in stages.zip_rows([rows(1, 2, 3), rows(4, 5)])] == [(1, 4), (2, 5)]
    # columns may be repeated and reordered
    (row,) = stages.select_columns([(np.array(1), np.array(2))], [1, 0, 1])
    assert tuple(map(int, row)) == (2, 1, 2)
    # the replacement is at the position of the first column
    assert stages.replace_columns(["a", "b", "c"], ["c", "b"], ["x", "y"]) == ["a", "x", "y"]
    assert stages.replace_columns(["a", "b"], ["a"], ["a"]) == ["a", "b"]
