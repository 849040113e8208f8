"""Elementwise operators and reductions that one loop can compute become one fused node.

::

    %2 = exp(%0)                                ->    %4, %5 = fused(%0) {name="loop"}
    %3 = sum(%2) {axis=(1,), keepdims=true}           (body: exp, sum, div)
    %4 = div(%2, %3)

A node joins those who made what it reads if one nest of loops can compute them all: elementwise nodes of one shape,
reductions of that shape over its last axes, and elementwise nodes on what these leave. The nodes are looked at in
topological order, and as soon as a node outside reads a value of a group, the group is closed: all of a group stands
before its readers, so that no path leaves a group and comes back. (Greedy loop fusion in order; which fusion is best
is NP-hard: Kennedy and McKinley 1993.) The body holds the same operators, so every bit stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from minigraph.core.errors import UsageError
from minigraph.core.machine import (
    CACHED_ROW_BYTES,
    MAX_LOOP_NODES,
    MIN_LOOP_NODES,
    MIN_SMALL_LOOP_NODES,
    SMALL_RESULT_BYTES,
)
from minigraph.core.types import Shape, TensorType
from minigraph.ir.graph import Graph, producer
from minigraph.ir.outline import Group, outline_groups
from minigraph.operators.scalar_expressions import DTYPES, FOLDS, MAX_AXES, SCALARS
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

NO_NODES: frozenset[int] = frozenset()


class Loop(NamedTuple):
    """Nodes that are elementwise in ``shape``, or reduce its last ``trailing`` axes, or work on what that leaves.

    Of the ``nodes``, ``rows`` are what reductions left, and ``late`` those that wait for such a one.
    """

    shape: Shape
    trailing: int = 0
    nodes: tuple[int, ...] = ()
    rows: frozenset[int] = NO_NODES
    late: frozenset[int] = NO_NODES

    def with_node(self, graph: Graph, node: int, row_bytes: int) -> Loop | None:
        """The loop and one more node, if it may join."""
        if graph.op(node) in FOLDS:
            return self._with_fold(graph, node)
        mine = [ref for ref in map(producer, graph.ins(node)) if ref in self.nodes]
        if graph.type(node).shape == self.shape:
            return self._with_whole(graph, node, mine, row_bytes)
        return self._with_row(graph, node, mine)

    def _with_fold(self, graph: Graph, node: int) -> Loop | None:
        trailing, (operand, *_) = trailing_axes(graph, node), graph.ins(node)
        if not trailing or self.trailing not in (0, trailing) or graph.type(operand).shape != self.shape:
            return None
        if producer(operand) in self.rows:
            return None
        return self._with(node)._replace(trailing=trailing, rows=self.rows | {node})

    def _with_whole(self, graph: Graph, node: int, mine: list[int], row_bytes: int) -> Loop | None:
        """The loop and a node of its shape; one that waits for a reduction goes over a row again, from the cache."""
        rows = self.rows.intersection(mine)
        if not all(len(graph.type(row).shape) in (0, len(self.shape)) for row in rows):
            return None
        if not rows and self.late.isdisjoint(mine):
            return self._with(node)
        length = math.prod(self.shape[len(self.shape) - self.trailing :])
        if length * graph.type(node).dtype.itemsize > row_bytes:
            return None
        return self._with(node)._replace(late=self.late | {node})

    def _with_row(self, graph: Graph, node: int, mine: list[int]) -> Loop | None:
        """The loop and a node on what reductions left."""
        shape = graph.type(node).shape
        kept = self.shape[: len(self.shape) - self.trailing] + (1,) * self.trailing
        of_rows = mine and all(ref in self.rows and graph.type(ref).shape == shape for ref in mine)
        others = (graph.type(ref) for ref in graph.ins(node) if producer(ref) not in self.nodes)
        if not of_rows or not (shape == kept or all(type.size == 1 for type in others)):
            return None
        return self._with(node)._replace(rows=self.rows | {node})

    def _with(self, node: int) -> Loop:
        return self._replace(nodes=(*self.nodes, node))

    def with_loop(self, other: Loop) -> Loop | None:
        """Both as one, if that may be."""
        trailing = self.trailing or other.trailing
        if self.shape != other.shape or other.trailing not in (0, trailing):
            return None
        return Loop(self.shape, trailing, self.nodes + other.nodes, self.rows | other.rows, self.late | other.late)


def trailing_axes(graph: Graph, node: int) -> int:
    """Of a reduction over the last axes, how many; 0 where they are others, or have one element."""
    shape, axis = graph.type(graph.ins(node)[0]).shape, graph.attrs(node)["axis"]
    first = len(shape) - len(axis)
    return len(axis) if axis == tuple(range(first, len(shape))) and math.prod(shape[first:]) > 1 else 0


class _LoopBuilder:
    """Loops that grow: all of them by their first node, and the open ones by each of their nodes."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph, self.all, self.open = graph, dict[int, Loop](), dict[int, Loop]()
        self.max_nodes, self.row_bytes = options["max_nodes"], options["row_bytes"]

    def look(self, node: int, joins: bool) -> None:
        """Put a node where it belongs, and close the loops that it reads from outside."""
        sources = map(producer, reversed(self.graph.ins(node)))
        near = {loop.nodes[0]: loop for source in sources if (loop := self.open.get(source)) is not None}
        mine: Loop | None = None  # those that the node joins, without it and with it
        grown: Loop | None = None
        for loop in near.values():
            both = loop if mine is None else mine.with_loop(loop)
            found = self._grown(both, node) if joins and both is not None else None
            if found is None:
                self._close(loop)
            else:
                mine, grown = both, found
                self.all.pop(loop.nodes[0], None)
        if grown is None and joins:
            grown = self._grown(Loop(_iteration_shape(self.graph, node)), node)
        if grown is not None:
            self.all[grown.nodes[0]] = grown
            self.open.update(dict.fromkeys(grown.nodes, grown))

    def _grown(self, loop: Loop, node: int) -> Loop | None:
        return loop.with_node(self.graph, node, self.row_bytes) if len(loop.nodes) < self.max_nodes else None

    def _close(self, loop: Loop) -> None:
        for node in loop.nodes:
            del self.open[node]


def _iteration_shape(graph: Graph, node: int) -> Shape:
    """The shape that a loop goes over for a node alone."""
    return graph.type(graph.ins(node)[0] if graph.op(node) in FOLDS else node).shape


def can_join_loop(graph: Graph, node: int, *, inexact: bool = False) -> bool:
    """Whether a node can be part of a loop, with its dtypes; ``inexact``: also if a loop rounds it otherwise."""
    op, types = graph.op(node), graph.types(node)
    if op not in SCALARS and op not in FOLDS:
        return False
    ins = [graph.type(ref) for ref in graph.ins(node)]
    if len(types) != 1 or not types[0].size or not all(map(_is_supported_type, (*types, *ins))) or _is_ordered(graph, node):
        return False
    kinds = {type.dtype.kind for type in ins}
    if op in FOLDS:
        return kinds <= set(FOLDS[op].kinds if inexact else FOLDS[op].exact) and ins[0].size > 0
    cut = types[0].dtype.kind == "i" and "f" in kinds  # no standard says what becomes of inf and nan
    if cut or not kinds <= set(SCALARS[op].kinds):
        return False
    return SCALARS[op].exact or (inexact and all(str(type.dtype.numpy) == "float32" for type in ins))


def _is_supported_type(type: TensorType) -> bool:
    return str(type.dtype.numpy) in DTYPES and len(type.shape) <= MAX_AXES


def _is_ordered(graph: Graph, node: int) -> bool:
    return bool(graph.before(node) or graph.after(node))


def loops_of(graph: Graph, options: Options) -> Iterator[Loop]:
    """The loops of a graph, those of a single node too."""
    found = _LoopBuilder(graph, options)
    for node in graph.topological():
        if not graph.op(node).is_leaf:
            found.look(node, can_join_loop(graph, node, inexact=options["inexact"]))
    yield from found.all.values()


def _is_worthwhile(graph: Graph, loop: Loop, options: Options) -> bool:
    """Whether anybody reads what a loop makes, and it has enough nodes: a loop takes as long to start as some calls."""
    nodes = {*loop.nodes}
    if not any(graph.is_out(node) or not nodes.issuperset(graph.users(node)) for node in nodes):
        return False
    widest = max(graph.type(node).nbytes for node in loop.nodes)
    return len(loop.nodes) >= options["min_nodes" if widest >= options["small_bytes"] else "min_small_nodes"]


def _check_positive(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise UsageError(f"fuse_loops: {value!r} is no whole number from 1 up")
    return value


@graph_pass(
    min_nodes=MIN_LOOP_NODES, min_small_nodes=MIN_SMALL_LOOP_NODES, small_bytes=SMALL_RESULT_BYTES,
    max_nodes=MAX_LOOP_NODES, row_bytes=CACHED_ROW_BYTES, inexact=False,
    checks=dict.fromkeys(("min_nodes", "min_small_nodes", "small_bytes", "max_nodes", "row_bytes"), _check_positive),
)  # fmt: skip
def fuse_loops(graph: Graph, *, options: Options) -> None:
    """div(exp(x), sum(exp(x))) -> fused: what one nest of loops computes; keeps every bit.

    Loops have ``min_nodes`` to ``max_nodes`` nodes, and where no result has ``small_bytes``, at least
    ``min_small_nodes``. Rows up to ``row_bytes`` are gone over again. ``inexact``: operators whose loops round
    otherwise than numpy may join.
    """
    chosen = [loop for loop in loops_of(graph, options) if _is_worthwhile(graph, loop, options)]
    groups = [Group(loop.nodes, {"name": "loop"}) for loop in chosen if should_rewrite(graph, "loop", loop.nodes[-1])]
    options.tally["loop"].rewrites += len(outline_groups(graph, groups))
