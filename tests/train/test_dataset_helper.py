"""Rows of a dataset for a training loop of the user."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.dataset import NumpySlicesDataset


def test_one_epoch_of_rows():
    helper = ms.train.DatasetHelper(
        NumpySlicesDataset({"x": np.ones((3, 2), np.float32)}, shuffle=False).batch(2), False
    )
    assert [row[0].shape for row in helper] == [(2, 2), (1, 2)]
    assert helper.types_shapes() == ([ms.float32], [[2, 2]]) and helper.sink_size() == 1
    with pytest.raises(TypeError, match="expected a dataset"):
        ms.train.DatasetHelper([1])
