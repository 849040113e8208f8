"""Fused nodes become the nodes of their bodies again, so that other passes see through them.

::

    %1 = fused(%0) {name="elementwise"}               %2 = exp(%0)
      (body: exp, tanh)                         ->    %3 = tanh(%2)

What was fused for one machine is in the way of what suits another. The same operators run, so every bit stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.core.machine import MAX_STACKED_BYTES
from minigraph.core.op import Op, op_named
from minigraph.ir.graph import Graph, producer
from minigraph.ir.reading import GraphReader
from minigraph.operators.elementwise import ADD
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.inline_bodies import inline_body, replace_node


def operators_named(names: Iterable[str]) -> set[Op]:
    """The operators of these names; raises ``UnknownName`` with the nearest."""
    return {op_named(name) for name in names}


@graph_pass(around=(), sums=0, checks={"around": operators_named})
def unfuse(graph: Graph, *, options: Options) -> None:
    """fused(x) -> tanh(exp(x)): fused nodes as what is in them, also of those inside of others; keeps every bit.

    ``around`` are the names of operators: only nodes that read a result of one, or have one in them, are opened. So
    are nodes with additions where at least ``sums`` small sums are added to others.
    """
    around, known = operators_named(options["around"]), dict[int, bool]()
    if options["sums"] and _count_sums(graph, {}) >= options["sums"]:
        around.add(ADD)
    is_choosy = options["around"] or options["sums"]
    waiting = [node for node in graph.topological() if graph.op(node).role == "fused"]
    for node in waiting:  # grows while it is walked
        if (not is_choosy or _is_adjacent(graph, node, around, known)) and should_rewrite(graph, "unfuse", node):
            first_new = graph.next_id
            values = inline_body(graph, node, graph.regions(node)[0], graph.ins(node))
            made = range(first_new, graph.next_id)
            replace_node(graph, node, values, made)
            waiting += [new for new in made if graph.op(new).role == "fused"]
            options.tally["unfuse"].rewrites += 1


def _is_adjacent(graph: Graph, node: int, around: set[Op], known: dict[int, bool]) -> bool:
    """Whether a fused node reads a result of one of the operators, or has one in its body; ``known`` are bodies."""
    if any(graph.op(producer(ref)) in around for ref in graph.ins(node)):
        return True
    body = graph.regions(node)[0]
    if id(body) not in known:
        known[id(body)] = any(body.op(inner) in around or body.op(inner).role == "fused" for inner in body)
    return known[id(body)]


def _count_sums(graph: GraphReader, known: dict[int, int]) -> int:
    """How many small sums are added to others, also in fused nodes; ``known`` are bodies, which many nodes share."""
    count = 0
    for node in graph:
        op = graph.op(node)
        if op is ADD and graph.type(node).nbytes <= MAX_STACKED_BYTES:
            count += any(graph.op(producer(ref)) is ADD for ref in graph.ins(node))
        elif op.role == "fused":
            body = graph.regions(node)[0]
            if id(body) not in known:
                known[id(body)] = _count_sums(body, known)
            count += known[id(body)]
    return count
