"""Checkers of the lessons on fusion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import passes
from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.compilation import jit
from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.feedback import NotYet, is_bitwise_equal, node_text, nodes_text, numbers, operators
from minigraph.npu import cycles, simulate


class Scores(NamedTuple):
    """Attention scores of one scale and shape: queries (n, d), keys (d, m)."""

    scale: float
    queries: int
    size: int
    keys: int

    def fusible(self, q: Tensor, k: Tensor) -> Tensor:
        """The pattern of the exercise."""
        return ops.softmax(q @ k * self.scale)

    def with_product(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """The same, but the product is also returned, so it must not be fused away."""
        product = q @ k
        return ops.softmax(product * self.scale), product

    @property
    def inputs(self) -> tuple[Tensor, Tensor]:
        """Queries and keys."""
        return numbers(0, self.queries, self.size), numbers(1, self.size, self.keys)


CASES = (Scores(0.125, 256, 64, 256), Scores(0.3, 96, 32, 160))  # a rule for any scale and shape matches both


def check_scores_rule(rule: object) -> None:
    """Check, for two scales and shapes: equal bits, one fused node, no match where an inner value has other uses.

    For the first case it must also take fewer cycles.
    """
    if rule is None:
        raise NotYet('SCORES is None: write a rule, fuse("Scores", lambda q, k, s: ...)')
    if not isinstance(rule, passes.AnyRule):
        raise NotYet(f'SCORES is a {type(rule).__name__}, not a rule: write fuse("Scores", lambda q, k, s: ...)')
    for case in CASES:
        _check_scores(rule, case)
    before, after = _apply_rule(CASES[0].fusible, rule, *CASES[0].inputs)
    costs, count = (cycles(before), cycles(after)), len(operators(before))
    if costs[1] >= costs[0]:
        raise NotYet(
            f"{nodes_text(after, operators(after))} takes {costs[1]:,} cycles, its operators take {costs[0]:,}"
        )
    print(f"Right: the same bits, {count} nodes became 1, {costs[0]:,} cycles became {costs[1]:,}.")


def _check_scores(rule: object, case: Scores) -> None:
    before, after = _apply_rule(case.fusible, rule, *case.inputs)
    where = f" with scale {case.scale}"
    fused = [node for node in operators(after) if after.op(node).role == "fused"]
    outside = [node for node in operators(after) if node not in fused]
    if not fused:
        raise NotYet(f"the rule matches nothing{where}: {nodes_text(before, operators(before))} are unchanged")
    if outside:
        raise NotYet(f"{nodes_text(after, outside)} is still outside the fused node: the pattern has to contain it")
    if not is_bitwise_equal(before, after, case.inputs):
        raise NotYet(f"{node_text(after, fused[0])} does not compute {nodes_text(before, operators(before))}{where}")
    _, after = _apply_rule(case.with_product, rule, *case.inputs)
    if any(after.op(node).role == "fused" for node in operators(after)):
        raise NotYet(f"{nodes_text(after, operators(after))}: fused although the inner product is also returned")


def _apply_rule(function: Function, rule: object, *inputs: Tensor) -> tuple[Graph, Graph]:
    before = trace(function, *inputs)
    after = before.clone()
    passes.Pipeline([rule]).run(after)
    return before, after


# ---- kernels ---------------------------------------------------------------------------------------------

MAX_BYTES_RATIO = 0.9  # to the textbook version


def check_standardize(textbook: Function, standardize: Function, x: Tensor) -> None:
    """Check that the results are the same up to rounding, and that the kernels move fewer bytes."""
    answer = standardize(x)
    if answer is None:
        raise NotYet("standardize returns nothing yet: compute the variance from the mean of the squares and the mean")
    expected = textbook(x)
    before, after = (jit(fn, pipeline="graph_kernel").graph(x) for fn in (textbook, standardize))
    if answer.shape != expected.shape or not np.allclose(answer.asnumpy(), expected.asnumpy(), atol=1e-3):
        raise NotYet("results differ from the textbook: the variance is the mean of the squares minus the square "
                     f"of the mean, for each row ({node_text(after, producer(after.outs[0]))})")  # fmt: skip
    old, new = (_kernels(graph) for graph in (before, after))
    if new[1] > MAX_BYTES_RATIO * old[1]:
        between = [node for node in operators(after) if after.work(node).lanes]
        raise NotYet(f"right values, but {new[1]:.1f} of {old[1]:.1f} MB are moved by {nodes_text(after, between)}: "
                     "the variance still depends on the mean")  # fmt: skip
    print(f"Right: {old[0]} kernels that move {old[1]:.1f} MB became {new[0]} that move {new[1]:.1f} MB.")


def _kernels(graph: Graph) -> tuple[int, float]:
    """The number of tasks of a graph, and the megabytes that they move."""
    report = simulate(graph)
    return len(report.rows), (report.bytes["GM"] + report.bytes["L2"]) / 1e6
