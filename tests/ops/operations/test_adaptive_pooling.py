"""Primitives of adaptive pooling."""

import numpy as np

from minigraph import Tensor, ops


def test_volumes():
    volume = Tensor(np.arange(64.0).reshape(1, 1, 4, 4, 4))
    assert ops.AdaptiveAvgPool3D(2)(volume).tolist()[0][0][0][0] == [10.5, 12.5]  # MindSpore 2.10
    assert ops.AdaptiveMaxPool3D()(volume, Tensor([2, 2, 2]))[1].tolist()[0][0][1][1] == [61, 63]
