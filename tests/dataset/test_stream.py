"""Queries of a pipeline: names, sizes, shapes, types; and that they have no side effects."""

import numpy as np
import pytest

from minigraph.dataset import NumpySlicesDataset
from minigraph.dataset.stream import Stream


def source():
    return NumpySlicesDataset({"x": np.zeros((6, 2), np.float32), "n": np.arange(6)}, shuffle=False)


def test_shapes_types_and_sizes_describe_the_rows():
    # shapes and types come from the first row
    assert source().output_shapes() == [[2], []]
    assert source().output_types() == [np.dtype(np.float32), np.dtype(np.int64)]
    assert source().batch(4).output_shapes() == [[4, 2], [4]]
    assert source().project("n").map(lambda n: n / 2).output_types() == [np.dtype(np.float64)]
    with pytest.raises(ValueError, match="there are no rows"):
        source().skip(9).output_shapes()
    # a stage without a size counts its rows
    assert Stream(["n"], lambda rng: ((np.array(i),) for i in range(5))).get_dataset_size() == 5


def test_batch_size_and_repeats_are_found_behind_other_stages():
    data = source().batch(2).repeat(3).map(lambda x: x, "x").take(4)
    assert (data.get_batch_size(), data.get_repeat_count(), data.get_dataset_size()) == (2, 3, 4)
    assert (source().get_batch_size(), source().get_repeat_count()) == (1, 1)
    assert source().repeat().get_repeat_count() == -1
    assert source().batch(3).zip(NumpySlicesDataset([1], "m").batch(1)).get_batch_size() == 1


def test_queries_do_not_change_later_epochs():
    def orders(queries):
        data = NumpySlicesDataset(list(range(20)), "n")
        for _ in range(queries):
            data.output_shapes()
            data.output_types()
            data.get_dataset_size()
        return [[int(row[0]) for row in data] for _ in range(2)]

    assert orders(0) == orders(2)


def test_fresh_epochs_restores_the_epoch_counts_after_an_error():
    stage = Stream(["n"], lambda rng: iter([(rng.random(),)]))
    first = next(stage.epoch())
    with pytest.raises(ZeroDivisionError), stage.fresh_epochs():
        assert next(stage.epoch()) == first
        raise ZeroDivisionError
    assert next(stage.epoch()) != first
