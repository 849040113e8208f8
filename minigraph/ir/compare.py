"""Equality of two graphs: node by node with the same ids, or up to a renumbering of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph_reader import GraphReader, Ref, producer, reference, result_index

Worklist = list[tuple[GraphReader, GraphReader]]  # pairs of graphs and bodies that are still to be compared


def equal(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs have the same text: ids, operators, operands, attributes to the bit, types, order
    edges with their kinds, outputs, inputs, parameter keys, title, source lines, and the same of all bodies.

    Parameter objects, provenance and the journal are not compared.
    """
    return _all_match(first, second, _is_equal)


def same_program(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs are the same program up to node ids, title and source lines.

    Both are numbered canonically, in postorder from the outputs; this does not search for an isomorphism. The answer
    ``True`` is always correct; ``False`` may be wrong if nodes that no output depends on are in another order.
    """
    return _all_match(first, second, _is_same_program)


def _all_match(
    first: GraphReader, second: GraphReader, match: Callable[[GraphReader, GraphReader, Worklist], bool]
) -> bool:
    """Whether two graphs match, and all their bodies, which ``match`` adds to the worklist."""
    worklist: Worklist = [(first, second)]
    while worklist:
        a, b = worklist.pop()
        if a is not b and not match(a, b, worklist):
            return False
    return True


def _is_equal(a: GraphReader, b: GraphReader, worklist: Worklist) -> bool:
    return (
        (a.title, a.inputs, a.outs, a.keep_effects) == (b.title, b.inputs, b.outs, b.keep_effects)
        and list(a.params) == list(b.params)
        and set(a) == set(b)
        and all(_source_lines(a, node) == _source_lines(b, node) for node in a)
        and _nodes_match(a, b, {node: node for node in a}, worklist)
    )


def _is_same_program(a: GraphReader, b: GraphReader, worklist: Worklist) -> bool:
    nodes_a, nodes_b = postorder(a), postorder(b)
    if len(nodes_a) != len(nodes_b) or a.keep_effects != b.keep_effects or list(a.params) != list(b.params):
        return False
    counterparts = dict(zip(nodes_a, nodes_b, strict=True))
    interface = [_counterpart_of(ref, counterparts) for ref in (*a.inputs, *a.outs)]
    return interface == [*b.inputs, *b.outs] and _nodes_match(a, b, counterparts, worklist)


def _nodes_match(a: GraphReader, b: GraphReader, counterparts: Mapping[int, int], worklist: Worklist) -> bool:
    for node, counterpart in counterparts.items():
        if not (
            a.op(node) is b.op(counterpart)
            and tuple(_counterpart_of(ref, counterparts) for ref in a.ins(node)) == b.ins(counterpart)
            and a.types(node) == b.types(counterpart)
            and exact_attrs_key(a.attrs(node)) == exact_attrs_key(b.attrs(counterpart))
            and {(counterparts[k], a.order_kind(k, node)) for k in a.before(node)}
            == {(k, b.order_kind(k, counterpart)) for k in b.before(counterpart)}
            and len(a.regions(node)) == len(b.regions(counterpart))
        ):
            return False
        worklist.extend(zip(a.regions(node), b.regions(counterpart), strict=True))
    return True


def postorder(graph: GraphReader) -> list[int]:
    """All nodes in depth-first postorder, each after its operands: from the outputs, the inputs, then all others."""
    finished: dict[int, None] = {}
    entered: set[int] = set()
    stack = [*reversed(graph.topological()), *reversed(graph.inputs), *map(producer, reversed(graph.outs))]
    while stack:
        node = stack[-1]
        if node in entered:
            finished[stack.pop()] = None
        else:
            entered.add(node)
            stack += [k for k in reversed(_predecessors(graph, node)) if k not in entered]
    return list(finished)


def _predecessors(graph: GraphReader, node: int) -> list[int]:
    return [*map(producer, graph.ins(node)), *graph.before(node)]


def _counterpart_of(ref: Ref, counterparts: Mapping[int, int]) -> Ref:
    return reference(counterparts[producer(ref)], result_index(ref))


def _source_lines(graph: GraphReader, node: int) -> list[str]:
    return list(dict.fromkeys(map(str, graph.loc(node))))
