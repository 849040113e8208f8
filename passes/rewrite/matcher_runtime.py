"""What a compiled matcher calls where a plain comparison does not do: constants, uses, chains, climbing, attributes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.values import exact, exact_attrs
from minigraph.operators.views import BROADCAST_TO
from passes.rewrite.pattern import AttrVar, Call, Predicate

MAX_CLIMBED_USERS = 64  # users of a shared value among which a further root is looked for
Walk = tuple[tuple[int, ...], Ref]  # the nodes of a chain from the top, and the operand it ends on


def is_number(graph: Graph, ref: Ref, value: complex) -> bool:
    """Whether a value is a constant of exactly this number everywhere (0.0 is not -0.0), or a repetition of one.

    In a float dtype that is the number rounded to it: 0.1 of a program is float32's 0.1, as 0.1 of a pattern is.
    """
    node = producer(ref)
    while graph.op(node) is BROADCAST_TO:
        node = producer(graph.ins(node)[0])
    if graph.op(node).role != "const":
        return False
    array = graph.attrs(node)["value"].array
    try:
        with np.errstate(over="ignore"):
            wanted = np.full(array.shape, value, array.dtype)
    except (OverflowError, ValueError, TypeError):
        return False
    return bool(array.size) and _can_represent(wanted.flat[0], value) and wanted.tobytes() == array.tobytes()


def _can_represent(found: np.generic, value: complex) -> bool:
    """Whether a number in a dtype still stands for it: as it was, or rounded to a float, but not to 0 or infinity."""
    if found.dtype.kind == "f" and isinstance(value, float):
        return bool((found == 0) == (value == 0) and np.isinf(found) == np.isinf(value))
    return bool(found == value)


def is_used_outside(graph: Graph, node: int, inside: Collection[int]) -> bool:
    """Whether somebody outside of a match takes a result of a node; order edges are no uses."""
    return graph.is_out(node) or any(user not in inside for user in graph.users(node))


# ---- chains ----------------------------------------------------------------------------------------


def can_start_chain(graph: Graph, ref: Ref, fits: Predicate) -> bool:
    """Whether a chain may begin at a value."""
    return ref.__class__ is int and fits(graph, ref)


def chain_walks(graph: Graph, start: Ref, fits: Predicate, most: int, recompute: bool) -> list[Walk]:
    """Every walk from ``start`` down nodes that fit, longest first; those below ``start`` have no other use.

    ``recompute`` lets them have other uses.
    """
    if not can_start_chain(graph, start, fits):
        return []
    found: list[Walk] = []
    paths: list[tuple[int, ...]] = [(start,)]  # type: ignore[list-item]
    for path in paths:  # grows while it is walked
        for ref in dict.fromkeys(graph.ins(path[-1])):
            found.append((path, ref))
            if len(paths) < most and _can_continue(graph, ref, path[-1], fits, recompute):
                paths.append((*path, producer(ref)))
    return sorted(found, key=lambda walk: -len(walk[0]))


def _can_continue(graph: Graph, ref: Ref, user: int, fits: Predicate, recompute: bool) -> bool:
    if not can_start_chain(graph, ref, fits):
        return False
    return recompute or not is_used_outside(graph, ref, (user,))  # type: ignore[arg-type]


# ---- further roots ---------------------------------------------------------------------------------


def climb_users(graph: Graph, shared: Ref, ops: Sequence[Op]) -> list[int]:
    """The nodes that stand above a value, reached through users of these operators, the lowest first.

    A value of more than ``MOST_USERS`` users is given up: looking at all of them, match by match, would be quadratic.
    """
    level, succ = [producer(shared)], graph.succ_map()
    for op in ops:
        if any(len(succ[node]) > MAX_CLIMBED_USERS for node in level):
            return []
        above = {user for node in level for user in succ[node] if graph.op(user) is op}
        level = sorted(above)
    return level


# ---- many ------------------------------------------------------------------------------------------


def match_each(
    graph: Graph, refs: Iterable[Ref], search: Callable[..., Any], name: str
) -> tuple[tuple[int, ...], list[Ref]] | None:
    """The nodes that match one term at every operand, and what its variable stands for there; ``None`` if one fails."""
    nodes: list[int] = []
    values: list[Ref] = []
    for ref in refs:
        got = search(graph, ref, _accept_first) if ref.__class__ is int else None
        if got.__class__ is not tuple:
            return None
        nodes += got[0]
        values.append(got[1][name])
    return tuple(nodes), values


def _accept_first(nodes: tuple[int, ...], values: Any, attrs: Any, walks: Any) -> tuple[Any, Any]:
    return nodes, values


# ---- attributes ------------------------------------------------------------------------------------


class AttributeMatcher:
    """Whether a node has the attributes that a call of a pattern asks for.

    ``strict``: those the pattern does not mention must be at their defaults; else they may be anything (right
    only where the matched node itself is kept, as in an outlined body).
    """

    def __init__(self, call: Call, strict: bool) -> None:
        self.attrs, self.strict = dict(call.attrs), strict

    def __call__(self, graph: Graph, node: int, captured: dict[str, Any]) -> dict[str, Any] | None:
        """What is captured, together with what was before, or ``None`` where something does not fit."""
        found = graph.attrs(node)
        if not self.attrs and not found:
            return captured
        wanted = {} if self.strict else dict(found)
        for name, value in self.attrs.items():
            if isinstance(value, AttrVar) and name in found:
                if exact(captured.get(value.name, found[name])) != exact(found[name]):
                    return None
                captured = {**captured, value.name: found[name]}
                value = found[name]
            wanted[name] = value
        return captured if canonical_attrs(graph, node, wanted) == exact_attrs(found) else None


def canonical_attrs(graph: Graph, node: int, attrs: dict[str, Any]) -> Hashable:
    """Attributes in the operator's own variant for this node's operands; ``None`` when it refuses them."""
    op = graph.op(node)
    if op.canonical is None:
        return exact_attrs(attrs)
    try:
        return exact_attrs(op.canonical(*(graph.type(ref) for ref in graph.ins(node)), **attrs))
    except (MinigraphError, TypeError):
        return None
