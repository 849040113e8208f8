"""Conv2d against direct sums in numpy, over windows, padding and groups."""

import numpy as np
import pytest

from minigraph import Tensor, errors, nn, ops, set_seed
from tests.nn.cells import assert_close
from tests.references import convolve
from tests.tables import cases, error_cases, every

rng = np.random.default_rng(0)


@cases(
    (nn.Conv2d(4, 6, 3), ((1, 1), (1, 1))),
    (nn.Conv2d(4, 6, 3, stride=2), ((1, 1), (0, 1))),
    (nn.Conv2d(4, 6, 3, pad_mode="valid", has_bias=True), ((0, 0), (0, 0))),
    (nn.Conv2d(4, 6, (2, 3), (1, 2), "pad", (1, 0, 2, 1), (2, 1)), ((1, 0), (2, 1))),
    (nn.Conv2d(4, 6, 3, pad_mode="pad", padding=2, group=2), ((2, 2), (2, 2))),
    (nn.Conv2d(4, 4, 3, dilation=2, group=4), ((2, 2), (2, 2))),
)
def test_conv2d_is_the_direct_sum(layer, padding):
    x = rng.normal(size=(2, 4, 7, 8)).astype(np.float32)
    expected = convolve(x, layer.weight.asnumpy(), layer.stride, padding, layer.dilation, layer.group)
    bias = layer.bias.asnumpy()[:, None, None] if layer.has_bias else 0
    assert_close(layer(Tensor(x)), expected + bias, 1e-4, 1e-5)


@every(kernel=[1, 2, 3, 5], stride=[1, 2, 3])
def test_same_keeps_one_result_per_stride(kernel, stride):
    for size in range(1, 9):
        result = nn.Conv2d(1, 1, kernel, stride)(ops.ones((1, 1, size, size)))
        assert result.shape == (1, 1, -(-size // stride), -(-size // stride))


def test_weights_start_within_the_fan_in_and_layers_print_their_window():
    # weights start within the fan in
    set_seed(0)
    weight = nn.Conv2d(8, 64, 3, group=2).weight.asnumpy()
    bound = 1 / np.sqrt(4 * 9)
    assert weight.shape == (64, 4, 3, 3)
    assert 0.95 * bound < np.abs(weight).max() <= bound
    # layers print their window
    assert repr(nn.Conv2d(3, 4, 3, has_bias=True, weight_init="ones", bias_init=0)) == (
        "Conv2d(input_channels=3, output_channels=4, kernel_size=(3, 3), stride=(1, 1), pad_mode=same, padding=0, "
        "dilation=(1, 1), group=1, has_bias=True, weight_init=ones, bias_init=0, format=NCHW)"
    )
    assert "padding=(1, 2, 0, 1), " in repr(nn.Conv2d(3, 4, 3, pad_mode="pad", padding=(1, 2, 0, 1)))
    assert "bias_init=None" in repr(nn.Conv2d(3, 4, 3))


def conv_of(wrong):
    return nn.Conv2d(**({"in_channels": 3, "out_channels": 4, "kernel_size": 3} | wrong))


test_invalid_arguments_raise = error_cases(
    ({"pad_mode": "full"}, ValueError, "the 'pad_mode' must be str and must be in .*, 'pad'.', but got 'full'"),
    ({"pad_mode": "valid", "padding": 1}, ValueError, "the 'pad' must be zero when .* not 'pad', but got 'pad': 1"),
    ({"data_format": "NHWC"}, ValueError, "the 'data_format' must be 'NCHW'"),
    ({"stride": 0}, ValueError, "stride is one int or two, at least 1"),
    ({"in_channels": 0}, ValueError, "the 'in_channels' must be int and must > 0, but got '0' with type 'int'"),
    ({"out_channels": 1.5}, TypeError, "the 'out_channels' must be int, but got 'float'"),
    ({"group": 2}, ValueError, "but got group:2, in_channels:3, out_channels:4"),
    ({"kernel_size": 0}, ValueError, "Conv2d: kernel_size is one int or two"),
    by=conv_of,
)


def test_images_of_another_rank_raise():
    with pytest.raises(errors.ShapeError):
        nn.Conv2d(3, 4, 3)(ops.ones((3, 8, 8)))


def test_a_subclass_convolves_with_another_weight():
    class Standardized(nn.Conv2d):
        def construct(self, x):
            return self.conv2d(x, self.weight - self.weight.mean((1, 2, 3), True))

    net, x = Standardized(2, 3, 3, pad_mode="pad", padding=1, has_bias=True), ops.randn((1, 2, 5, 5))
    weight = net.weight - net.weight.mean((1, 2, 3), True)
    assert np.array_equal(net(x).array, ops.conv2d(x, weight, None, 1, "pad", 1).array)
