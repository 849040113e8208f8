"""Convolutions against loops, image columns against convolutions, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, errors, ops
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from tests.ops.functional.checks import check_function, check_gradient, in_both_modes
from tests.references import convolve
from tests.tables import error_cases, every

GENERATOR = np.random.default_rng(0)
IMAGES = GENERATOR.normal(size=(2, 3, 5, 5))


@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(2, 1, 1), (3, 2, 1), (3, 3, 2), (1, 1, 1)])
def test_same_padding_gives_the_size_over_the_stride_rounded_up(kernel, stride, dilation):
    w = Tensor(np.ones((1, 3, kernel, kernel)))
    result = ops.conv2d(Tensor(IMAGES), w, stride=stride, pad_mode="same", dilation=dilation)
    assert result.shape == (2, 1, -(-5 // stride), -(-5 // stride))


def test_conv2d_same_padding_and_bias():
    # the odd pixel of same padding comes after
    w = np.zeros((1, 1, 2, 2))
    w[0, 0, 1, 1] = 1
    result = ops.conv2d(Tensor(IMAGES[:, :1]), Tensor(w), pad_mode="same").array
    assert np.array_equal(result[0, 0, :-1, :-1], IMAGES[0, 0, 1:, 1:])
    assert not result[0, 0, -1].any()
    # conv2d adds its bias per channel
    w, b = Tensor(np.zeros((4, 3, 1, 1))), Tensor(np.arange(4.0))
    assert ops.conv2d(Tensor(IMAGES), w, b).array[1, :, 2, 3].tolist() == [0.0, 1.0, 2.0, 3.0]


@every(
    call=[
        lambda: ops.conv2d(Tensor(IMAGES), Tensor(IMAGES), pad_mode="full"),
        lambda: ops.conv2d(Tensor(IMAGES), Tensor(IMAGES), padding=1),
    ]
)
def test_invalid_arguments_raise(call):
    with pytest.raises(errors.UsageError):
        call()


test_shapes_that_do_not_fit = error_cases(
    (lambda: ops.bias_add(Tensor(IMAGES), Tensor([1.0])), "bias_add"),
    (lambda: ops.bias_add(Tensor([1.0]), Tensor([1.0])), "bias_add"),
    error=errors.ShapeError,
)


RANDOM = np.random.default_rng(4)
ROWS, KERNEL1 = RANDOM.standard_normal((2, 4, 7)), RANDOM.standard_normal((6, 4, 3))
CUBE, KERNEL3 = RANDOM.standard_normal((1, 2, 4, 5, 4)), RANDOM.standard_normal((3, 2, 2, 3, 2))
BATCH = RANDOM.standard_normal((2, 4, 5, 4))
GEOMETRIES = [
    ({}, 1, 0, 1),
    ({"stride": 2}, 2, 0, 1),
    ({"pad_mode": "pad", "padding": 1}, 1, 1, 1),
    ({"pad_mode": "pad", "padding": 2, "dilation": 2}, 1, 2, 2),
]
TRANSPOSED = [{}, {"stride": 2}, {"padding": 1, "dilation": 2}, {"stride": 3, "output_padding": 2}]


@pytest.mark.parametrize(("options", "stride", "padding", "dilation"), GEOMETRIES)
@pytest.mark.parametrize("groups", [1, 2])
def test_conv1d(options, stride, padding, dilation, groups):
    kernel = KERNEL1[:, : 4 // groups]
    expected = convolve(ROWS, kernel, stride, [(padding, padding)], dilation, groups)
    call = partial(ops.conv1d, groups=groups, **options)
    check_function(call, expected, ROWS, kernel, gradient_at=(ROWS[:1, :, :5], kernel))


@pytest.mark.parametrize(("options", "stride", "padding", "dilation"), GEOMETRIES)
def test_conv3d(options, stride, padding, dilation):
    expected = convolve(CUBE, KERNEL3, stride, [(padding, padding)] * 3, dilation, 1)
    result = in_both_modes(lambda x, w: ops.conv3d(x, w, **options), Tensor(CUBE), Tensor(KERNEL3))
    np.testing.assert_allclose(result, expected, atol=1e-9)


def test_conv3d_same_padding():
    bias = Tensor(np.arange(3.0))
    volumes = ops.conv3d(Tensor(CUBE), Tensor(KERNEL3), bias, pad_mode="same").asnumpy()
    expected = convolve(CUBE, KERNEL3, 1, [(0, 1), (1, 1), (0, 1)], 1, 1) + np.arange(3.0).reshape(1, 3, 1, 1, 1)
    np.testing.assert_allclose(volumes, expected, atol=1e-9)
    check_gradient(lambda x, b: ops.conv3d(x, Tensor(KERNEL3), b, pad_mode="same"), CUBE[..., :2], np.arange(3.0))
    assert ops.conv1d(Tensor(ROWS), Tensor(KERNEL1), pad_mode="same", stride=2).shape == (2, 6, 4)


@pytest.mark.parametrize("options", TRANSPOSED)
def test_conv_transpose2d_is_the_gradient_of_conv2d(options):
    weight = RANDOM.standard_normal((4, 3, 2, 2))
    result = ops.conv_transpose2d(Tensor(BATCH), Tensor(weight), **options)
    plain = {name: value for name, value in options.items() if name != "output_padding"}
    mode = {"pad_mode": "pad"} if "padding" in plain else {}
    other = RANDOM.standard_normal(result.shape)
    there = ops.conv2d(Tensor(other), Tensor(weight), **plain, **mode).asnumpy()
    np.testing.assert_allclose((result.asnumpy() * other).sum(), (BATCH * there).sum(), rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"stride": 2}, {"padding": 1}, {"dilation": (2, 1), "padding": (1, 0)}])
def test_unfold_and_fold(options):
    columns = in_both_modes(lambda x: ops.unfold(x, (2, 3), **options), Tensor(BATCH))
    weight = np.eye(24).reshape(24, 4, 2, 3)
    mode = {"pad_mode": "pad"} if "padding" in options else {}
    if "padding" in options and isinstance(options["padding"], tuple):
        mode["padding"] = (1, 1, 0, 0)
    expected = ops.conv2d(Tensor(BATCH), Tensor(weight), **(options | mode)).asnumpy()
    np.testing.assert_allclose(columns, expected.reshape(2, 24, -1), atol=1e-12)
    other = RANDOM.standard_normal(columns.shape)
    back = in_both_modes(lambda c: ops.fold(c, (5, 4), (2, 3), **options), Tensor(other))
    np.testing.assert_allclose((columns * other).sum(), (BATCH * back).sum(), rtol=1e-9)
    check_gradient(lambda x: ops.unfold(x, (2, 3), **options), BATCH[:1, :1])
    check_gradient(lambda c: ops.fold(c, (5, 4), (2, 3), **options), other[:1, :6])


test_refusals_of_windows = error_cases(
    (lambda: ops.conv1d(Tensor(BATCH), Tensor(KERNEL1)), ShapeError, r"conv1d: needs sequences \[N,C,L\]"),
    (lambda: ops.conv3d(Tensor(ROWS), Tensor(KERNEL3)), ShapeError, r"conv3d: needs volumes \[N,C,D,H,W\]"),
    (lambda: ops.conv3d(Tensor(CUBE), Tensor(KERNEL3), pad_mode="full"), UsageError, "conv3d: pad_mode is 'valid'"),
    (
        lambda: ops.conv1d(Tensor(ROWS), Tensor(KERNEL1), stride=(1, 2)),
        ArgValueError,
        "conv1d: stride must be an integer >= 0",
    ),
    (lambda: ops.conv_transpose2d(Tensor(ROWS), Tensor(KERNEL1)), ShapeError, "conv_transpose2d: needs images"),
    (lambda: ops.unfold(Tensor(ROWS), 2), ShapeError, "unfold: needs images"),
    (lambda: ops.unfold(Tensor(BATCH), 6), ShapeError, r"unfold: a window of \[6, 6\] with dilation"),
    (lambda: ops.fold(Tensor(BATCH), (4, 4), 2), ShapeError, "fold: needs columns"),
    (lambda: ops.fold(Tensor(ROWS), (4, 4), 2), ShapeError, r"fold: needs columns \[N,C\*4,9\] for images of"),
)
