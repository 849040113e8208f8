"""Convolution over sequences against the sum it stands for."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn

rng = np.random.default_rng(1)


def convolved(x, weight, stride, ends, dilation, group):
    """Element by element, in float64; ``weight`` [O, C/group, k]."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), ends))
    out, inside, size = weight.shape
    steps = (x.shape[2] - dilation * (size - 1) - 1) // stride + 1
    y = np.zeros((len(x), out, steps))
    for o in range(out):
        first = o // (out // group) * inside
        for t in range(steps):
            window = x[:, first : first + inside, t * stride : t * stride + dilation * (size - 1) + 1 : dilation]
            y[:, o, t] = (window * weight[o]).sum((1, 2))
    return y


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ({"pad_mode": "valid"}, (0, 0)),
        ({}, (1, 1)),
        ({"stride": 2}, (1, 1)),
        ({"stride": 3}, (0, 1)),
        ({"pad_mode": "pad", "padding": 2, "dilation": 2}, (2, 2)),
        ({"pad_mode": "pad", "padding": 1, "group": 2, "stride": 2}, (1, 1)),
    ],
)
def test_the_sum(options, ends):
    x, weight = (
        rng.normal(size=(2, 4, 8 if ends == (0, 1) else 7)),
        rng.normal(size=(6, 4 // options.get("group", 1), 3)),
    )
    layer = nn.Conv1d(4, 6, 3, weight_init=Tensor(weight.astype(np.float32)), **options)
    found = layer(Tensor(x.astype(np.float32))).asnumpy()
    wanted = convolved(x, weight, options.get("stride", 1), ends, options.get("dilation", 1), options.get("group", 1))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_parameters_are_those_of_mindspore():
    layer = nn.Conv1d(4, 6, 3, has_bias=True, bias_init=2.0)
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("weight", (6, 4, 1, 3)), ("bias", (6,))]
    assert abs(layer.weight.asnumpy()).max() <= 12**-0.5
    assert layer(Tensor(np.zeros((1, 4, 5), np.float32))).asnumpy().tolist() == [[[2.0] * 5] * 6]


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="For 'Conv1d', the 'pad' must be zero when .* but got 'pad': 2"):
        nn.Conv1d(1, 1, 3, padding=2)
    with pytest.raises(ValueError, match="For 'Conv1d', the 'kernel_size' must be int and must > 0"):
        nn.Conv1d(1, 1, 0)
    with pytest.raises(ms.errors.ShapeError, match=r"Conv1d: needs x\[N,C,L\]"):
        nn.Conv1d(1, 1, 3)(ms.ops.ones((1, 1, 4, 4)))
