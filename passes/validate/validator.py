"""Validates passes: runs a graph before and after a pass and compares results, gradients and effects.

``Validator`` keeps the original graph; ``compare`` compares another graph with it. Inputs and Parameters are random,
the same for both. For small graphs only: a pass over hundreds of nodes takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.core.lazy import cached_property
from minigraph.ir.graph import Graph
from passes.core.rewrite_limit import RewriteEvent, RewriteLimit, limit_rewrites
from passes.validate.binary_search import first_bad
from passes.validate.difference import RUN_ERRORS, Difference, GraphPair, Tolerance
from passes.validate.effect_order import lost_order
from passes.validate.input_values import draw_values
from passes.validate.outcome import Runner

MAX_NODES = 20_000  # larger graphs are not run
MAX_RESULT_BYTES = 1 << 30  # of all results that are not views; larger graphs are not run
RUN_DISTRIBUTIONS = ("normal", "simple", "positive")  # of random inputs, one run each
MAX_ROUNDINGS = 1 << 12  # rounding errors by which two results may differ
INTEGER_RANGE = (0, 1)  # smallest and largest value of integer inputs, which may be indices


class RunInputs(NamedTuple):
    """The inputs of a run, and values for the Parameters."""

    arrays: Sequence[np.ndarray]
    params: dict[str, np.ndarray]


class Validator:
    """Compares graphs with an original; ``inputs`` are arrays to run them on instead of random ones."""

    def __init__(self, graph: Graph, seed: int = 0, inputs: Sequence[np.ndarray] | None = None) -> None:
        self.original, self.seed, self.inputs = graph.clone(), seed, inputs
        self._last_runner: Runner | None = None  # of the graph that was compared last

    def next_validator(self, graph: Graph) -> Validator:
        """A validator with the graph that was compared last as the original; its compiled program is reused."""
        successor = Validator(graph, self.seed, self.inputs)
        if self._last_runner is not None:
            successor._runner = self._last_runner
            if self._last_runner.params == self._runner.params:
                successor._run_inputs = self._run_inputs
        return successor

    @cached_property
    def skip_reason(self) -> str:
        """Why the graph is not run; "" if it is. The order of effects is compared in any case."""
        graph = self.original
        if len(graph) > MAX_NODES:
            return f"{len(graph)} nodes are more than {MAX_NODES}"
        owners = (node for node in graph if not (graph.op(node).is_leaf or graph.op(node).view))
        size = sum(type.nbytes for node in owners for type in graph.types(node))
        if size > MAX_RESULT_BYTES:
            return f"{size:,} bytes are more than {MAX_RESULT_BYTES:,}"
        return self._failure_reason()

    def _failure_reason(self) -> str:
        """The error of a graph that fails on all inputs, such as an infinite loop; "" if it runs on some."""
        message = ""
        for run_inputs in self._run_inputs:
            try:
                self._runner.outcome(*run_inputs)
            except RUN_ERRORS as error:
                message = str(error).partition("\n")[0] or type(error).__name__
            else:
                return ""
        inputs = "its inputs" if self.inputs is not None else "random inputs"
        return f"it fails on {inputs} ({message}); give inputs= on which it runs"

    def compare(self, after: Graph) -> Difference | None:
        """A difference between the original graph and ``after``; ``None`` if none was found."""
        pair = lost_order(self.original, after)
        if pair is not None:
            first, last = (f"%{node} = {self.original.op(node)}" for node in pair)
            return Difference("effect", f"{first} ran before {last}, and is no longer ordered before it")
        if [self.original.type(ref) for ref in self.original.outs] != [after.type(ref) for ref in after.outs]:
            return Difference("type", "the outputs have other types")
        return None if self.skip_reason else self._compare_runs(after)

    def _compare_runs(self, after: Graph) -> Difference | None:
        rng = np.random.default_rng(self.seed)
        tolerance = Tolerance(exact=False, tol=1e-9, roundings=MAX_ROUNDINGS, nonfinite=True)
        pair = GraphPair(self._runner, after, tolerance, ("before", "after"))
        for arrays, params in self._run_inputs:
            difference = pair.compare_values(arrays, params) or pair.compare_gradients(arrays, rng)
            if difference is not None and difference.kind != "kink":
                return difference
        self._last_runner = pair.after
        return None

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self.original)

    @cached_property
    def _run_inputs(self) -> list[RunInputs]:
        rng = np.random.default_rng(self.seed)
        random_inputs = (self._draw_arrays(name, rng) for name in RUN_DISTRIBUTIONS)
        inputs = [self.inputs] if self.inputs is not None else [*random_inputs]
        types = self._runner.params
        return [RunInputs(arrays, {key: draw_values(rng, types[key], "normal") for key in types}) for arrays in inputs]

    def _draw_arrays(self, distribution: str, rng: np.random.Generator) -> list[np.ndarray]:
        types = [self.original.type(node) for node in self.original.inputs]
        return [draw_values(rng, t, distribution, INTEGER_RANGE if t.dtype.kind == "i" else None) for t in types]


class Culprit(NamedTuple):
    """The first step (a rewrite or the start of a pass) with a bad result, its number among all ``steps``, and the runs
    that the search took.
    """

    step: RewriteEvent
    number: int
    steps: int
    runs: int

    def __str__(self) -> str:
        runs = f"{self.runs} run{'s' if self.runs > 1 else ''}"
        return f"{self.step}, step {self.number} of {self.steps}, found after {runs}"


def find_culprit(graph: Graph, run: Callable[[Graph], object], is_bad: Callable[[Graph], bool]) -> Culprit | None:
    """The first step of ``run`` on copies of ``graph`` after which the result is bad; ``None`` if it never is.

    A run that raises is bad too. It takes one complete run and log2(steps) more, rounded up, for a binary search.
    """
    last_steps: dict[int, RewriteEvent | None] = {}

    def is_bad_after(limit: int | None) -> bool:
        copy, rewrite_limit = graph.clone(), RewriteLimit(limit)
        try:
            limit_rewrites(rewrite_limit).call(run, copy)
            result = is_bad(copy)
        except RUN_ERRORS:
            result = True
        last_steps[rewrite_limit.count if limit is None else limit] = rewrite_limit.last_step
        return result

    if not is_bad_after(None):
        return None
    (steps,) = last_steps
    number = first_bad(steps, is_bad_after) if steps else 0
    step = last_steps[number]
    return Culprit(step, number, steps, len(last_steps)) if step is not None else None
