"""The generators behind the stages, each by itself."""

import itertools

import numpy as np
import pytest

from minigraph.dataset import stages


def rows(*numbers):
    return iter([(np.array(n),) for n in numbers])


def test_chunks_take_from_an_endless_source_only_what_they_need():
    source = ((np.array(n),) for n in itertools.count())
    first = next(stages.chunks(source, 3, False, 0))
    assert [int(row[0]) for row in first] == [0, 1, 2]
    assert int(next(source)[0]) == 3


def test_chunks_tell_a_function_which_one_it_is():
    told = []

    def size(info):
        told.append(tuple(info))
        return 2

    assert [len(chunk) for chunk in stages.chunks(rows(1, 2, 3), size, False, 7)] == [2, 1]
    assert told == [(0, 7), (1, 7), (2, 7)]


def test_rows_are_padded_set_side_by_side_picked_and_replaced():
    # padded cuts what is too long
    found = stages.padded([np.ones((1, 3)), np.ones((2, 1))], (2, 2), 5)
    assert [x.tolist() for x in found] == [[[1, 1], [5, 5]], [[1, 5], [1, 5]]]
    with pytest.raises(RuntimeError, match="rows of rank 1"):
        stages.padded([np.ones(1), np.ones((1, 1))], None, 0)
    # rows are set side by side picked and replaced
    # side by side ends with the shortest
    assert [tuple(map(int, row)) for row in stages.side_by_side([rows(1, 2, 3), rows(4, 5)])] == [(1, 4), (2, 5)]
    # picked may double and turn
    assert [tuple(map(int, row)) for row in stages.picked([(np.array(1), np.array(2))], [1, 0, 1])] == [(2, 1, 2)]
    # replaced stands where the first stood
    assert stages.replaced(["a", "b", "c"], ["c", "b"], ["x", "y"]) == ["a", "x", "y"]
    assert stages.replaced(["a", "b"], ["a"], ["a"]) == ["a", "b"]
