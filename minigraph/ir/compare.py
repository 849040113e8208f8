"""Equality of two graphs: node by node with the same ids, or up to a renumbering of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from minigraph.ir.attribute_values import exact_attrs_key
from minigraph.ir.graph_reader import GraphReader, Ref, producer, reference, result_index

Pairs = list[tuple[GraphReader, GraphReader]]


def equal(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs have the same text: ids, operators, operands, attributes to the bit, types, order
    edges with their kinds, outputs, inputs, parameter keys, title, user lines, and bodies likewise.

    Parameter objects, provenance and the journal are not compared.
    """
    return _all_match(first, second, _is_equal)


def same_program(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs are the same program up to node numbers, title and user lines.

    Both are numbered canonically, from the outputs down, operands first; this does not search for an isomorphism.
    ``True`` is always correct; ``False`` may be wrong if effects that no output needs are in another order.
    """
    return _all_match(first, second, _is_same_program)


def _all_match(
    first: GraphReader, second: GraphReader, match: Callable[[GraphReader, GraphReader, Pairs], bool]
) -> bool:
    pairs: Pairs = [(first, second)]
    while pairs:
        a, b = pairs.pop()
        if a is not b and not match(a, b, pairs):
            return False
    return True


def _is_equal(a: GraphReader, b: GraphReader, pairs: Pairs) -> bool:
    return (
        (a.title, a.inputs, a.outs, a.keep_effects) == (b.title, b.inputs, b.outs, b.keep_effects)
        and list(a.params) == list(b.params)
        and set(a) == set(b)
        and all(_locs(a, node) == _locs(b, node) for node in a)
        and _nodes_match(a, b, {node: node for node in a}, pairs)
    )


def _is_same_program(a: GraphReader, b: GraphReader, pairs: Pairs) -> bool:
    numbers, others = postorder(a), postorder(b)
    if len(numbers) != len(others) or a.keep_effects != b.keep_effects or list(a.params) != list(b.params):
        return False
    counterparts = dict(zip(numbers, others, strict=True))
    outer_a = [_counterpart_of(ref, counterparts) for ref in (*a.inputs, *a.outs)]
    return outer_a == [*b.inputs, *b.outs] and _nodes_match(a, b, counterparts, pairs)


def _nodes_match(a: GraphReader, b: GraphReader, counterparts: Mapping[int, int], pairs: Pairs) -> bool:
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
        pairs.extend(zip(a.regions(node), b.regions(counterpart), strict=True))
    return True


def postorder(graph: GraphReader) -> list[int]:
    """All nodes in postorder: those that the outputs need, operands first, then the inputs, then the rest."""
    done: dict[int, None] = {}
    entered: set[int] = set()
    stack = [*reversed(graph.topological()), *reversed(graph.inputs), *map(producer, reversed(graph.outs))]
    while stack:
        node = stack[-1]
        if node in entered:
            done[stack.pop()] = None
        else:
            entered.add(node)
            stack += [k for k in reversed(_predecessors(graph, node)) if k not in entered]
    return list(done)


def _predecessors(graph: GraphReader, node: int) -> list[int]:
    return [*map(producer, graph.ins(node)), *graph.before(node)]


def _counterpart_of(ref: Ref, counterparts: Mapping[int, int]) -> Ref:
    return reference(counterparts[producer(ref)], result_index(ref))


def _locs(graph: GraphReader, node: int) -> list[str]:
    return list(dict.fromkeys(map(str, graph.loc(node))))
