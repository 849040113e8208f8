"""Convolutions block by block are the same convolutions, for large images and kernels, and for what is not finite."""

import numpy as np
import pytest

from minigraph.accel.host import blas
from minigraph.accel.kernels import conv
from minigraph.accel.kernels.conv import conv2d, weight_grad
from minigraph.accel.kernels.conv import conv2d_input_grad as input_grad
from minigraph.operators.conv import padding_of, pair_of
from minigraph.operators.img2col import NO_PADDING
from tests.operators.convolving import by_definition, by_sums
from tests.tables import cases

RNG = np.random.default_rng(0)
GIVEN = {"stride": (1, 1), "padding": NO_PADDING, "dilation": (1, 1), "group": 1}


def spelled_out(**attrs):
    """Attributes as the forwards take them."""
    pairs = {name: pair_of("", "", attrs[name]) for name in ("stride", "dilation") if name in attrs}
    return GIVEN | attrs | pairs | ({"padding": padding_of("", attrs["padding"])} if "padding" in attrs else {})


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
def test_large_images_and_kernels_go_in_blocks(attrs, image, kernel):
    x, w = RNG.normal(size=image), RNG.normal(size=kernel)
    want, given = by_definition(x, w, **attrs), spelled_out(**attrs)
    np.testing.assert_allclose(conv2d(x, w, **given), want, atol=1e-10)
    g = RNG.normal(size=want.shape)
    dx = input_grad(g, w, shape=image, **given)
    dw = weight_grad(g, x, shape=kernel, **given)
    total = (want * g).sum()
    assert (dx * x).sum() == pytest.approx(total)
    assert (dw * w).sum() == pytest.approx(total)


@pytest.mark.parametrize("stride", [1, 2])
def test_what_is_not_finite_stays_where_it_belongs(stride):
    attrs = GIVEN | {"stride": (stride, stride), "padding": ((1, 1), (1, 1))}
    x, w = RNG.normal(size=(2, 2, 8, 9)), RNG.normal(size=(3, 2, 3, 3))
    x[0, 0, 2, 8], w[1, 0, 0, 2] = np.inf, np.nan
    g = RNG.normal(size=by_definition(x, w, stride, 1).shape)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(conv2d(x, w, **attrs), by_definition(x, w, stride, 1))
        want = by_sums(g, x, w, stride)
    dx = input_grad(g, w, shape=x.shape, **attrs)
    dw = weight_grad(g, x, shape=w.shape, **attrs)
    np.testing.assert_allclose(dx, want[0])
    np.testing.assert_allclose(dw, want[1])
    assert np.isfinite(dx).any() and np.isfinite(dw).any()


@cases((16, 1, True), (17, 1, False), (34, 2, False), (32, 2, True))
def test_products_of_few_filters_are_made_on_one_thread(monkeypatch, filters, group, is_alone):
    threads = [2]
    pool = blas.Pool(lambda: threads[-1], threads.append)
    monkeypatch.setattr(blas, "pool", lambda: pool)
    x, w = np.ones((20, 2, 4, 4), np.float32), np.ones((filters, 2 // group, 3, 3), np.float32)
    g, attrs = np.ones((20, filters, 2, 2), np.float32), GIVEN | {"group": group}
    seen = []
    counted = conv._on_few_threads(lambda *given, **attrs: seen.append(threads[-1]))
    counted(x, w, **attrs)
    counted(g, w, shape=x.shape, **attrs)
    counted(g, x, shape=w.shape, **attrs)
    assert seen == [1 if is_alone else 2] * 3 and threads[-1] == 2
