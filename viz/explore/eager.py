"""The eager tape as a run: one step per operator call, then one per gradient of the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import TypeVar

from minigraph.core.output import call_printing_to
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Parameter
from minigraph.core.tensor.tensor import set_array
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph, reference
from minigraph.nn.scope import track_scopes
from viz.drawing.tape import Calls, record_calls, value_text
from viz.explore.journal import RecordingJournal
from viz.explore.pack import Run
from viz.explore.rewrites import OUTPUT_NODE, Change, Step

T = TypeVar("T")

MAX_CALLS = 2000  # of operators, whose values are recorded


@dataclass(frozen=True)
class Phase:
    """The forward or the backward pass of a tape, with the attributes of a pass record that ``pack`` uses."""

    name: str
    note: str
    nodes: int
    changed: bool = True
    seconds: float = 0.0


def call_without_side_effects(parameters: Iterable[Parameter], fn: Callable[..., T], /, *args: object) -> T:
    """The result of ``fn(*args)``; Parameters are restored afterwards, and printed output is discarded."""
    with preserve_parameters(parameters):
        return call_printing_to(StringIO(), fn, *args)


@contextmanager
def preserve_parameters(parameters: Iterable[Parameter]) -> Iterator[None]:
    """Restore the values of Parameters at exit."""
    values = [(parameter, parameter.array) for parameter in parameters]
    try:
        yield
    finally:
        for parameter, array in values:
            set_array(parameter, array)


def eager_run(fn: object, args: Sequence[object], kwargs: Mapping[str, object], parameters: Iterable[Parameter]) -> Run:
    """Call a function once, operator by operator, with one step per call; raises the exceptions of the function."""
    calls = Calls("eager", MAX_CALLS)
    journal = calls.graph.journal = RecordingJournal(calls.graph)
    call_without_side_effects(parameters, track_scopes().call, record_calls, fn, args, dict(kwargs), calls)
    calls.graph.journal = None
    forward = _forward_steps(journal, calls.graph)
    backward = [Step("backward", 1, "gradient", node=node) for node in calls.gradients]
    gradient_steps = {step.node: len(forward) + k + 1 for k, step in enumerate(backward)}
    phases = [Phase("forward", f"{len(forward)} calls", len(calls.graph))]
    if backward:
        phases.append(Phase("backward", f"{len(backward)} gradients", len(calls.graph)))
    annotations: dict[str, Mapping[int, object]] = {
        "values": calls.values,
        "gradients": calls.gradients,
        "gradient_steps": gradient_steps,
    }
    return Run("eager tape", "tape", journal, forward + backward, phases, annotations)


def _forward_steps(journal: RecordingJournal, graph: Graph) -> list[Step]:
    """One step per call; leaves belong to the step of their first use."""
    steps: list[Step] = []
    pending: list[Change] = []
    for edit, in_edges in zip(journal, journal.in_edges, strict=True):
        if edit.verb == "emit":
            pending.append((edit.node, in_edges))
            if not graph.op(edit.node).is_leaf:
                steps.append(Step("forward", 0, node=edit.node, changes=pending))
                pending = []
    if steps:
        steps[-1].changes += [*pending, (OUTPUT_NODE, (graph.outs, ()))]
    return steps


def values_of(graph: Graph, args: Sequence[object]) -> dict[int, str]:
    """The first result of every node as text, by node id; empty if the graph is too large or its execution fails."""
    if len(graph) > MAX_CALLS:
        return {}
    nodes = [node for node in graph.topological() if graph.types(node) and graph.op(node).role != "const"]
    copy = graph.clone()
    copy.set_outs([reference(node, 0) for node in nodes])
    try:
        results = call_without_side_effects(graph.params.values(), interpret, copy, *args)
    except Exception as error:  # missing values must not prevent the page
        reraise_handler_error(error)
        return {}
    return {node: value_text(value.array) for node, value in zip(nodes, results, strict=True)}
