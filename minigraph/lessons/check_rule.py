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
from minigraph.lessons.answers import check_type, checker, tensor_of
from minigraph.lessons.feedback import WrongAnswerError, is_bitwise_equal, node_text, nodes_text, numbers, operators
from minigraph.npu import cycles, simulate


class Scores(NamedTuple):
    """Attention scores of one scale and shape: queries (n, d), keys (d, m); no scale: it is a tensor, an input."""

    scale: float | None
    queries: int
    size: int
    keys: int

    def fusible(self, q: Tensor, k: Tensor, *scales: Tensor) -> Tensor:
        """The pattern of the exercise."""
        return self.with_product(q, k, *scales)[0]

    def with_product(self, q: Tensor, k: Tensor, *scales: Tensor) -> tuple[Tensor, Tensor]:
        """The same, but the product is also returned, so it must not be fused away."""
        product = q @ k
        return ops.softmax(product * (scales[0] if self.scale is None else self.scale)), product

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Queries, keys, and the scale if it is a tensor."""
        scales = () if self.scale is not None else (numbers(2, 1),)
        return numbers(0, self.queries, self.size), numbers(1, self.size, self.keys), *scales

    @property
    def text(self) -> str:
        """What sets it apart from other cases."""
        scale = "a tensor as scale" if self.scale is None else f"scale {self.scale}"
        return f"{scale} and q of shape [{self.queries}, {self.size}]"


def _cases() -> list[Scores]:
    """A rule for any scale and shape matches all of them; one scale is random, so that no rule can list them."""
    scale = round(float(np.random.default_rng().uniform(0.5, 2.0)), 3)
    return [Scores(0.125, 256, 64, 256), Scores(0.3, 96, 32, 160), Scores(scale, 4, 8, 6), Scores(None, 12, 16, 10)]


@checker
def check_scores_rule(rule: object) -> None:
    """Check, for several scales and shapes: equal bits, one fused node, no match where an inner value has other uses.

    For the first case it must also take fewer cycles.
    """
    if rule is None:
        raise WrongAnswerError('SCORES is None: write a rule, fuse("Scores", lambda q, k, s: ...)')
    check_type("SCORES", rule, passes.AnyRule, 'write a rule, fuse("Scores", lambda q, k, s: ...)')
    cases = _cases()
    for case in cases:
        _check_scores(rule, case)
    before, after = _apply_rule(cases[0].fusible, rule, *cases[0].inputs)
    costs, count = (cycles(before), cycles(after)), len(operators(before))
    if costs[1] >= costs[0]:
        raise WrongAnswerError(
            f"{nodes_text(after, operators(after))} takes {costs[1]:,} cycles, its operators take {costs[0]:,}"
        )
    print(f"Right: the same bits, {count} nodes became 1, {costs[0]:,} cycles became {costs[1]:,}.")


def _check_scores(rule: object, case: Scores) -> None:
    before, after = _apply_rule(case.fusible, rule, *case.inputs)
    where = f" with {case.text}"
    fused = [node for node in operators(after) if after.op(node).role == "fused"]
    outside = [node for node in operators(after) if node not in fused]
    if not fused:
        raise WrongAnswerError(
            f"the rule matches nothing{where}: {nodes_text(before, operators(before))} are unchanged"
        )
    if outside:
        raise WrongAnswerError(
            f"{nodes_text(after, outside)} is still outside the fused node: the pattern has to contain it"
        )
    if not is_bitwise_equal(before, after, case.inputs):
        raise WrongAnswerError(
            f"{node_text(after, fused[0])} does not compute {nodes_text(before, operators(before))}{where}"
        )
    _, after = _apply_rule(case.with_product, rule, *case.inputs)
    if any(after.op(node).role == "fused" for node in operators(after)):
        raise WrongAnswerError(
            f"{nodes_text(after, operators(after))}: fused although the inner product is also returned"
        )


def _apply_rule(function: Function, rule: object, *inputs: Tensor) -> tuple[Graph, Graph]:
    before = trace(function, *inputs)
    after = before.clone()
    passes.Pipeline([rule]).run(after)
    return before, after


# ---- kernels ---------------------------------------------------------------------------------------------

MAX_BYTES_RATIO = 0.9  # to the textbook version


@checker
def check_standardize(textbook: Function, standardize: Function, x: Tensor) -> None:
    """Check that the results are the same up to rounding, and that the kernels move fewer bytes."""
    blank = "compute the variance from the mean of the squares and the mean"
    answer = tensor_of("standardize(x)", standardize, x, blank=blank)
    expected = textbook(x)
    before, after = (jit(fn, pipeline="graph_kernel").graph(x) for fn in (textbook, standardize))
    if answer.shape != expected.shape or not np.allclose(answer.asnumpy(), expected.asnumpy(), atol=1e-3):
        raise WrongAnswerError(
            "results differ from the textbook: the variance is the mean of the squares minus the square of the mean, "
            f"for each row ({node_text(after, producer(after.outs[0]))})"
        )
    old, new = (_kernels(graph) for graph in (before, after))
    if new[1] > MAX_BYTES_RATIO * old[1]:
        between = [node for node in operators(after) if after.work(node).lanes]
        raise WrongAnswerError(
            f"right values, but {new[1]:.1f} of {old[1]:.1f} MB are moved by {nodes_text(after, between)}: "
            "the variance still depends on the mean"
        )
    print(f"Right: {old[0]} kernels that move {old[1]:.1f} MB became {new[0]} that move {new[1]:.1f} MB.")


def _kernels(graph: Graph) -> tuple[int, float]:
    """The number of tasks of a graph, and the megabytes that they move."""
    report = simulate(graph)
    return len(report.rows), (report.bytes["GM"] + report.bytes["L2"]) / 1e6
