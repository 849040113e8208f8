"""How often the bodies of a node run: counted loops by their length, others by playing their counter.

A ``while`` whose test depends only on numbers known while capturing (a counter, a limit) is played through on
those numbers alone; its tensors are never computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.op import forward_of
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader, Ref, producer, result_index

MOST = 100_000  # rounds of a counter that are played
SMALL = 64  # elements of a value that a counter may have
UNKNOWN = "how often its body runs is not known before; {0} assumed"
ONE_OF = "one branch of several runs; the dearest is counted"


class Trips(NamedTuple):
    """How often each body runs, or that only one of them does, and what a reader should know."""

    times: tuple[int, ...]
    one_of: bool = False
    note: str = ""


def trips_of(graph: GraphReader, node: int, assumed: int = 1) -> Trips:
    """How often the bodies of a node run; ``assumed`` rounds for a loop whose number of rounds is not known."""
    bodies, attrs = graph.regions(node), graph.attrs(node)
    if graph.op(node).role == "fused" or "length" in attrs:
        return Trips((attrs.get("length", 1),) * len(bodies))
    if "carries" not in attrs:
        return Trips((1,) * len(bodies), one_of=True, note=ONE_OF)
    rounds = _played(graph, node, bodies[0], bodies[-1]) if len(bodies) == 2 else None
    note = "" if rounds is not None else UNKNOWN.format(f"{assumed} round{'s' * (assumed != 1)}")
    rounds = assumed if rounds is None else rounds
    return Trips((rounds + 1, rounds) if len(bodies) == 2 else (rounds,) * len(bodies), note=note)


def _played(graph: GraphReader, node: int, test: Graph, step: Graph) -> int | None:
    """The rounds of a loop, if its test depends only on small numbers known while capturing."""
    values: dict[int, Any] = {}
    for place, ref in enumerate(graph.ins(node)):
        op = graph.op(producer(ref))
        if op.role == "const":
            values[place] = graph.attrs(producer(ref))["value"].array
    carries = graph.attrs(node)["carries"]
    wanted = _depends(test, step, carries)
    if not wanted <= set(values) or any(np.size(values[place]) > SMALL for place in wanted):
        return None
    moving = sorted(place for place in wanted if place < carries)
    if not (_plain(test, test.outs) and _plain(step, [step.outs[place] for place in moving])):
        return None
    for rounds in range(MOST):
        (found,) = _evaluated(test, values, test.outs)
        if not found.item():
            return rounds
        values |= dict(zip(moving, _evaluated(step, values, [step.outs[place] for place in moving]), strict=True))
    return None


def _depends(test: Graph, step: Graph, carries: int) -> set[int]:
    """The operands of a loop that decide how often it runs."""
    found, fresh = set[int](), _inputs_under(test, test.outs)
    while fresh - found:
        found |= fresh
        fresh = _inputs_under(step, [step.outs[place] for place in sorted(found) if place < carries])
    return found


def _inputs_under(body: Graph, refs: Sequence[Ref]) -> set[int]:
    below = _below(body, refs)
    return {place for place, node in enumerate(body.inputs) if node in below}


def _below(body: Graph, refs: Iterable[Ref]) -> set[int]:
    """Every node these values depend on, themselves included."""
    found: set[int] = set()
    waiting = [producer(ref) for ref in refs]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [producer(ref) for ref in body.ins(node)]
    return found


def _plain(body: Graph, refs: Sequence[Ref]) -> bool:
    """Whether these values come from operators that only compute."""
    below = [(body.op(node), body.regions(node)) for node in _below(body, refs)]
    return all(not op.effects and (op.role == "fused" or not regions) for op, regions in below)


def _evaluated(body: Graph, values: dict[int, Any], refs: Sequence[Ref]) -> list[Any]:
    """Values of a body computed with numpy, given those of its inputs by place."""
    known: dict[int, Any] = {node: (values[place],) for place, node in enumerate(body.inputs) if place in values}
    below = _below(body, refs)
    for node in body.topological():
        if node in below and node not in known:
            operands = [known[producer(ref)][result_index(ref)] for ref in body.ins(node)]
            known[node] = _results(body, node, operands)
    return [known[producer(ref)][result_index(ref)] for ref in refs]


def _results(body: Graph, node: int, operands: list[Any]) -> tuple[Any, ...]:
    op = body.op(node)
    if op.role == "fused":
        (inner,) = body.regions(node)
        return tuple(_evaluated(inner, dict(enumerate(operands)), inner.outs))
    out = forward_of(op)(*operands, **body.attrs(node))
    return out if isinstance(out, tuple) else (np.asarray(out),)
