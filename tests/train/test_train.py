"""The ``train`` namespace on real digits: one step as a Cell, in both modes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, train
from minigraph.dataset import load_digits


class Digits(nn.Cell):
    """8x8 images through a convolution with batch norm to ten scores."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.head = nn.Dense(8 * 4 * 4, 10)

    def construct(self, images):
        return self.head(self.features(images.reshape(-1, 1, 8, 8)).flatten(1))


def losses(mode, steps, make):
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net, digits = Digits(), load_digits()
    step = train.TrainOneStepCell(
        train.WithLossCell(net, nn.CrossEntropyLoss()), make(net.trainable_params())
    ).set_train()
    found = []
    for i in range(steps):
        rows = slice(i * 32, i * 32 + 32)
        found.append(step(Tensor(digits.images[rows]), Tensor(digits.labels[rows])).item())
    return found, [p.asnumpy() for p in net.get_parameters()]


@pytest.mark.parametrize("make", [lambda p: nn.Momentum(p, 0.05, 0.9), lambda p: nn.Adam(p, 0.01)])
def test_a_small_network_learns_digits_bit_for_bit_the_same_in_both_modes(make):
    eager, eager_weights = losses(ms.PYNATIVE_MODE, 25, make)
    compiled, compiled_weights = losses(ms.GRAPH_MODE, 25, make)
    assert np.mean(eager[-5:]) < 0.5 * eager[0]
    assert eager == compiled
    assert all(a.tobytes() == b.tobytes() for a, b in zip(eager_weights, compiled_weights, strict=True))


def test_train_and_nn_name_the_same_cells():
    assert {name: getattr(train, name) for name in train.__all__} == {name: getattr(nn, name) for name in train.__all__}
