"""Functions that compiled matchers call: tests of constants, uses and attributes, paths of chains, users of values."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import Attrs, Function
from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.ir.exact_keys import exact_attrs_key, exact_key
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.views import BROADCAST_TO
from passes.rewrite.pattern import AttrVar, Call, Predicate

MAX_CLIMBED_USERS = 64  # users of a shared value among which another root is searched
ChainPath = tuple[tuple[int, ...], Ref]  # the nodes that a chain matches, users first, and the operand where it ends


def is_number(graph: Graph, ref: Ref, value: complex) -> bool:
    """Whether every element of a constant, or of a broadcast constant, is this number; 0.0 is not -0.0.

    The number is rounded to a float dtype first: 0.1 in a pattern matches the 0.1 of float32.
    """
    node = producer(ref)
    while graph.op(node) is BROADCAST_TO:
        node = producer(graph.ins(node)[0])
    if graph.op(node).role != "const":
        return False
    array = graph.attrs(node)["value"].array
    try:
        expected = call_ignoring_float_errors(np.full, array.shape, value, array.dtype)
    except (OverflowError, ValueError, TypeError):
        return False
    return bool(array.size) and _is_representable(value, expected.flat[0]) and expected.tobytes() == array.tobytes()


def _is_representable(value: complex, converted: np.generic) -> bool:
    """Whether a number converted to a dtype is still that number, or a float that is neither 0 nor infinity."""
    if converted.dtype.kind == "f" and not isinstance(value, complex):  # ``converted == value`` would convert it again
        return bool((converted == 0) == (value == 0) and np.isinf(converted) == math.isinf(value))
    return bool(converted == value)


def is_used_outside(graph: Graph, node: int, inside: Collection[int]) -> bool:
    """Whether a node has users outside a match or is an output; order edges are not uses."""
    return graph.is_out(node) or any(user not in inside for user in graph.users(node))


# ---- chains ----------------------------------------------------------------------------------------


def can_start_chain(graph: Graph, ref: Ref, predicate: Predicate) -> bool:
    """Whether the first node of a chain may be the producer of a value."""
    return ref.__class__ is int and predicate(graph, ref)


def chain_paths(graph: Graph, start: Ref, predicate: Predicate, max_nodes: int, recompute: bool) -> list[ChainPath]:
    """Every path from ``start`` through operands that satisfy ``predicate``, longest first; by breadth-first search.

    Nodes below ``start`` have a single user, unless ``recompute`` allows several.
    """
    if not can_start_chain(graph, start, predicate):
        return []
    paths: list[ChainPath] = []
    queue: list[tuple[int, ...]] = [(start,)]  # type: ignore[list-item]
    for nodes in queue:  # grows during the loop
        for ref in dict.fromkeys(graph.ins(nodes[-1])):
            paths.append((nodes, ref))
            if len(queue) < max_nodes and _can_continue(graph, ref, nodes[-1], predicate, recompute):
                queue.append((*nodes, producer(ref)))
    return sorted(paths, key=lambda path: -len(path[0]))


def _can_continue(graph: Graph, ref: Ref, user: int, predicate: Predicate, recompute: bool) -> bool:
    satisfies = can_start_chain(graph, ref, predicate)
    return satisfies and (recompute or not is_used_outside(graph, ref, (user,)))  # type: ignore[arg-type]


# ---- further roots ---------------------------------------------------------------------------------


def climb_users(graph: Graph, shared: Ref, ops: Sequence[Op]) -> list[int]:
    """The nodes that use a value indirectly: users with ``ops[0]``, their users with ``ops[1]``, and so on.

    Empty if a value has more than ``MAX_CLIMBED_USERS`` users: searching all of them at every match is quadratic.
    """
    level, succ = [producer(shared)], graph.succ_map()
    for op in ops:
        if any(len(succ[node]) > MAX_CLIMBED_USERS for node in level):
            return []
        level = sorted({user for node in level for user in succ[node] if graph.op(user) is op})
    return level


# ---- many ------------------------------------------------------------------------------------------


def match_each(
    graph: Graph, refs: Iterable[Ref], search: Function, name: str
) -> tuple[tuple[int, ...], list[Ref]] | None:
    """Match a term at every operand: all matched nodes, and the variable's value at each; ``None`` if one fails."""
    nodes: list[int] = []
    values: list[Ref] = []
    for ref in refs:
        match = search(graph, ref, lambda nodes, values, *_: (nodes, values)) if ref.__class__ is int else None
        if match.__class__ is not tuple:
            return None
        nodes += match[0]
        values.append(match[1][name])
    return tuple(nodes), values


# ---- attributes ------------------------------------------------------------------------------------


class AttributeMatcher:
    """Tests whether a node has the attributes of a call in a pattern.

    ``strict``: attributes that the pattern does not mention must have their defaults. Otherwise they may have any
    value, which is right only if the matched node itself is kept, as in an outlined body.
    """

    def __init__(self, call: Call, strict: bool) -> None:
        self.attrs, self.strict = dict(call.attrs), strict

    def __call__(self, graph: Graph, node: int, captured: dict[str, Any]) -> dict[str, Any] | None:
        """``captured`` and the attributes captured at this node; ``None`` if the node does not match."""
        attrs = graph.attrs(node)
        if not self.attrs and not attrs:
            return captured
        expected = {} if self.strict else dict(attrs)
        for name, value in self.attrs.items():
            if isinstance(value, AttrVar) and name in attrs:
                if exact_key(captured.get(value.name, attrs[name])) != exact_key(attrs[name]):
                    return None
                captured = {**captured, value.name: attrs[name]}
                value = attrs[name]
            expected[name] = value
        return captured if canonical_attrs(graph, node, expected) == exact_attrs_key(attrs) else None


def canonical_attrs(graph: Graph, node: int, attrs: Attrs) -> Hashable:
    """Attributes in the operator's canonical form for this node's operands; ``None`` if the operator rejects them."""
    op = graph.op(node)
    if op.canonical is None:
        return exact_attrs_key(attrs)
    try:
        return exact_attrs_key(op.canonical(*(graph.type(ref) for ref in graph.ins(node)), **attrs))
    except (MinigraphError, TypeError):
        return None
