"""Inlines fused nodes, so that other passes see their operators.

::

    %1 = fused(%0) {name="elementwise"}               %2 = exp(%0)
      (body: exp, tanh)                         ->    %3 = tanh(%2)

Fusion for one machine hides operators that another machine would fuse differently. The same operators run, so the pass
keeps every bit.
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.core.machine import MAX_BATCHED_TERM_BYTES
from minigraph.core.op import Op, op_named
from minigraph.ir.graph import Graph, producer
from minigraph.ir.graph_reader import GraphReader
from minigraph.operators.elementwise import ADD
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.inline_bodies import inline_body, replace_node


def operators_named(names: Iterable[str]) -> set[Op]:
    """The operators with these names; raises ``UnknownNameError`` with the nearest name."""
    return {op_named(name) for name in names}


@graph_pass(around=(), min_sums=0, checks={"around": operators_named})
def unfuse(graph: Graph, *, options: Options) -> None:
    """fused(x) -> tanh(exp(x)): inlines fused nodes, nested ones too; keeps every bit.

    With ``around``, a tuple of operator names, only nodes that contain one of these operators or read its result are
    inlined. With ``min_sums``, nodes with additions, too, if at least ``min_sums`` small sums are added to others.
    """
    around, cache = operators_named(options["around"]), dict[int, bool]()
    if options["min_sums"] and _count_sums(graph, {}) >= options["min_sums"]:
        around.add(ADD)
    is_selective = options["around"] or options["min_sums"]
    worklist = [node for node in graph.topological() if graph.op(node).role == "fused"]
    for node in worklist:  # grows during the loop
        if (not is_selective or _is_adjacent(graph, node, around, cache)) and should_rewrite(graph, "unfuse", node):
            first_new = graph.next_id
            values = inline_body(graph, node, graph.regions(node)[0], graph.ins(node))
            new_nodes = range(first_new, graph.next_id)
            replace_node(graph, node, values, new_nodes)
            worklist += [new for new in new_nodes if graph.op(new).role == "fused"]
            options.statistics["unfuse"].rewrites += 1


def _is_adjacent(graph: Graph, node: int, around: set[Op], cache: dict[int, bool]) -> bool:
    """Whether a fused node contains one of the operators or reads its result; ``cache`` holds results by body."""
    if any(graph.op(producer(ref)) in around for ref in graph.ins(node)):
        return True
    body = graph.regions(node)[0]
    if id(body) not in cache:
        cache[id(body)] = any(body.op(inner) in around or body.op(inner).role == "fused" for inner in body)
    return cache[id(body)]


def _count_sums(graph: GraphReader, cache: dict[int, int]) -> int:
    """The number of small sums that are added to others, fused bodies included; ``cache`` holds counts by body."""
    count = 0
    for node in graph:
        op = graph.op(node)
        if op is ADD and graph.type(node).nbytes <= MAX_BATCHED_TERM_BYTES:
            count += any(graph.op(producer(ref)) is ADD for ref in graph.ins(node))
        elif op.role == "fused":
            body = graph.regions(node)[0]
            if id(body) not in cache:
                cache[id(body)] = _count_sums(body, cache)
            count += cache[id(body)]
    return count
