"""The checkers of the lessons on gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.ir.graph import producer
from minigraph.lessons.told import NotYet, listed, named, numbers, operators
from minigraph.op import op_named
from minigraph.tensor import Tensor


def check_rule_of_tanh(rule: Callable[..., Any]) -> None:
    """Values: finite differences on 20 inputs. Structure: ``out`` is used. Cost: at most three operators."""
    for seed in range(20):
        x, g = numbers(seed, 4), numbers(seed + 100, 4)
        answer = rule(g, ops.tanh(x), x)
        if answer is None:
            raise NotYet("tanh_rule returns nothing yet: return what arrives at x when g arrives at out = tanh(x)")
        wide = x.asnumpy().astype(np.float64)
        slope = (np.tanh(wide + 1e-6) - np.tanh(wide - 1e-6)) / 2e-6
        if not np.allclose(answer.asnumpy(), g.asnumpy() * slope, atol=1e-4):
            raise NotYet(_wrong_gradient(rule, x, answer, slope))
    graph = trace(rule, numbers(0, 4), numbers(1, 4), numbers(2, 4))
    again = [node for node in operators(graph) if graph.op(node) is op_named("tanh")]
    if again:
        raise NotYet(f"right values, but {named(graph, again[0])} computes tanh a second time: it stands in out")
    if len(operators(graph)) > 3:
        raise NotYet(
            f"right values, but {len(operators(graph))} operators where three do: {listed(graph, operators(graph))}"
        )
    print(f"Right: 20 inputs agree with finite differences; {len(operators(graph))} operators, none of them tanh.")


def _wrong_gradient(rule: Callable[..., Any], x: Tensor, answer: Tensor, slope: np.ndarray) -> str:
    graph = trace(rule, x, x, x)
    g, out, operand = graph.inputs
    if not graph.users(g):
        return f"g (%{g}) is not used: a rule multiplies what arrives with the slope"
    if graph.users(operand) and not graph.users(out):
        node = graph.users(operand)[0]
        return f"{named(graph, node)} uses x; the slope 1 - tanh(x)² is made of out"
    last = producer(graph.outs[0])
    return f"{named(graph, last)} is wrong: at x = {x.asnumpy()[0]:.3f} the slope of tanh is {slope[0]:.3f}"
