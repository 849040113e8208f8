"""Convolution by blocked im2col: equal to the definition, for large images and kernels, and for infinities and NaN."""

import numpy as np
import pytest

from minigraph.accel.host import blas
from minigraph.accel.kernels import conv
from minigraph.accel.kernels.conv import conv2d, weight_grad
from minigraph.accel.kernels.conv import conv2d_input_grad as input_grad
from minigraph.operators.conv import padding_of, pair_of
from minigraph.operators.im2col import NO_PADDING
from tests.operators.convolutions import by_definition, by_sums
from tests.tables import cases

RNG = np.random.default_rng(0)
ATTRS = {"stride": (1, 1), "padding": NO_PADDING, "dilation": (1, 1), "group": 1}


def canonical(**attrs):
    """The attributes in the form that forwards take."""
    pairs = {name: pair_of("", "", attrs[name]) for name in ("stride", "dilation") if name in attrs}
    return ATTRS | attrs | pairs | ({"padding": padding_of("", attrs["padding"])} if "padding" in attrs else {})


@cases(
    ({}, (3, 8, 40, 40), (4, 8, 5, 5)),  # a few rows of results at a time
    ({"padding": 1}, (9, 4, 20, 20), (6, 4, 3, 3)),  # a few images at a time
    ({"padding": 1, "dilation": 2}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"padding": 1, "group": 2}, (9, 4, 20, 20), (6, 2, 3, 3)),
    ({"padding": 1, "stride": (2, 1)}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"stride": 3}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"padding": 1}, (4, 64, 7, 7), (100, 64, 3, 3)),  # many filters, and narrow images
    ({}, (5, 64, 5, 5), (300, 64, 5, 5)),  # one pixel of results
)
def test_large_images_and_kernels_are_computed_in_blocks(attrs, image, kernel):
    x, w = RNG.normal(size=image), RNG.normal(size=kernel)
    expected, full = by_definition(x, w, **attrs), canonical(**attrs)
    np.testing.assert_allclose(conv2d(x, w, **full), expected, atol=1e-10)
    g = RNG.normal(size=expected.shape)
    dx = input_grad(g, w, shape=image, **full)
    dw = weight_grad(g, x, shape=kernel, **full)
    total = (expected * g).sum()
    assert (dx * x).sum() == pytest.approx(total)
    assert (dw * w).sum() == pytest.approx(total)


@pytest.mark.parametrize("stride", [1, 2])
def test_infinities_and_nan_reach_only_their_results(stride):
    attrs = ATTRS | {"stride": (stride, stride), "padding": ((1, 1), (1, 1))}
    x, w = RNG.normal(size=(2, 2, 8, 9)), RNG.normal(size=(3, 2, 3, 3))
    x[0, 0, 2, 8], w[1, 0, 0, 2] = np.inf, np.nan
    g = RNG.normal(size=by_definition(x, w, stride, 1).shape)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(conv2d(x, w, **attrs), by_definition(x, w, stride, 1))
        expected = by_sums(g, x, w, stride)
    dx = input_grad(g, w, shape=x.shape, **attrs)
    dw = weight_grad(g, x, shape=w.shape, **attrs)
    np.testing.assert_allclose(dx, expected[0])
    np.testing.assert_allclose(dw, expected[1])
    assert np.isfinite(dx).any() and np.isfinite(dw).any()


@cases((16, 1, True), (17, 1, False), (34, 2, False), (32, 2, True))
def test_products_of_few_filters_run_on_one_thread(monkeypatch, filters, group, is_single):
    threads = [2]
    pool = blas.BlasThreads(lambda: threads[-1], threads.append)
    monkeypatch.setattr(blas, "blas_threads", lambda: pool)
    x, w = np.ones((20, 2, 4, 4), np.float32), np.ones((filters, 2 // group, 3, 3), np.float32)
    g, attrs = np.ones((20, filters, 2, 2), np.float32), ATTRS | {"group": group}
    seen = []
    counted = conv._limit_blas_threads(lambda *operands, **attrs: seen.append(threads[-1]))
    counted(x, w, **attrs)
    counted(g, w, shape=x.shape, **attrs)
    counted(g, x, shape=w.shape, **attrs)
    assert seen == [1 if is_single else 2] * 3 and threads[-1] == 2
