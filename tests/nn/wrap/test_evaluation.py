"""The evaluation Cell: loss, outputs and label of a batch."""

import numpy as np

from minigraph import Tensor, float16, float32, nn


def test_what_metrics_look_at():
    net = nn.Dense(3, 2)
    x, y = Tensor(np.ones((4, 3), np.float32)), Tensor(np.zeros((4, 2), np.float32))
    loss, outputs, label = nn.WithEvalCell(net, nn.MSELoss())(x, y)
    assert outputs.asnumpy().tobytes() == net(x).asnumpy().tobytes()
    assert loss.item() == nn.MSELoss()(net(x), y).item()
    assert label.asnumpy().tobytes() == y.asnumpy().tobytes()


def test_the_parameters_keep_their_names():
    net = nn.Dense(3, 2)
    assert [p.name for p in nn.WithEvalCell(net, nn.MSELoss()).get_parameters()] == ["weight", "bias"]


def test_in_float32_when_asked():
    x = Tensor(np.ones((4, 3), np.float16))
    kinds = [nn.WithEvalCell(nn.Identity(), nn.MSELoss(), cast)(x, x)[1].dtype for cast in (False, True)]
    assert kinds == [float16, float32]
