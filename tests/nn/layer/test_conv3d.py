"""Convolution and transposed convolution of volumes, against sums of elements."""

import numpy as np

from minigraph import errors, nn, ops
from tests.nn.cells import tensor
from tests.ops.functional.checks import in_both_modes
from tests.tables import cases, error_cases, every

rng = np.random.default_rng(2)
X = rng.normal(size=(2, 4, 3, 4, 5))


def convolution(x, weight, stride, dilation, group, pads):
    """Element by element, in float64."""
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    kernel, inside = weight.shape[2:], weight.shape[1]
    moves = list(zip(x.shape[2:], kernel, stride, dilation, strict=True))
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in moves]
    y = np.zeros((len(x), len(weight), *sizes))
    for o, *position in np.ndindex(len(weight), *sizes):
        first = o // (len(weight) // group) * inside
        starts = zip(position, moves, strict=True)
        window = [slice(at * s, at * s + d * (k - 1) + 1, d) for at, (_, k, s, d) in starts]
        y[:, o, *position] = (x[:, first : first + inside, *window] * weight[o]).sum((1, 2, 3, 4))
    return y


@every(group=[1, 2])
@cases(
    ((1, 1, 1), (1, 1, 1), "valid", 0, ((0, 0),) * 3),
    ((1, 2, 3), (1, 1, 1), "pad", 1, ((1, 1),) * 3),
    ((2, 1, 1), (1, 2, 2), "pad", (0, 1, 1, 2, 2, 0), ((0, 1), (1, 2), (2, 0))),
    ((1, 1, 1), (1, 1, 1), "same", 0, ((0, 1), (1, 1), (0, 1))),
)
def test_convolution_is_a_sum_over_windows(group, stride, dilation, mode, padding, pads):
    weight = rng.normal(size=(6, 4 // group, 2, 3, 2))
    layer = nn.Conv3d(
        4, 6, (2, 3, 2), stride, mode, padding, dilation, group, has_bias=True, weight_init=tensor(weight),
        bias_init=2.0,
    )  # fmt: skip
    expected = convolution(X, weight, stride, dilation, group, pads) + 2
    np.testing.assert_allclose(in_both_modes(layer, tensor(X)), expected, 1e-4, 1e-5)


@every(group=[1, 2])
@cases(
    (1, 1, "valid", 0, 0),
    (2, 1, "same", 0, 0),
    ((1, 2, 3), 2, "pad", 1, (0, 1, 2)),
    ((4, 5, 2), 1, "valid", 0, 0),
    (2, 1, "pad", (0, 1, 1, 0, 1, 1), 1),
)
def test_the_transposed_convolution_is_the_adjoint(group, stride, dilation, mode, padding, extra):
    weight, x = rng.normal(size=(4, 6 // group, 3, 2, 3)), tensor(X)
    options = {"stride": stride, "dilation": dilation, "padding": padding, "pad_mode": mode, "group": group}
    up = nn.Conv3dTranspose(4, 6, (3, 2, 3), output_padding=extra, weight_init=tensor(weight), **options)
    down = nn.Conv3d(6, 4, (3, 2, 3), weight_init=tensor(weight), **options)
    y = tensor(in_both_modes(up, x))
    z = tensor(rng.normal(size=y.shape))
    assert down(z).shape == x.shape
    np.testing.assert_allclose((y * z).sum().item(), (x * down(z)).sum().item(), rtol=1e-4, atol=1e-3)


def test_bias_and_names():
    layer = nn.Conv3dTranspose(4, 6, (3, 2, 1), group=2, has_bias=True, bias_init=3.0, weight_init="zeros")
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("weight", (4, 3, 3, 2, 1)), ("bias", (6,))]
    assert (layer(tensor(X)).asnumpy() == 3.0).all()
    assert abs(nn.Conv3d(4, 6, 2).weight.asnumpy()).max() <= 32**-0.5
    assert repr(layer).startswith("Conv3dTranspose(input_channels=4, output_channels=6, kernel_size=(3, 2, 1)")
    assert repr(layer).endswith("format=NCDHW)")


test_invalid_arguments_raise = error_cases(
    ({"padding": 1}, "the 'pad' must be zero when 'pad_mode' is not 'pad'"),
    ({"pad_mode": "pad", "padding": (1, 2, 3)}, "'padding' is one int >= 0, or one for each of 6 sides"),
    ({"output_padding": 1}, "output_padding must be zero when pad_mode is 'same'"),
    ({"pad_mode": "pad", "output_padding": 1}, r"output_padding \(1, 1, 1\) must be below the stride \(1, 1, 1\)"),
    ({"group": 3}, "but got group:3, in_channels:4, out_channels:4"),
    ({"pad_mode": "full"}, "'pad_mode' must be str and must be in"),
    ({"stride": (1, 2)}, "stride must be an integer >= 1, or one for each of 3 axes"),
    ({"data_format": "NDHWC"}, "the 'data_format' must be 'NCDHW'"),
    by=lambda options: nn.Conv3dTranspose(4, 4, 3, **options),
    error=ValueError,
)


test_invalid_volumes_raise = error_cases(
    (lambda: nn.Conv3d(4, 4, 3)(ops.ones((1, 3, 2, 2, 2))), r"Conv3d: needs x\[N,4,D,H,W\], got shape"),
    (lambda: nn.Conv3d(4, 4, 3)(ops.ones((4, 2, 2, 2))), r"Conv3d: needs x\[N,4,D,H,W\], got shape \[4, 2, 2, 2\]"),
    (lambda: nn.Conv3d(4, 4, 3, pad_mode="valid")(ops.ones((1, 4, 2, 2, 2))), "larger than the padded volumes"),
    (lambda: nn.Conv3dTranspose(4, 4, 3)(ops.ones((1, 3, 2, 2, 2))), r"Conv3dTranspose: needs x\[N,4,D,H,W\]"),
    (lambda: nn.Conv3dTranspose(4, 4, 1, 1, "pad", 1)(ops.ones((1, 4, 2, 2, 2))), "removes all elements of an axis"),
    error=errors.ShapeError,
)
