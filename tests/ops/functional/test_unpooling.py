"""Unpooling undoes pooling; the transposed convolution of volumes is the adjoint of the convolution."""

import numpy as np
import pytest

from minigraph import Tensor, grad, ops
from tests.ops.functional.checks import in_both_modes
from tests.tables import error_cases, every

RNG = np.random.default_rng(6)


def test_mindspores_numbers():
    images = ops.max_unpool2d(Tensor([[[[6.0, 8.0]]]]), Tensor([[[[5, 7]]]]), 2)
    assert images.tolist() == [[[[0, 0, 0, 0], [0, 6, 0, 8]]]]
    assert ops.max_unpool1d(Tensor([[[6.0, 8.0]]]), Tensor([[[1, 3]]]), 2).tolist() == [[[0, 6, 0, 8]]]


@pytest.mark.parametrize("axes", [2, 3])
def test_maxima_return_to_their_positions(axes):
    x = Tensor(RNG.normal(size=(2, 3, *[4] * axes)))
    pool, unpool = (getattr(ops, f"max_{name}pool{axes}d") for name in ("", "un"))
    maxima, at = pool(x, 2, return_indices=True)
    back = unpool(maxima, at, 2)
    assert back.shape == x.shape
    np.testing.assert_array_equal(back.asnumpy(), np.where(back.asnumpy() != 0, x.asnumpy(), 0))
    assert (back.asnumpy() != 0).sum() == maxima.size
    assert grad(lambda m: (unpool(m, at, 2) * x).sum())(maxima).tolist() == maxima.tolist()
    assert unpool(maxima, at, 2, output_size=(*[5] * axes,)).shape == (2, 3, *[5] * axes)


@every(stride=(1, 2), dilation=(1, 2), padding=(0, 1), group=(1, 2))
def test_transposed_convolution_is_the_adjoint(stride, dilation, padding, group):
    x, weight = Tensor(RNG.normal(size=(1, 4, 6, 6, 6))), Tensor(RNG.normal(size=(6, 4 // group, 2, 3, 2)))
    options = {"stride": stride, "dilation": dilation, "pad_mode": "pad", "padding": padding}
    y = ops.conv3d(x, weight, groups=group, **options)
    g = Tensor(RNG.normal(size=y.shape))
    adjoint = grad(lambda x: (ops.conv3d(x, weight, groups=group, **options) * g).sum())(x)
    small = ops.conv3d_transpose(g, weight, group=group, **options).shape
    extras = tuple(n - m for n, m in zip(x.shape[2:], small[2:], strict=True))
    back = ops.conv3d_transpose(g, weight, group=group, output_padding=extras, **options)
    np.testing.assert_allclose(back.asnumpy(), adjoint.asnumpy(), atol=1e-12)


def test_padding_modes():
    x, weight = ops.ones((1, 1, 2, 2, 2)), ops.ones((1, 1, 3, 3, 3))
    assert ops.conv3d_transpose(x, weight, "same", stride=2).shape == (1, 1, 4, 4, 4)
    assert ops.conv3d_transpose(x, weight, "pad", (1, 0, 0, 0, 0, 0)).shape == (1, 1, 3, 4, 4)
    biased = in_both_modes(lambda x: ops.conv3d_transpose(x, weight, bias=Tensor([1.0])), x)
    assert biased.min() == 2 and biased.max() == 9


test_errors = error_cases(
    (lambda: ops.max_unpool2d(Tensor([1.0]), Tensor([1]), 2), ValueError, "rank 4"),
    (lambda: ops.conv3d_transpose(Tensor([1.0]), Tensor([1.0])), ValueError, "needs volumes"),
    (lambda: ops.conv3d_transpose(ops.ones((1,) * 5), ops.ones((1,) * 5), "full"), ValueError, "pad_mode is"),
)
