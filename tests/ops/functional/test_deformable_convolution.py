"""Deformable convolution: without offsets it is convolution, and whole offsets move pixels."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops

RNG = np.random.default_rng(0)
X, WEIGHT = Tensor(RNG.normal(size=(2, 4, 6, 5))), Tensor(RNG.normal(size=(2, 2, 3, 2)))
OPTIONS = {"dilations": (1, 1, 1, 2), "groups": 2, "deformable_groups": 2}


def offsets(dx=0.0, dy=0.0, scale=1.0):
    parts = np.broadcast_to(np.array([dx, dy, scale]).reshape(3, 1, 1, 1), (3, 12, 5, 2))
    return Tensor(np.stack([parts.reshape(36, 5, 2)] * 2))


def convolution(offsets):
    return ops.deformable_conv2d(X, WEIGHT, offsets, (3, 2), (1, 1, 1, 2), (0, 1, 1, 0), **OPTIONS)


def test_without_offsets_it_is_convolution():
    padded = ops.pad(X, (1, 0, 0, 1))
    expected = ops.conv2d(padded, WEIGHT, None, (1, 2), "valid", 0, (1, 2), 2).asnumpy()
    np.testing.assert_allclose(convolution(offsets()).asnumpy(), expected, atol=1e-12)
    np.testing.assert_allclose(convolution(offsets(scale=0.5)).asnumpy(), expected / 2, atol=1e-12)


def test_offsets_move_and_interpolate():
    moved, unmoved = convolution(offsets(dy=1.0)).asnumpy(), convolution(offsets()).asnumpy()
    np.testing.assert_allclose(moved[:, :, :-1], unmoved[:, :, 1:], atol=1e-12)
    half = convolution(offsets(dy=0.5)).asnumpy()
    np.testing.assert_allclose(half, (moved + unmoved) / 2, atol=1e-12)
    slope = ms.grad(lambda at: convolution(at).sum())(offsets(dy=0.25)).asnumpy()[:, 12:24].sum()
    step = (convolution(offsets(dy=0.26)).sum() - convolution(offsets(dy=0.24)).sum()).item() / 0.02
    assert slope == pytest.approx(step, rel=1e-6)


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match=r"offsets \[N,36,h,w\]"):
        convolution(offsets()[:, 1:])
    with pytest.raises(ValueError, match="modulated must be set to True"):
        ops.deformable_conv2d(X, WEIGHT, offsets(), (3, 2), (1,) * 4, (0,) * 4, modulated=False)
