"""Convolution against the sum it stands for."""

import itertools

import numpy as np
import pytest

from minigraph import Tensor, grad
from minigraph.errors import ShapeError, UsageError
from minigraph.ground.work import Macs
from minigraph.op import apply, op_named
from minigraph.ops.records.conv import padding_of, pair_of
from minigraph.types import type_of

RNG = np.random.default_rng(0)
SETTINGS = [
    {},
    {"stride": 2},
    {"padding": 1},
    {"padding": (0, 1, 2, 0), "stride": (2, 1)},
    {"dilation": (2, 1)},
    {"group": 2},
    {"group": 2, "padding": 1, "stride": 2, "dilation": 2},
]


def by_definition(x, w, stride=1, padding=0, dilation=1, group=1):
    (sy, sx), (dy, dx) = pair_of("", "", stride), pair_of("", "", dilation)
    x = np.pad(x, ((0, 0), (0, 0), *padding_of("", padding)))
    height = (x.shape[2] - dy * (w.shape[2] - 1) - 1) // sy + 1
    width = (x.shape[3] - dx * (w.shape[3] - 1) - 1) // sx + 1
    out = np.zeros((x.shape[0], w.shape[0], height, width))
    for o, i, j in itertools.product(range(w.shape[0]), range(height), range(width)):
        first = o // (w.shape[0] // group) * w.shape[1]
        rows = slice(i * sy, i * sy + dy * (w.shape[2] - 1) + 1, dy)
        columns = slice(j * sx, j * sx + dx * (w.shape[3] - 1) + 1, dx)
        seen = x[:, first : first + w.shape[1], rows, columns]
        out[:, o, i, j] = (seen * w[o]).sum((1, 2, 3))
    return out


@pytest.mark.parametrize("attrs", SETTINGS, ids=str)
def test_values(attrs):
    x, w = RNG.normal(size=(2, 4, 6, 7)), RNG.normal(size=(6, 4 // attrs.get("group", 1), 3, 2))
    found = apply("conv2d", Tensor(x), Tensor(w), **attrs).array
    np.testing.assert_allclose(found, by_definition(x, w, **attrs), rtol=1e-10)


@pytest.mark.parametrize("attrs", SETTINGS, ids=str)
def test_the_gradients_are_its_adjoints(attrs):
    x, w = RNG.normal(size=(2, 4, 6, 7)), RNG.normal(size=(6, 4 // attrs.get("group", 1), 3, 2))
    g = RNG.normal(size=by_definition(x, w, **attrs).shape)
    dx, dw = grad(lambda x, w: (apply("conv2d", x, w, **attrs) * Tensor(g)).sum(), (0, 1))(Tensor(x), Tensor(w))
    u, v = RNG.normal(size=x.shape), RNG.normal(size=w.shape)
    assert (dx.array * u).sum() == pytest.approx((by_definition(u, w, **attrs) * g).sum())
    assert (dw.array * v).sum() == pytest.approx((by_definition(x, v, **attrs) * g).sum())


LARGE = [
    ({}, (3, 8, 40, 40), (4, 8, 5, 5)),  # a few rows of results at a time
    ({"padding": 1}, (9, 4, 20, 20), (6, 4, 3, 3)),  # a few images at a time
    ({"padding": 1, "dilation": 2}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"padding": 1, "group": 2}, (9, 4, 20, 20), (6, 2, 3, 3)),
    ({"padding": 1, "stride": (2, 1)}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"stride": 3}, (9, 4, 20, 20), (6, 4, 3, 3)),
    ({"padding": 1}, (4, 64, 7, 7), (100, 64, 3, 3)),  # many filters, and narrow images
    ({}, (5, 64, 5, 5), (300, 64, 5, 5)),  # one pixel of results
]


@pytest.mark.parametrize(("attrs", "image", "kernel"), LARGE)
def test_large_images_and_kernels_go_in_blocks(attrs, image, kernel):
    x, w = RNG.normal(size=image), RNG.normal(size=kernel)
    want = by_definition(x, w, **attrs)
    np.testing.assert_allclose(apply("conv2d", Tensor(x), Tensor(w), **attrs).array, want, atol=1e-10)
    g = RNG.normal(size=want.shape)
    given = {"stride": 1, "padding": 0, "dilation": 1, "group": 1} | attrs
    dx = apply("conv2d_input_grad", Tensor(g), Tensor(w), shape=image, **given).array
    dw = apply("conv2d_weight_grad", Tensor(g), Tensor(x), shape=kernel, **given).array
    total = (want * g).sum()
    assert (dx * x).sum() == pytest.approx(total)
    assert (dw * w).sum() == pytest.approx(total)


def by_sums(g, x, w, stride=1, padding=1):
    """Both gradients by their definition, one product at a time."""
    border = ((0, 0), (0, 0), *padding_of("", padding))
    padded, (sy, sx) = np.pad(x, border), pair_of("", "", stride)
    dx, dw = np.zeros(padded.shape), np.zeros(w.shape)
    for n, o, y, z in np.ndindex(g.shape):
        place = n, slice(None), slice(sy * y, sy * y + w.shape[2]), slice(sx * z, sx * z + w.shape[3])
        dx[place] += g[n, o, y, z] * w[o]
        dw[o] += g[n, o, y, z] * padded[place]
    return dx[tuple(slice(low, n - high) for (low, high), n in zip(border, padded.shape, strict=True))], dw


@pytest.mark.parametrize("stride", [1, 2])
def test_what_is_not_finite_stays_where_it_belongs(stride):
    attrs = {"stride": stride, "padding": 1, "dilation": 1, "group": 1}
    x, w = RNG.normal(size=(2, 2, 8, 9)), RNG.normal(size=(3, 2, 3, 3))
    x[0, 0, 2, 8], w[1, 0, 0, 2] = np.inf, np.nan
    g = RNG.normal(size=by_definition(x, w, stride, 1).shape)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(apply("conv2d", Tensor(x), Tensor(w), **attrs).array, by_definition(x, w, stride, 1))
        want = by_sums(g, x, w, stride)
    dx = apply("conv2d_input_grad", Tensor(g), Tensor(w), shape=x.shape, **attrs).array
    dw = apply("conv2d_weight_grad", Tensor(g), Tensor(x), shape=w.shape, **attrs).array
    np.testing.assert_allclose(dx, want[0])
    np.testing.assert_allclose(dw, want[1])
    assert np.isfinite(dx).any() and np.isfinite(dw).any()


@pytest.mark.parametrize(
    ("x", "w", "attrs", "error", "words"),
    [
        ((1, 3, 4), (1, 3, 2, 2), {}, ShapeError, "needs x.N,C,H,W."),
        ((1, 3, 4, 4), (1, 2, 2, 2), {}, ShapeError, "do not fit in 1 group"),
        ((1, 3, 4, 4), (1, 3, 5, 5), {}, ShapeError, "larger than the padded image"),
        ((1, 3, 4, 4), (1, 3, 2, 2), {"stride": 0}, UsageError, "stride is one int or two, at least 1"),
        ((1, 3, 4, 4), (1, 3, 2, 2), {"padding": -1}, UsageError, "padding is one int or two, at least 0"),
        ((1, 3, 4, 4), (1, 3, 2, 2), {"group": 0}, UsageError, "group is an int from 1"),
    ],
)
def test_refusals(x, w, attrs, error, words):
    with pytest.raises(error, match=words):
        apply("conv2d", Tensor(np.ones(x)), Tensor(np.ones(w)), **attrs)


def test_work_counts_the_products_of_the_definition():
    x, w = np.ones((2, 4, 6, 6), np.float32), np.ones((8, 2, 3, 3), np.float32)
    out = apply("conv2d", Tensor(x), Tensor(w), group=2)
    attrs = op_named("conv2d").canonical(Tensor(x), Tensor(w), group=2)
    work = op_named("conv2d").work(out.type, type_of(x), type_of(w), **attrs)
    assert work.macs == (Macs(2, 2 * 4 * 4, 2 * 9, 4, 9, height=3, width=4),)
    assert work.macs[0].total == out.size * 2 * 9
    image, weight = type_of(x), type_of(w)
    for name, other, result in (("conv2d_input_grad", weight, image), ("conv2d_weight_grad", image, weight)):
        found = op_named(name).work(result, out.type, other, shape=result.shape, **attrs)
        assert found.macs[0].total == work.macs[0].total
