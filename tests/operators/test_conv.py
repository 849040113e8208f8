"""Convolution against its definition."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad
from minigraph.core.op import apply, op_named
from minigraph.core.op_fields import Macs
from minigraph.core.types import type_of
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from tests.operators.convolutions import by_definition, by_sums
from tests.tables import error_cases, every

RNG = np.random.default_rng(0)
ATTRS = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "group": 1}
SETTINGS = [
    {},
    {"stride": 2},
    {"padding": 1},
    {"padding": (0, 1, 2, 0), "stride": (2, 1)},
    {"dilation": (2, 1)},
    {"group": 2},
    {"group": 2, "padding": 1, "stride": 2, "dilation": 2},
]


def operands(attrs):
    """An image and a weight."""
    return RNG.normal(size=(2, 4, 6, 7)), RNG.normal(size=(6, 4 // attrs.get("group", 1), 3, 2))


@every(attrs=SETTINGS, ids=str)
def test_values_and_gradients_as_adjoints(attrs):
    x, w = operands(attrs)
    result, expected = apply("conv2d", Tensor(x), Tensor(w), **attrs).array, by_definition(x, w, **attrs)
    np.testing.assert_allclose(result, expected, rtol=1e-10)
    g = RNG.normal(size=expected.shape)
    dx, dw = grad(lambda x, w: (apply("conv2d", x, w, **attrs) * Tensor(g)).sum(), (0, 1))(Tensor(x), Tensor(w))
    u, v = operands(attrs)
    assert (dx.array * u).sum() == pytest.approx((by_definition(u, w, **attrs) * g).sum())
    assert (dw.array * v).sum() == pytest.approx((by_definition(x, v, **attrs) * g).sum())


@pytest.mark.parametrize("special", [0.5, np.inf, np.nan])
@pytest.mark.parametrize("attrs", SETTINGS, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of infinities, which are values here
def test_forwards_equal_the_definition(attrs, special):
    x, w = operands(attrs)
    x[0, 0, 2, 5], w[1, 0, 0, 1] = special, -special
    canonical = CONV2D.canonical(x, w, **attrs)
    expected = by_definition(x, w, **attrs)
    np.testing.assert_allclose(CONV2D.forward(x, w, **canonical), expected, rtol=1e-10)
    out = np.full((*expected.shape[:3], 2 * expected.shape[3]), 7.0)[..., ::2]
    assert CONV2D.forward(x, w, out, **canonical) is out
    np.testing.assert_allclose(out, expected, rtol=1e-10)
    g = RNG.normal(size=expected.shape)
    dx = CONV2D_INPUT_GRAD.forward(g, w, shape=x.shape, **canonical)
    dw = CONV2D_WEIGHT_GRAD.forward(g, x, shape=w.shape, **canonical)
    if attrs.get("group", 1) == attrs.get("dilation", 1) == 1:
        sums = by_sums(g, x, w, attrs.get("stride", 1), attrs.get("padding", 0))
        np.testing.assert_allclose(dx, sums[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(dw, sums[1], rtol=1e-9, atol=1e-12)
    elif np.isfinite(special):
        assert (dx * x).sum() == pytest.approx((expected * g).sum()) == (dw * w).sum()


def test_forwards_do_not_depend_on_the_layout():
    x, w, attrs = RNG.normal(size=(4, 3, 9, 8)), RNG.normal(size=(5, 3, 1, 1)), ATTRS
    chwn = np.ascontiguousarray(x.transpose(1, 2, 3, 0)).transpose(3, 0, 1, 2)
    expected, g = CONV2D.forward(x, w, **attrs), RNG.normal(size=(4, 5, 9, 8))
    assert CONV2D.forward(chwn, w, **attrs).tobytes() == expected.tobytes()
    dw = CONV2D_WEIGHT_GRAD.forward(g, x, shape=w.shape, **attrs)
    others = g[:, ::-1].copy()[:, ::-1], chwn
    assert CONV2D_WEIGHT_GRAD.forward(*others, shape=w.shape, **attrs).tobytes() == dw.tobytes()


test_errors = error_cases(
    ((1, 3, 4), (1, 3, 2, 2), {}, errors.ShapeError, "needs x.N,C,H,W."),
    ((1, 3, 4, 4), (1, 2, 2, 2), {}, errors.ShapeError, "do not fit in 1 group"),
    ((1, 3, 4, 4), (1, 3, 5, 5), {}, errors.ShapeError, "larger than the padded image"),
    ((1, 3, 4, 4), (1, 3, 2, 2), {"stride": 0}, errors.UsageError, "stride is one int or two, at least 1"),
    ((1, 3, 4, 4), (1, 3, 2, 2), {"padding": -1}, errors.UsageError, "padding is one int or two, at least 0"),
    ((1, 3, 4, 4), (1, 3, 2, 2), {"group": 0}, errors.UsageError, "group must be an int of at least 1"),
    by=lambda x, w, attrs: apply("conv2d", Tensor(np.ones(x)), Tensor(np.ones(w)), **attrs),
)


def test_work_counts_the_products_of_the_definition():
    x, w = np.ones((2, 4, 6, 6), np.float32), np.ones((8, 2, 3, 3), np.float32)
    out = apply("conv2d", Tensor(x), Tensor(w), group=2)
    attrs = op_named("conv2d").canonical(Tensor(x), Tensor(w), group=2)
    work = op_named("conv2d").work(out.type, type_of(x), type_of(w), **attrs)
    assert work.macs == (Macs(2, 2 * 4 * 4, 2 * 9, 4, 9, height=3, width=4),)
    assert work.macs[0].total == out.size * 2 * 9
    image, weight = type_of(x), type_of(w)
    for name, other, result in (("conv2d_input_grad", weight, image), ("conv2d_weight_grad", image, weight)):
        counted_work = op_named(name).work(result, out.type, other, shape=result.shape, **attrs)
        assert counted_work.macs[0].total == work.macs[0].total
