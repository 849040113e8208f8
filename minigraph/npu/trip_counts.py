"""Trip counts of a region node's bodies: a scan has its length, and a ``while`` loop with a counter is interpreted.

If the condition of a ``while`` depends on small constants of the graph only (a counter, a limit), just the operators
behind it are evaluated, iteration by iteration; the other tensors are never computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.op import forward_of
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index

MAX_INTERPRETED_TRIPS = 100_000  # iterations
MAX_COUNTER_ELEMENTS = 64  # elements of a value that the condition depends on
UNKNOWN_TRIPS_NOTE = "loop with unknown trip count; {0} assumed"
BRANCH_NOTE = "only one of the branches runs; the most expensive one is counted"


class TripCounts(NamedTuple):
    """The trip count of each body; ``is_branch``: only one of the bodies runs; ``note``: an assumption made."""

    times: tuple[int, ...]
    is_branch: bool = False
    note: str = ""


def trip_counts(graph: GraphReader, node: int, assumed: int = 1) -> TripCounts:
    """The trip counts of a node's bodies; ``assumed`` for a loop whose trip count is unknown."""
    bodies, attrs = graph.regions(node), graph.attrs(node)
    if graph.op(node).role == "fused" or "length" in attrs:
        return TripCounts((attrs.get("length", 1),) * len(bodies))
    if "carries" not in attrs:
        return TripCounts((1,) * len(bodies), is_branch=True, note=BRANCH_NOTE)
    trips = _interpreted_trips(graph, node, bodies[0], bodies[-1]) if len(bodies) == 2 else None
    note = "" if trips is not None else UNKNOWN_TRIPS_NOTE.format(f"{assumed} iteration{'s' * (assumed != 1)}")
    trips = assumed if trips is None else trips
    return TripCounts((trips + 1, trips) if len(bodies) == 2 else (trips,) * len(bodies), note=note)


def _interpreted_trips(graph: GraphReader, node: int, test: Graph, step: Graph) -> int | None:
    """The trip count of a loop if its condition depends on small constants only, else ``None``."""
    values: dict[int, Any] = {}
    for index, ref in enumerate(graph.ins(node)):
        op = graph.op(producer(ref))
        if op.role == "const":
            values[index] = graph.attrs(producer(ref))["value"].array
    carries = graph.attrs(node)["carries"]
    controlling = _controlling_operands(test, step, carries)
    if not controlling <= set(values) or any(np.size(values[index]) > MAX_COUNTER_ELEMENTS for index in controlling):
        return None
    updated = sorted(index for index in controlling if index < carries)
    if not (_is_pure(test, test.outs) and _is_pure(step, [step.outs[index] for index in updated])):
        return None
    for trips in range(MAX_INTERPRETED_TRIPS):
        (condition,) = _evaluate(test, values, test.outs)
        if not condition.item():
            return trips
        values |= dict(zip(updated, _evaluate(step, values, [step.outs[index] for index in updated]), strict=True))
    return None


def _controlling_operands(test: Graph, step: Graph, carries: int) -> set[int]:
    """The operands of a loop that its trip count depends on."""
    controlling, frontier = set[int](), _input_dependencies(test, test.outs)
    while frontier - controlling:
        controlling |= frontier
        frontier = _input_dependencies(step, [step.outs[index] for index in sorted(controlling) if index < carries])
    return controlling


def _input_dependencies(body: Graph, refs: Sequence[Ref]) -> set[int]:
    ancestors = _ancestors(body, refs)
    return {index for index, node in enumerate(body.inputs) if node in ancestors}


def _ancestors(body: Graph, refs: Iterable[Ref]) -> set[int]:
    """The nodes that produce these values, and all of their ancestors."""
    ancestors: set[int] = set()
    worklist = [producer(ref) for ref in refs]
    while worklist:
        node = worklist.pop()
        if node not in ancestors:
            ancestors.add(node)
            worklist += [producer(ref) for ref in body.ins(node)]
    return ancestors


def _is_pure(body: Graph, refs: Sequence[Ref]) -> bool:
    """Whether these values depend on no operator with effects and on no control flow."""
    ancestors = [(body.op(node), body.regions(node)) for node in _ancestors(body, refs)]
    return all(not op.effects and (op.role == "fused" or not regions) for op, regions in ancestors)


def _evaluate(body: Graph, values: dict[int, object], refs: Sequence[Ref]) -> list[Any]:
    """Values of a body, computed with numpy from the ``values`` of its inputs by index."""
    known: dict[int, Any] = {node: (values[index],) for index, node in enumerate(body.inputs) if index in values}
    ancestors = _ancestors(body, refs)
    for node in body.topological():
        if node in ancestors and node not in known:
            operands = [known[producer(ref)][result_index(ref)] for ref in body.ins(node)]
            known[node] = _node_results(body, node, operands)
    return [known[producer(ref)][result_index(ref)] for ref in refs]


def _node_results(body: Graph, node: int, operands: list[object]) -> tuple[Any, ...]:
    op = body.op(node)
    if op.role == "fused":
        (inner,) = body.regions(node)
        return tuple(_evaluate(inner, dict(enumerate(operands)), inner.outs))
    out = forward_of(op, [np.asarray(operand).dtype for operand in operands])(*operands, **body.attrs(node))
    return out if isinstance(out, tuple) else (np.asarray(out),)
