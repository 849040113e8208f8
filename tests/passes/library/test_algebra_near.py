"""Algebra that rounds otherwise: what it makes of a program, and what it leaves to integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, interpret, ops
from passes import PASSES, as_pipeline
from passes.library.algebra_near import RULES, TOL

RNG = np.random.default_rng(0)
X, Y = (Tensor(RNG.uniform(0.5, 2, size=(3, 4)).astype(np.float32)) for _ in range(2))

SPELLED: dict[str, tuple[Callable[[Any, Any], Any], list[str]]] = {
    "add_add": (lambda x, y: (0.1 + x) + 0.3, ["add"]),
    "mul_mul": (lambda x, y: 0.5 * (x * 0.3), ["mul"]),
    "div_number": (lambda x, y: x / 3.0, ["mul"]),
    "factor": (lambda x, y: y * 0.3 + 0.3 * x, ["add", "mul"]),
    "exp_exp": (lambda x, y: ops.exp(x) * ops.exp(y), ["add", "exp"]),
    "log_exp": (lambda x, y: ops.log(ops.exp(x)) + y, ["add"]),
    "pow_two": (lambda x, y: x**2, ["square"]),
    "pow_three": (lambda x, y: x**3, ["mul", "mul"]),
    "times_rsqrt": (lambda x, y: ops.rsqrt(y) * x, ["div", "sqrt"]),
    "sum_of_negs": (lambda x, y: (-x).sum(0), ["neg", "sum"]),
}


def test_every_rule_is_spelled_here() -> None:
    assert list(SPELLED) == [rule.name for rule in RULES]
    assert all(not rule.exact and rule.tol == TOL for rule in RULES) and PASSES["algebra_near"].tol == TOL


@pytest.mark.parametrize("name", SPELLED)
def test_what_is_left_and_how_near_it_is(name: str) -> None:
    spelled, left = SPELLED[name]
    graph = ms.trace(spelled, X, Y)
    before = interpret(graph, X, Y)[0].array
    as_pipeline("cse,algebra_near,constant_fold,dce").run(graph)
    assert sorted(str(graph.op(node)) for node in graph if not graph.op(node).is_leaf) == left
    assert np.allclose(interpret(graph, X, Y)[0].array, before, rtol=TOL)


@pytest.mark.parametrize(
    "spelled",
    [
        lambda x, y: (x + y) + 0.3,
        lambda x, y: x / 4.0,
        lambda x, y: x / 0.0,
        lambda x, y: x * x.sum() + y.sum(0) * x.sum(),
        lambda x, y: (x.astype(ms.int32) + 1) + 2,
    ],
)
def test_what_is_left_alone(spelled: Callable[[Any, Any], Any]) -> None:
    (record,) = as_pipeline("algebra_near").run(ms.trace(spelled, X, Y))
    assert not record.changed
