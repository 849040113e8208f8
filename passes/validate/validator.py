"""Does a pass keep what a program does? The graph is run before and after it, with gradients and effects.

``Validator`` holds the graph as it was; ``changed`` compares another with it. Inputs and Parameters are random,
the same for both. Small graphs only: it takes milliseconds per pass and hundreds of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from minigraph.ir.graph import Graph
from passes.core.rewrite_limit import RewriteLimit, Step, limit_rewrites
from passes.validate.binary_search import first_bad
from passes.validate.difference import FAULTS, Difference, GraphPair, Tolerance
from passes.validate.effect_order import lost_pair
from passes.validate.input_values import draw_values
from passes.validate.outcome import Runner

MAX_NODES, MAX_BYTES = 3000, 1 << 24  # of a graph that is still run
DISTRIBUTIONS = ("normal", "simple", "positive")
MAX_ROUNDINGS = 1 << 12  # roundings in a row that two programs may differ by
INTEGER_SPAN = (0, 1)  # of integer inputs, which may be indices


class RunInputs(NamedTuple):
    """What a graph is run on: its inputs, and values for its Parameters."""

    arrays: Sequence[np.ndarray]
    params: dict[str, np.ndarray]


class Validator:
    """A graph as it was, to compare others with; ``inputs`` are arrays to run it on instead of random ones."""

    def __init__(self, graph: Graph, seed: int = 0, inputs: Sequence[np.ndarray] | None = None) -> None:
        self.before, self.seed, self.inputs = graph.clone(), seed, inputs

    @cached_property
    def skip_reason(self) -> str:
        """Why the graph is not run; "" when it is. The order of effects is compared in any case."""
        graph = self.before
        if len(graph) > MAX_NODES:
            return f"{len(graph)} nodes are more than {MAX_NODES}"
        size = sum(type.nbytes for node in graph for type in graph.types(node))
        if size > MAX_BYTES:
            return f"{size:,} bytes are more than {MAX_BYTES:,}"
        return self._failure_reason()

    def _failure_reason(self) -> str:
        """What the graph says where it fails on all it could be run on, as a loop that does not end does."""
        said = ""
        for trial in self._run_inputs:
            try:
                self._runner.outcome(*trial)
            except FAULTS as error:
                said = str(error).partition("\n")[0]
            else:
                return ""
        inputs = "its inputs" if self.inputs is not None else "random inputs"
        return f"on {inputs} it fails, {said or 'having none'}; give inputs= on which it does not"

    def compare(self, after: Graph) -> Difference | None:
        """What ``after`` does otherwise; ``None`` when nothing was seen to differ."""
        pair = lost_pair(self.before, after)
        if pair is not None:
            first, last = (f"%{node} = {self.before.op(node)}" for node in pair)
            return Difference("effect", f"{first} ran before {last}, and nothing orders them now")
        if [self.before.type(ref) for ref in self.before.outs] != [after.type(ref) for ref in after.outs]:
            return Difference("type", "the outputs have other types")
        return None if self.skip_reason else self._compare_runs(after)

    def _compare_runs(self, after: Graph) -> Difference | None:
        rng = np.random.default_rng(self.seed)
        both = GraphPair(self._runner, after, Tolerance(False, 1e-9, MAX_ROUNDINGS, special=True), ("before", "after"))
        for arrays, params in self._run_inputs:
            found = both.compare_values(arrays, params) or both.compare_gradients(arrays, rng)
            if found is not None and found.kind != "kink":
                return found
        return None

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self.before)

    @cached_property
    def _run_inputs(self) -> list[RunInputs]:
        rng = np.random.default_rng(self.seed)
        inputs = [self.inputs] if self.inputs is not None else [self._draw_arrays(mood, rng) for mood in DISTRIBUTIONS]
        types = self._runner.params
        return [RunInputs(arrays, {key: draw_values(rng, types[key], "normal") for key in types}) for arrays in inputs]

    def _draw_arrays(self, mood: str, rng: np.random.Generator) -> list[np.ndarray]:
        types = [self.before.type(node) for node in self.before.inputs]
        return [draw_values(rng, type, mood, INTEGER_SPAN if type.dtype.kind == "i" else None) for type in types]


class Culprit(NamedTuple):
    """The first step of a run that is bad: which, as the how many-th of how many, found in how many runs."""

    step: Step
    number: int
    steps: int
    runs: int

    def __str__(self) -> str:
        return f"{self.step}, step {self.number} of {self.steps}, found in {self.runs} runs"


def find_culprit(graph: Graph, run: Callable[[Graph], object], bad: Callable[[Graph], bool]) -> Culprit | None:
    """The first step of ``run`` on copies of ``graph`` after which the result is bad; ``None`` when it never is.

    A run that raises is bad too. The whole run is one, and halving takes log2(steps) more, rounded up.
    """
    last: dict[int, Step | None] = {}

    def is_bad(limit: int | None) -> bool:
        twin, gate = graph.clone(), RewriteLimit(limit)
        try:
            with limit_rewrites(gate):
                run(twin)
            wrong = bad(twin)
        except FAULTS:
            wrong = True
        last[gate.count if limit is None else limit] = gate.last_step
        return wrong

    if not is_bad(None):
        return None
    (steps,) = last
    number = first_bad(steps, is_bad) if steps else 0
    step = last[number]
    return Culprit(step, number, steps, len(last)) if step is not None else None
