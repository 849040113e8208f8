"""Convolutions across images, chosen by a pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minigraph import Tensor, jit, ops, value_and_grad
from minigraph.op import apply

RNG = np.random.default_rng(0)


def made(*shape: int) -> Tensor:
    """Random numbers."""
    return Tensor(RNG.normal(size=shape).astype(np.float32))


def loss(x: Any, w: Any) -> Any:
    """A layer, and a number of it."""
    y = apply("max_pool2d", ops.relu(apply("conv2d", x, w)), kernel=2)
    return (y * y).mean()


@pytest.mark.parametrize(("image", "weight"), [((32, 1, 24, 24), (6, 1, 5, 5)), ((17, 2, 20, 33), (3, 2, 5, 6))])
def test_values_and_gradients_stay_near(image: tuple[int, ...], weight: tuple[int, ...]) -> None:
    x, w = made(*image), made(*weight)
    gradient = value_and_grad(loss, (0, 1))
    across = jit(gradient, pipeline="canonicalize,cse,convolve_across,dce")
    (value, found), (want, expected) = across(x, w), gradient(x, w)
    np.testing.assert_allclose(value.asnumpy(), want.asnumpy(), rtol=1e-5)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)
    graph = across.graph(x, w)
    names = [str(graph.op(node)) for node in graph if "conv2d" in str(graph.op(node))]
    assert names and all(name.endswith("_across") for name in names)


def test_a_program_lays_images_beside_each_other_for_all_that_follows() -> None:
    x, w = made(32, 1, 24, 24), made(6, 1, 5, 5)
    steps = jit(loss, pipeline="fast").program(x, w).plan.steps
    assert [step.op.name for step in steps[:2]] == ["beside", "conv2d_across"]
