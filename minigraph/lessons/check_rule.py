"""The checkers of the lessons on fusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import passes
from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.compilation import jit
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.told import NotYet, listed, named, numbers, operators, same_bits
from minigraph.npu import cycles, simulate


def scores(q: Tensor, k: Tensor) -> Tensor:
    """Attention scores: the pattern of the exercise."""
    return ops.softmax(q @ k * 0.125)


def leaking_scores(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """The same, but the product is also returned: it must not disappear into a fused node."""
    product = q @ k
    return ops.softmax(product * 0.125), product


def check_scores_rule(rule: Any) -> None:
    """Values equal in every bit, two nodes fewer per match, none where an inner value is used, fewer cycles."""
    if rule is None:
        raise NotYet('SCORES is None: make a rule, fuse("Scores", lambda q, k: ...)')
    inputs = numbers(0, 256, 64), numbers(1, 64, 256)
    before, after = _fused(scores, rule, *inputs)
    fused = [node for node in operators(after) if after.op(node).role == "fused"]
    outside = [node for node in operators(after) if node not in fused]
    if not fused:
        raise NotYet(f"the rule matches nothing: {listed(before, operators(before))} are all still there")
    if outside:
        raise NotYet(f"{listed(after, outside)} is still outside of the fused node: the pattern has to contain it")
    if not same_bits(before, after, inputs):
        raise NotYet(f"{named(after, fused[0])} computes something else than {listed(before, operators(before))}")
    _, kept = _fused(leaking_scores, rule, *inputs)
    if any(kept.op(node).role == "fused" for node in operators(kept)):
        raise NotYet(f"{listed(kept, operators(kept))}: fused although the product inside is also returned")
    costs = cycles(before), cycles(after)
    if costs[1] >= costs[0]:
        raise NotYet(f"{named(after, fused[0])} costs {costs[1]:,} cycles, its parts cost {costs[0]:,}")
    count = len(operators(before))
    print(f"Right: the same bits, {count} nodes became 1, {costs[0]:,} cycles became {costs[1]:,}.")


def _fused(function: Callable[..., Any], rule: Any, *inputs: Tensor) -> tuple[Graph, Graph]:
    before = trace(function, *inputs)
    after = before.clone()
    passes.Pipeline([rule]).run(after)
    return before, after


# ---- kernels ---------------------------------------------------------------------------------------------

FEWER = 0.9  # of the bytes of the textbook's kernels, at most


def check_standardize(textbook: Callable[..., Any], standardize: Callable[..., Any], x: Tensor) -> None:
    """The same numbers but for rounding, and fewer bytes than the textbook's kernels move."""
    answer = standardize(x)
    if answer is None:
        raise NotYet("standardize returns nothing yet: the variance, from the mean of the squares and the mean")
    want = textbook(x)
    before, after = (jit(fn, pipeline="graph_kernel").graph(x) for fn in (textbook, standardize))
    if answer.shape != want.shape or not np.allclose(answer.asnumpy(), want.asnumpy(), atol=1e-3):
        raise NotYet("other numbers than the textbook's: the variance is the mean of the squares minus the square of "
                     f"the mean, for each row ({named(after, producer(after.outs[0]))})")  # fmt: skip
    old, new = (_kernels(graph) for graph in (before, after))
    if new[1] > FEWER * old[1]:
        between = [node for node in operators(after) if after.work(node).lanes]
        raise NotYet(f"right values, but {new[1]:.1f} MB are moved, {old[1]:.1f} before, by {listed(after, between)}: "
                     "the variance still waits for the mean")  # fmt: skip
    print(f"Right: {old[0]} kernels that move {old[1]:.1f} MB became {new[0]} that move {new[1]:.1f}.")


def _kernels(graph: Graph) -> tuple[int, float]:
    """How many tasks a graph is, and the megabytes that they move."""
    report = simulate(graph)
    return len(report.rows), (report.bytes["GM"] + report.bytes["L2"]) / 1e6
