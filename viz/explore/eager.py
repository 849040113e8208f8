"""The eager tape as a run: one step per operator call, then one per gradient on the way back."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minigraph.core.tensor import Parameter
from minigraph.core.tensor.tensor import give
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph, reference
from minigraph.nn.scope import following_scopes
from viz.drawing.tape import Calls, record_calls, value_text
from viz.explore.journal import RecordingJournal, Wiring
from viz.explore.pack import Run
from viz.explore.rewrites import OUTS, Change, Step

MAX_CALLS = 2000  # calls whose values are kept


@dataclass(frozen=True)
class Phase:
    """What ``pack`` asks of a pass, for the calls of a tape: forwards, or on the way back."""

    name: str
    note: str
    nodes: int
    changed: bool = True
    seconds: float = 0.0


@contextmanager
def without_side_effects(parameters: Iterable[Parameter]) -> Iterator[None]:
    """Parameters as they were when the block is left, and nothing printed meanwhile: looking changes nothing."""
    with preserve_parameters(parameters), contextlib.redirect_stdout(io.StringIO()):
        yield


@contextmanager
def preserve_parameters(parameters: Iterable[Parameter]) -> Iterator[None]:
    """Parameters as they were when the block is left."""
    values = [(parameter, parameter.array) for parameter in parameters]
    try:
        yield
    finally:
        for parameter, array in values:
            give(parameter, array)


def eager_run(fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Iterable[Parameter]) -> Run:
    """A function called once op by op, every call a step; raises what the function raises."""
    calls = Calls("eager", MAX_CALLS)
    film = calls.graph.journal = RecordingJournal(calls.graph)
    with without_side_effects(parameters), following_scopes():
        record_calls(fn, args, dict(kwargs), calls)
    calls.graph.journal = None
    forward = _forward_steps(film, calls.graph)
    backward = [Step("backward", 1, "gradient", node=node) for node in calls.gradients]
    arrived = {step.node: len(forward) + k + 1 for k, step in enumerate(backward)}
    phases = [Phase("forward", f"{len(forward)} calls", len(calls.graph))]
    if backward:
        phases.append(Phase("backward", f"{len(backward)} gradients", len(calls.graph)))
    told: dict[str, Mapping[int, Any]] = {"values": calls.values, "gradients": calls.gradients, "arrived": arrived}
    return Run("eager tape", "tape", film, forward + backward, phases, told)


def _forward_steps(film: RecordingJournal, graph: Graph) -> list[Step]:
    """One step per call; values that were there before come with the first call that takes them."""
    steps: list[Step] = []
    pending: list[Change] = []
    for shot in film.wiring_edits:
        if shot.verb == "emit":
            pending.append(Change(shot.node, shot.wiring))
            if not graph.op(shot.node).is_leaf:
                lines = tuple(map(str, graph.loc(shot.node)))
                steps.append(Step("forward", 0, node=shot.node, lines=lines, changes=pending))
                pending = []
    if steps:
        steps[-1].changes += [*pending, Change(OUTS, Wiring(graph.outs))]
    return steps


def values_of(graph: Graph, args: Sequence[Any]) -> dict[int, str]:
    """By node id the first result of every node as text, computed once; empty when the graph is long or fails."""
    if len(graph) > MAX_CALLS:
        return {}
    nodes = [node for node in graph.topological() if graph.types(node) and graph.op(node).role != "const"]
    twin = graph.clone()
    twin.set_outs([reference(node, 0) for node in nodes])
    try:
        with without_side_effects(graph.params.values()):
            found = interpret(twin, *args)
    except Exception:  # what a picture shows beside is no reason to show none
        return {}
    return {node: value_text(value.array) for node, value in zip(nodes, found, strict=True)}
