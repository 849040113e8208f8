"""Comparing two graphs: node by node under the same ids, or up to node numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from minigraph.ir.reading import GraphReader, Ref, producer, reference, result_index
from minigraph.ir.values import exact_attrs

Pairs = list[tuple[GraphReader, GraphReader]]


def equal(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs have the same text: ids, operators, operands, attributes to the bit, types, order
    edges with their kinds, outputs, inputs, parameter keys, title, user lines, and bodies likewise.

    Parameter objects, provenance and the journal are not looked at.
    """
    return _all_alike(first, second, _equal_once)


def same_program(first: GraphReader, second: GraphReader) -> bool:
    """Whether two graphs are the same program up to node numbers, title and user lines.

    Nodes are numbered from the outputs down, operands first; no search is made. ``True`` is always right;
    ``False`` may be wrong where effects that no output needs stand in another order.
    """
    return _all_alike(first, second, _same_once)


def _all_alike(
    first: GraphReader, second: GraphReader, alike: Callable[[GraphReader, GraphReader, Pairs], bool]
) -> bool:
    pairs: Pairs = [(first, second)]
    while pairs:
        a, b = pairs.pop()
        if a is not b and not alike(a, b, pairs):
            return False
    return True


def _equal_once(a: GraphReader, b: GraphReader, pairs: Pairs) -> bool:
    return (
        (a.title, a.inputs, a.outs, a.keep_effects) == (b.title, b.inputs, b.outs, b.keep_effects)
        and list(a.params) == list(b.params)
        and set(a) == set(b)
        and all(_locs(a, node) == _locs(b, node) for node in a)
        and _nodes_alike(a, b, {node: node for node in a}, pairs)
    )


def _same_once(a: GraphReader, b: GraphReader, pairs: Pairs) -> bool:
    numbers, others = numbering(a), numbering(b)
    if len(numbers) != len(others) or a.keep_effects != b.keep_effects or list(a.params) != list(b.params):
        return False
    twins = dict(zip(numbers, others, strict=True))
    outer_a = [_renamed(ref, twins) for ref in (*a.inputs, *a.outs)]
    return outer_a == [*b.inputs, *b.outs] and _nodes_alike(a, b, twins, pairs)


def _nodes_alike(a: GraphReader, b: GraphReader, twins: Mapping[int, int], pairs: Pairs) -> bool:
    for node, twin in twins.items():
        if not (
            a.op(node) is b.op(twin)
            and tuple(_renamed(ref, twins) for ref in a.ins(node)) == b.ins(twin)
            and a.types(node) == b.types(twin)
            and exact_attrs(a.attrs(node)) == exact_attrs(b.attrs(twin))
            and {(twins[k], a.order_kind(k, node)) for k in a.before(node)}
            == {(k, b.order_kind(k, twin)) for k in b.before(twin)}
            and len(a.regions(node)) == len(b.regions(twin))
        ):
            return False
        pairs.extend(zip(a.regions(node), b.regions(twin), strict=True))
    return True


def numbering(graph: GraphReader) -> list[int]:
    """Every node once: what the outputs need, operands first, then the inputs, then the rest in order."""
    done: dict[int, None] = {}
    entered: set[int] = set()
    stack = [*reversed(graph.topological()), *reversed(graph.inputs), *map(producer, reversed(graph.outs))]
    while stack:
        node = stack[-1]
        if node in entered:
            done[stack.pop()] = None
        else:
            entered.add(node)
            stack += [k for k in reversed(_needed(graph, node)) if k not in entered]
    return list(done)


def _needed(graph: GraphReader, node: int) -> list[int]:
    return [*map(producer, graph.ins(node)), *graph.before(node)]


def _renamed(ref: Ref, twins: Mapping[int, int]) -> Ref:
    return reference(twins[producer(ref)], result_index(ref))


def _locs(graph: GraphReader, node: int) -> list[str]:
    return list(dict.fromkeys(map(str, graph.loc(node))))
