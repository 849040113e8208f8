"""How much a class's score falls where a part of the input is covered: MindSpore's numbers."""

import numpy as np
import pytest

from minigraph import Tensor, nn
from minigraph.train import OcclusionSensitivity

WEIGHT = Tensor(np.array([[0.1, 0.8, 0.1, 0.1], [1, 1, 1, 1]], np.float32))
NET = nn.Dense(4, 2, WEIGHT, "zeros")
ROW = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)


def test_mindspores_numbers():
    metric = OcclusionSensitivity(n_batch=3)
    metric.update(NET, ROW, 1)
    np.testing.assert_allclose(metric.eval(), [0.3, 0.6, 1.0, 0.9], rtol=1e-5)
    part = OcclusionSensitivity(b_box=[1, 2])
    part.update(NET, ROW, 1)
    np.testing.assert_allclose(part.eval(), [0.6, 1.0], rtol=1e-5)


def test_errors():
    with pytest.raises(RuntimeError, match="update"):
        OcclusionSensitivity().eval()
    with pytest.raises(ValueError, match="one input"):
        OcclusionSensitivity().update(NET, np.ones((2, 4), np.float32), 1)
