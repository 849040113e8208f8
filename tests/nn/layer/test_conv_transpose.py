"""Transposed convolution: every pixel adds its multiple of the kernel."""

import numpy as np

from minigraph import errors, nn, ops
from tests.nn.cells import assert_close, tensor
from tests.tables import cases, error_cases, every

rng = np.random.default_rng(1)
X = rng.normal(size=(2, 4, 3, 5))


def full_transposed_convolution(x, weight, stride, dilation, group):
    """Element by element, in float64, without cropping."""
    images, channels, *size = x.shape
    inside, kernel = weight.shape[1], weight.shape[2:]
    moves = list(zip(stride, dilation, kernel, strict=True))
    sizes = [(n - 1) * s + d * (k - 1) + 1 for n, (s, d, k) in zip(size, moves, strict=True)]
    y = np.zeros((images, inside * group, *sizes))
    for c, *position in np.ndindex(channels, *size):
        first = c // (channels // group) * inside
        ends = [slice(at * s, at * s + d * (k - 1) + 1, d) for at, (s, d, k) in zip(position, moves, strict=True)]
        y[:, first : first + inside, *ends] += x[:, c, *position].reshape(-1, 1, 1, 1) * weight[c]
    return y


def layer_of(weight, group, **options):
    sizes = weight.shape[1] * group, weight.shape[2:]
    return nn.Conv2dTranspose(4, *sizes, group=group, weight_init=tensor(weight), **options)


@every(group=[1, 2])
@cases(
    ((1, 1), (1, 1), (0, 0, 0, 0), (0, 0)),
    ((2, 3), (1, 1), (0, 1, 1, 0), (0, 0)),
    ((2, 3), (2, 1), (1, 1, 0, 2), (1, 2)),
    ((3, 2), (1, 2), (0, 0, 0, 0), (2, 1)),
)
def test_explicit_padding(group, stride, dilation, padding, extra):
    weight = rng.normal(size=(4, 3, 3, 2))
    options = {"stride": stride, "dilation": dilation, "padding": padding, "output_padding": extra}
    whole = np.pad(
        full_transposed_convolution(X, weight, stride, dilation, group), ((0, 0), (0, 0), (0, extra[0]), (0, extra[1]))
    )
    top, bottom, left, right = padding
    expected = whole[:, :, top : whole.shape[2] - bottom, left : whole.shape[3] - right]
    assert_close(layer_of(weight, group, pad_mode="pad", **options)(tensor(X)), expected, 1e-4, 1e-5)


@every(pad_mode=["same", "valid"], stride=[1, 2, 4])
def test_sizes_by_mode_and_the_adjoint_of_conv2d(pad_mode, stride):
    weight, x = rng.normal(size=(4, 3, 3, 3)), tensor(X)
    down = nn.Conv2d(3, 4, 3, stride, pad_mode, weight_init=tensor(weight))
    y = layer_of(weight, 1, pad_mode=pad_mode, stride=stride)(x)
    assert y.shape[2:] == tuple(n * stride + (max(3 - stride, 0) if pad_mode == "valid" else 0) for n in (3, 5))
    z = tensor(rng.normal(size=y.shape))
    assert down(z).shape == x.shape
    np.testing.assert_allclose((y * z).sum().item(), (x * down(z)).sum().item(), rtol=1e-4, atol=1e-4)


def test_bias_and_names():
    layer = nn.ConvTranspose2d(4, 6, (3, 2), group=2, has_bias=True, bias_init=3.0, weight_init="zeros")
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("weight", (4, 3, 3, 2)), ("bias", (6,))]
    assert (layer(tensor(X)).asnumpy() == 3.0).all()
    assert abs(nn.ConvTranspose2d(4, 6, 2).weight.asnumpy()).max() <= 24**-0.5


test_invalid_arguments_raise = error_cases(
    ({"padding": 1}, "the 'pad' must be zero when 'pad_mode' is not 'pad'"),
    ({"output_padding": 1}, "output_padding must be zero when pad_mode is 'same'"),
    ({"pad_mode": "pad", "output_padding": 1}, r"output_padding \(1, 1\) must be below the stride \(1, 1\)"),
    ({"group": 3}, "but got group:3, in_channels:4, out_channels:4"),
    ({"pad_mode": "full"}, "'pad_mode' must be str and must be in"),
    by=lambda options: nn.Conv2dTranspose(4, 4, 3, **options),
    error=ValueError,
)


test_invalid_images_raise = error_cases(
    (lambda: nn.Conv2dTranspose(4, 4, 3)(ops.ones((1, 3, 2, 2))), r"needs x\[N,4,H,W\], got shape \[1, 3, 2, 2\]"),
    (lambda: nn.Conv2dTranspose(4, 4, 1, 1, "pad", 1)(ops.ones((1, 4, 2, 2))), "removes all of 2 pixels"),
    error=errors.ShapeError,
)
