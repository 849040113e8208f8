"""Convolution over sequences against the direct sum."""

import numpy as np

from minigraph import Tensor, errors, nn, ops
from tests.nn.cells import assert_close, tensor
from tests.references import convolve
from tests.tables import cases, error_cases

rng = np.random.default_rng(1)


@cases(
    ({"pad_mode": "valid"}, (0, 0)),
    ({}, (1, 1)),
    ({"stride": 2}, (1, 1)),
    ({"stride": 3}, (0, 1)),
    ({"pad_mode": "pad", "padding": 2, "dilation": 2}, (2, 2)),
    ({"pad_mode": "pad", "padding": 1, "group": 2, "stride": 2}, (1, 1)),
)
def test_conv1d_is_the_direct_sum(options, ends):
    stride, dilation, group = (options.get(name, 1) for name in ("stride", "dilation", "group"))
    x, weight = rng.normal(size=(2, 4, 8 if ends == (0, 1) else 7)), rng.normal(size=(6, 4 // group, 3))
    layer = nn.Conv1d(4, 6, 3, weight_init=tensor(weight), **options)
    assert_close(layer(tensor(x)), convolve(x, weight, stride, [ends], dilation, group), 1e-4, 1e-5)


def test_parameters_equal_mindspore():
    layer = nn.Conv1d(4, 6, 3, has_bias=True, bias_init=2.0)
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("weight", (6, 4, 1, 3)), ("bias", (6,))]
    assert abs(layer.weight.asnumpy()).max() <= 12**-0.5
    assert layer(Tensor(np.zeros((1, 4, 5), np.float32))).asnumpy().tolist() == [[[2.0] * 5] * 6]


test_invalid_arguments_raise = error_cases(
    (lambda: nn.Conv1d(1, 1, 3, padding=2), ValueError, "For 'Conv1d', the 'pad' must be zero when .* got 'pad': 2"),
    (lambda: nn.Conv1d(1, 1, 0), ValueError, "For 'Conv1d', the 'kernel_size' must be int and must > 0"),
    (lambda: nn.Conv1d(1, 1, 3)(ops.ones((1, 1, 4, 4))), errors.ShapeError, r"Conv1d: needs x\[N,C,L\]"),
)
