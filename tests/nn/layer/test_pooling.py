"""Pooling against a loop over windows in numpy, for strides, padding and dilation."""

import itertools
import math

import numpy as np
import pytest

from minigraph import Tensor, errors, nn
from tests.nn.cells import assert_close, tensor
from tests.tables import cases, error_cases, every

rng = np.random.default_rng(5)


def pool(x, kernel, stride, before, after, dilation, reduce):
    """``reduce`` of the pixels of each window that are inside, along one axis."""
    result = []
    for start in range(-before, len(x) + after - dilation * (kernel - 1), stride):
        positions = range(start, start + dilation * (kernel - 1) + 1, dilation)
        result.append(reduce([x[i] for i in positions if 0 <= i < len(x)]))
    return result


def extra_padding(size, kernel, stride, padding, dilation):
    """The padding of ``ceil_mode`` for a last window that begins inside the image or its leading padding."""
    free = size + 2 * padding - dilation * (kernel - 1) - 1
    last = -(-free // stride) * stride
    return last - free if last < size + padding else 0


WINDOWS = [
    (size, kernel, stride, padding, ceil_mode)
    for size, kernel, stride in itertools.product((5, 6, 8), (2, 3), (1, 2, 3))
    for padding, ceil_mode in itertools.product((0, 1), (False, True))
]


@every(dilation=[1, 2])
def test_max_pool_never_selects_padding(dilation):
    for size, kernel, stride, padding, ceil_mode in WINDOWS:
        x = rng.normal(size=size).astype(np.float32) - 5
        extra = extra_padding(size, kernel, stride, padding, dilation) if ceil_mode else 0
        layer = nn.MaxPool1d(kernel, stride, "pad", padding, dilation, False, ceil_mode)
        expected = pool(x, kernel, stride, padding, padding + extra, dilation, max)
        assert layer(Tensor(x.reshape(1, 1, -1))).asnumpy().ravel().tolist() == expected


@every(count_include_pad=[True, False])
def test_avg_pool_divides_by_the_pixels_that_count(count_include_pad):
    for size, kernel, stride, padding, ceil_mode in WINDOWS:
        x = rng.normal(size=size).astype(np.float32)
        extra = extra_padding(size, kernel, stride, padding, 1) if ceil_mode else 0
        counted, border = (np.pad(x, padding), 0) if count_include_pad else (x, padding)
        layer = nn.AvgPool1d(kernel, stride, "pad", padding, ceil_mode, count_include_pad)
        expected = pool(counted, kernel, stride, border, border + extra, 1, np.mean)
        assert_close(layer(Tensor(x.reshape(1, 1, -1))).ravel(), expected)


def test_images_are_pooled_along_both_axes():
    # images are pooled along both axes
    x = rng.normal(size=(1, 2, 7, 6)).astype(np.float32)
    both = nn.MaxPool2d((2, 3), (2, 1), "pad", (1, 0), (1, 2))(Tensor(x)).asnumpy()
    rows = nn.MaxPool1d(2, 2, "pad", 1)(Tensor(x.swapaxes(2, 3).reshape(1, -1, 7))).asnumpy().reshape(1, 2, 6, -1)
    columns = nn.MaxPool1d(3, 1, "pad", 0, 2)(Tensor(rows.swapaxes(2, 3).reshape(1, -1, 6))).asnumpy()
    assert np.array_equal(both.ravel(), columns.ravel())
    # pools over plain windows
    x = rng.normal(size=(2, 3, 4, 6)).astype(np.float32)
    windows = x.reshape(2, 3, 2, 2, 3, 2)
    assert_close(nn.MaxPool2d(2, 2)(Tensor(x)), windows.max((3, 5)), 0, 0)
    assert_close(nn.AvgPool2d(2, 2)(Tensor(x)), windows.mean((3, 5)))


def test_divisors_padding_and_repr():
    # a divisor replaces the count
    x = Tensor(np.ones((1, 1, 4, 4), np.float32))
    assert (nn.AvgPool2d(2, 2, divisor_override=2)(x).asnumpy() == 2.0).all()
    assert nn.AvgPool2d(2, 2, "pad", 1, divisor_override=8)(x).asnumpy()[0, 0].tolist()[0] == [0.125, 0.25, 0.125]
    # max pool never takes the border and avg pool counts by mode
    x = Tensor(np.full((1, 1, 3, 3), -1.0, np.float32))
    assert (nn.MaxPool2d(2, 1, "pad", 1)(x).asnumpy() == -1.0).all()
    assert (nn.AvgPool2d(2, 1, "same")(x).asnumpy() == -1.0).all()
    assert nn.AvgPool2d(2, 1, "pad", 1)(x).asnumpy()[0, 0, 0, 0] == -0.25
    # layers print their window as given
    assert repr(nn.MaxPool2d(2, 1)) == "MaxPool2d(kernel_size=2, stride=1, pad_mode=VALID)"
    assert repr(nn.AvgPool2d((2, 3), 1, "same")) == "AvgPool2d(kernel_size=(2, 3), stride=1, pad_mode=SAME)"
    assert repr(nn.MaxPool1d(3, 2)) == "MaxPool1d(kernel_size=(1, 3), stride=(1, 2), pad_mode=VALID)"


@cases((nn.MaxPool2d, 2), (nn.AvgPool2d, 2), (nn.MaxPool1d, 1), (nn.AvgPool1d, 1))
def test_an_image_or_a_sequence_without_a_batch_stays_without(kind, rank):
    x = tensor(rng.normal(size=(3, *(6,) * rank)))
    assert np.array_equal(kind(2, 2)(x).asnumpy(), kind(2, 2)(x.expand_dims(0)).asnumpy()[0])


@every(kernel=[1, 2, 3, 5], stride=[1, 2, 3])
def test_same_keeps_one_result_per_stride(kernel, stride):
    for size in range(1, 9):
        x = Tensor(np.ones((1, 1, size, size), np.float32))
        for kind in (nn.MaxPool2d, nn.AvgPool2d):
            result = kind(kernel, stride, "same")(x)
            assert result.shape == (1, 1, math.ceil(size / stride), math.ceil(size / stride))
            assert (result.asnumpy() == 1.0).all()


@pytest.mark.parametrize("kind", [nn.MaxPool2d, nn.AvgPool2d])
@cases(
    ({"pad_mode": "full"}, "the 'pad_mode' must be str and must be in"),
    ({"pad_mode": "valid", "padding": 1}, "must be zero when 'pad_mode' is not 'pad', but got 'pad': 1"),
    ({"data_format": "NHWC"}, "the 'data_format' must be 'NCHW'"),
    ({"stride": 0}, "stride is one int or two, at least 1"),
)
def test_invalid_windows_raise(kind, options, text):
    with pytest.raises(ValueError, match=text):
        kind(**options)


test_invalid_arguments_raise = error_cases(
    (lambda: nn.MaxPool2d(2, ceil_mode=True), "dilation and ceil_mode need pad_mode 'pad', but got 'valid'"),
    (lambda: nn.MaxPool2d(2, return_indices=True), "return_indices is not supported"),
    (lambda: nn.AvgPool2d(2, divisor_override=0), "'divisor_override' must be > 0, but got 0"),
    (lambda: nn.MaxPool1d(0), "the 'kernel_size' must be int and must > 0"),
    error=ValueError,
)


@pytest.mark.parametrize("layer", [nn.MaxPool2d(2), nn.AvgPool2d(2, pad_mode="same"), nn.MaxPool1d(2), nn.AvgPool1d(2)])
def test_inputs_of_another_rank_raise(layer):
    with pytest.raises(errors.ShapeError):
        layer(Tensor(np.ones(8, np.float32)))
