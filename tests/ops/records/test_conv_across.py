"""Convolution across images whatever their shape."""

import numpy as np
import pytest

from minigraph import Tensor, grad
from minigraph.op import apply, op_named

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("attrs", [{}, {"stride": 2, "padding": 1}, {"group": 2, "dilation": (2, 1)}], ids=str)
@pytest.mark.parametrize("count", [1, 3, 20])
def test_values_and_gradients_are_those_of_convolution(attrs, count):
    x, w = Tensor(RNG.normal(size=(count, 4, 9, 40))), Tensor(RNG.normal(size=(6, 4 // attrs.get("group", 1), 3, 2)))
    found, want = apply("conv2d_across", x, w, **attrs), apply("conv2d", x, w, **attrs)
    assert found.array.flags.c_contiguous
    np.testing.assert_allclose(found.array, want.array, rtol=1e-10, atol=1e-10)
    window = op_named("conv2d").canonical(x, w, **attrs)
    for name, other, shape in (("input", w, x.shape), ("weight", x, w.shape)):
        one, two = (apply(f"conv2d_{name}_grad{end}", want, other, shape=shape, **window) for end in ("_across", ""))
        np.testing.assert_allclose(one.array, two.array, rtol=1e-8, atol=1e-8)
    one, two = (
        grad(lambda w, name=name: (apply(name, x, w, **attrs) ** 2).sum())(w) for name in ("conv2d_across", "conv2d")
    )
    np.testing.assert_allclose(one.array, two.array, rtol=1e-8, atol=1e-8)


def test_elsewhere_it_is_the_same_operator():
    across, plain = op_named("conv2d_across"), op_named("conv2d")
    assert (across.infer, across.work, across.unit, across.vjp) == (plain.infer, plain.work, plain.unit, plain.vjp)
    assert across.label({"stride": (2, 2)}) == "conv2d_across /2"
