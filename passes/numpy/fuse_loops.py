"""Loop fusion: elementwise operators and trailing reductions that one loop nest can compute become one fused node.

::

    %2 = exp(%0)                                ->    %4, %5 = fused(%0) {name="loop"}
    %3 = sum(%2) {axis=(1,), keepdims=true}           (body: exp, sum, div)
    %4 = div(%2, %3)

Problem: partition the nodes into loop nests so that intermediate values stay in registers or in cache. Finding the best
partition is NP-hard (Kennedy and McKinley 1993, "Maximizing loop parallelism and improving data locality via loop
fusion and distribution"). Method: greedy fusion in topological order. A node joins the open groups of its operands if
one loop nest can compute all of them: elementwise nodes of one iteration shape, reductions of that shape over its last
axes, and elementwise nodes on reduced values.

Invariants: a node is in one group at most. A group closes when a node outside reads one of its values, so all nodes of
a group precede its readers; no path leaves a group and returns, and every group is convex. The body holds the same
operators, so the pass keeps every bit. Not handled: reductions over other than the last axes, two different reductions
in one nest, nodes with order edges, and fusion across groups that are already closed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from minigraph.core.errors import UsageError
from minigraph.core.machine import (
    CACHED_ROW_BYTES,
    MAX_LOOP_NODES,
    MIN_LOOP_NODES,
    MIN_SMALL_LOOP_NODES,
    NODES_PER_SMALL_ARRAY,
    SMALL_RESULT_BYTES,
)
from minigraph.core.types import Shape, TensorType
from minigraph.ir.graph import Graph, producer
from minigraph.ir.outline import Group, outline_groups
from minigraph.operators.scalar_expressions import DTYPES, MAX_AXES, REDUCTIONS, SCALARS
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

NO_NODES: frozenset[int] = frozenset()


class Loop(NamedTuple):
    """A loop nest: nodes elementwise in ``shape``, reductions of its last ``trailing`` axes, and nodes on these.

    Of the ``nodes``, ``reduced`` have reduced values; ``after_reduction`` have the full shape but depend on reduced
    values, so they need a second pass over each row.
    """

    shape: Shape
    trailing: int = 0
    nodes: tuple[int, ...] = ()
    reduced: frozenset[int] = NO_NODES
    after_reduction: frozenset[int] = NO_NODES

    def with_node(self, graph: Graph, node: int, row_bytes: int) -> Loop | None:
        """The loop with one more node, or ``None`` if the node cannot join."""
        if graph.op(node) in REDUCTIONS:
            return self._append_reduction(graph, node)
        inside = [ref for ref in map(producer, graph.ins(node)) if ref in self.nodes]
        if graph.type(node).shape == self.shape:
            return self._append_elementwise(graph, node, inside, row_bytes)
        return self._append_reduced(graph, node, inside)

    def _append_reduction(self, graph: Graph, node: int) -> Loop | None:
        trailing, (operand, *_) = trailing_axes(graph, node), graph.ins(node)
        if not trailing or self.trailing not in (0, trailing) or graph.type(operand).shape != self.shape:
            return None
        if producer(operand) in self.reduced:
            return None
        return self._append(node)._replace(trailing=trailing, reduced=self.reduced | {node})

    def _append_elementwise(self, graph: Graph, node: int, inside: list[int], row_bytes: int) -> Loop | None:
        """The loop with a node of its shape; after a reduction only if a row stays in cache for the second pass."""
        reduced_operands = self.reduced.intersection(inside)
        if not all(len(graph.type(operand).shape) in (0, len(self.shape)) for operand in reduced_operands):
            return None
        if not reduced_operands and self.after_reduction.isdisjoint(inside):
            return self._append(node)
        row_elements = math.prod(self.shape[len(self.shape) - self.trailing :])
        if row_elements * graph.type(node).dtype.itemsize > row_bytes:
            return None
        return self._append(node)._replace(after_reduction=self.after_reduction | {node})

    def _append_reduced(self, graph: Graph, node: int, inside: list[int]) -> Loop | None:
        """The loop with a node on reduced values."""
        shape = graph.type(node).shape
        reduced_shape = self.shape[: len(self.shape) - self.trailing] + (1,) * self.trailing
        has_reduced_operands = inside and all(ref in self.reduced and graph.type(ref).shape == shape for ref in inside)
        outside = (graph.type(ref) for ref in graph.ins(node) if producer(ref) not in self.nodes)
        if not has_reduced_operands or not (shape == reduced_shape or all(type.size == 1 for type in outside)):
            return None
        return self._append(node)._replace(reduced=self.reduced | {node})

    def _append(self, node: int) -> Loop:
        return self._replace(nodes=(*self.nodes, node))

    def with_loop(self, other: Loop) -> Loop | None:
        """The union of two loops, or ``None`` if their shapes or reductions differ."""
        trailing = self.trailing or other.trailing
        if self.shape != other.shape or other.trailing not in (0, trailing):
            return None
        after_reduction = self.after_reduction | other.after_reduction
        return Loop(self.shape, trailing, self.nodes + other.nodes, self.reduced | other.reduced, after_reduction)


def trailing_axes(graph: Graph, node: int) -> int:
    """The number of axes of a reduction over the last axes; 0 for other axes, or if they have one element."""
    shape, axis = graph.type(graph.ins(node)[0]).shape, graph.attrs(node)["axis"]
    first_axis = len(shape) - len(axis)
    return len(axis) if axis == tuple(range(first_axis, len(shape))) and math.prod(shape[first_axis:]) > 1 else 0


class _LoopBuilder:
    """Grows loops node by node: ``loops`` are all of them by first node, ``open`` those that can grow, by node."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph, self.loops, self.open = graph, dict[int, Loop](), dict[int, Loop]()
        self.max_nodes, self.row_bytes = options["max_nodes"], options["row_bytes"]

    def add_node(self, node: int, joins: bool) -> None:
        """Add a node to the loops of its operands, or to a new loop; close the loops that it reads from outside."""
        sources = map(producer, reversed(self.graph.ins(node)))
        adjacent = {loop.nodes[0]: loop for source in sources if (loop := self.open.get(source)) is not None}
        merged: Loop | None = None  # the loops that the node joins, without and with the node
        extended: Loop | None = None
        for loop in adjacent.values():
            union = loop if merged is None else merged.with_loop(loop)
            candidate = self._try_extend(union, node) if joins and union is not None else None
            if candidate is None:
                self._close(loop)
            else:
                merged, extended = union, candidate
                self.loops.pop(loop.nodes[0], None)
        if extended is None and joins:
            iterated = self.graph.ins(node)[0] if self.graph.op(node) in REDUCTIONS else node  # a reduction's operand
            extended = self._try_extend(Loop(self.graph.type(iterated).shape), node)
        if extended is not None:
            self.loops[extended.nodes[0]] = extended
            self.open.update(dict.fromkeys(extended.nodes, extended))

    def _try_extend(self, loop: Loop, node: int) -> Loop | None:
        return loop.with_node(self.graph, node, self.row_bytes) if len(loop.nodes) < self.max_nodes else None

    def _close(self, loop: Loop) -> None:
        for node in loop.nodes:
            del self.open[node]


def can_join_loop(graph: Graph, node: int, *, inexact: bool = False) -> bool:
    """Whether a loop can compute a node of its dtypes; with ``inexact``, also if the loop rounds differently."""
    op, types = graph.op(node), graph.types(node)
    if (op not in SCALARS and op not in REDUCTIONS) or graph.before(node) or graph.after(node):
        return False
    ins = [graph.type(ref) for ref in graph.ins(node)]
    if len(types) != 1 or not types[0].size or not all(map(_is_supported_type, (*types, *ins))):
        return False
    kinds = {type.dtype.kind for type in ins}
    if op in REDUCTIONS:
        return kinds <= set(REDUCTIONS[op].kinds if inexact else REDUCTIONS[op].exact) and ins[0].size > 0
    truncates = types[0].dtype.kind == "i" and "f" in kinds  # converting inf and nan to integers is undefined
    if truncates or not kinds <= set(SCALARS[op].kinds):
        return False
    return SCALARS[op].exact or (inexact and all(str(type.dtype.numpy) == "float32" for type in ins))


def _is_supported_type(type: TensorType) -> bool:
    return str(type.dtype.numpy) in DTYPES and len(type.shape) <= MAX_AXES


def loops_of(graph: Graph, options: Options) -> Iterator[Loop]:
    """The loops of a graph, including loops of one node."""
    builder = _LoopBuilder(graph, options)
    for node in graph.topological():
        if not graph.op(node).is_leaf:
            builder.add_node(node, can_join_loop(graph, node, inexact=options["inexact"]))
    yield from builder.loops.values()


def _is_worthwhile(graph: Graph, loop: Loop, options: Options) -> bool:
    """Whether a loop's results are used and it has enough nodes to amortise the cost of starting a kernel.

    For small tensors, passing each array, operand or result, adds to that cost.
    """
    nodes = {*loop.nodes}
    results = sum(graph.is_out(node) or not nodes.issuperset(graph.users(node)) for node in nodes)
    if max(graph.type(node).nbytes for node in nodes) >= options["small_bytes"]:
        return results > 0 and len(nodes) >= options["min_nodes"]
    operands = {ref for node in nodes for ref in graph.ins(node) if producer(ref) not in nodes}
    min_nodes = max(options["min_small_nodes"], options["nodes_per_array"] * (len(operands) + results))
    return results > 0 and len(nodes) >= min_nodes


def _check_positive(value: object) -> int:
    if not isinstance(value, int) or value < 1:
        raise UsageError(f"fuse_loops: {value!r} is not a positive integer")
    return value


@graph_pass(
    min_nodes=MIN_LOOP_NODES, min_small_nodes=MIN_SMALL_LOOP_NODES, small_bytes=SMALL_RESULT_BYTES,
    nodes_per_array=NODES_PER_SMALL_ARRAY, max_nodes=MAX_LOOP_NODES, row_bytes=CACHED_ROW_BYTES, inexact=False,
    checks=dict.fromkeys(("min_nodes", "min_small_nodes", "small_bytes", "max_nodes", "row_bytes"), _check_positive),
)  # fmt: skip
def fuse_loops(graph: Graph, *, options: Options) -> None:
    """div(exp(x), sum(exp(x))) -> fused: one loop nest for elementwise operators and reductions; keeps every bit.

    Loops have ``min_nodes`` to ``max_nodes`` nodes; if all results are smaller than ``small_bytes``, at least
    ``min_small_nodes``, and ``nodes_per_array`` for each operand and result. Rows of up to ``row_bytes`` may be
    traversed twice. With ``inexact``, operators whose loops round differently from numpy may join.
    """
    worthwhile_loops = [loop for loop in loops_of(graph, options) if _is_worthwhile(graph, loop, options)]
    groups = [
        Group(loop.nodes, {"name": "loop"})
        for loop in worthwhile_loops
        if should_rewrite(graph, "loop", loop.nodes[-1])
    ]
    options.statistics["loop"].rewrites += len(outline_groups(graph, groups))
