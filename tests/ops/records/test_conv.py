"""Convolution against the sum it stands for."""

import itertools

import numpy as np
import pytest

from minigraph import Tensor, grad
from minigraph.errors import ShapeError, UsageError
from minigraph.ground.work import Macs
from minigraph.op import apply, op_named
from minigraph.ops.records.conv import Window, col2img, img2col, padding_of, pair_of
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


def test_img2col_and_col2img_are_adjoint():
    window = Window((2, 1), ((1, 0), (0, 1)), (1, 2), 1)
    x = RNG.normal(size=(2, 3, 5, 6))
    columns = img2col(x, (2, 2), window)
    other = RNG.normal(size=columns.shape)
    assert (columns * other).sum() == pytest.approx((x * col2img(other, x.shape, (2, 2), window)).sum())


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
