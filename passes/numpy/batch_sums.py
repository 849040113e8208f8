"""Sum batching: a long chain of additions of small tensors becomes one reduction of a stack.

::

    %3 = mul(%0, %w)    ...                         %9 = stack(%0, %1, ...) {axis=0}
    %5 = add(%3, %4)                        ->     %10 = mul(%9, %w)
    %6 = add(%5, %7)    ...                        %11 = sum_rows(%10)

The gradient of a value that a loop reads in every iteration is a chain of additions, and for small tensors numpy's call
overhead dominates. Equal elementwise operations on the terms are batched as well. A reduction over the first axis of a
stack adds in the same order, and an elementwise operator treats all elements of a stack alike. So the pass keeps
every bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice, takewhile

from minigraph.core.machine import MAX_BATCHED_TERM_BYTES, MIN_BATCHED_SUM_TERMS
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.graph_reader import GraphReader
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX
from minigraph.operators.joining import CONCAT, STACK
from minigraph.operators.reduce import SUM_ROWS
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass(min_terms=MIN_BATCHED_SUM_TERMS, max_bytes=MAX_BATCHED_TERM_BYTES)
def batch_sums(graph: Graph, *, options: Options) -> None:
    """a + b + ... -> sum_rows(stack(a, b, ...)): at least ``min_terms`` terms of up to ``max_bytes``; bit-exact."""
    stacks, totals = _StackBuilder(graph, options["min_terms"]), dict[Ref, Ref]()
    sums = sorted(_find_sums(graph, options["max_bytes"]).items(), key=lambda item: -len(item[1][1]))
    for root, (adds, terms) in sums:
        if len(terms) >= options["min_terms"] and should_rewrite(graph, "sum", root):
            stack = stacks.stack([totals.get(term, term) for term in terms])
            totals[root] = graph.emit(SUM_ROWS, (stack,), sources=tuple(adds))
            graph.replace_uses({root: totals[root]})
            for node in (*reversed(adds), *map(producer, terms)):
                if node in graph and not graph.use_count(node) and not graph.op(node).is_leaf:
                    graph.erase([node])
            options.statistics["sum"].rewrites += 1


def _find_sums(graph: Graph, max_bytes: int) -> dict[int, tuple[list[int], list[Ref]]]:
    """By last addition of each sum of small tensors: all its additions, and its terms in the order of addition."""
    sums = dict[int, tuple[list[int], list[Ref]]]()

    def can_extend(total: Ref, term: Ref) -> bool:
        return total in sums and total != term and graph.use_count(producer(total)) == 1

    for node in graph.topological():
        if is_small_sum(graph, node, max_bytes):
            left, right = graph.ins(node)
            total, term = (right, left) if can_extend(right, left) and not can_extend(left, right) else (left, right)
            adds, terms = sums.pop(producer(total)) if can_extend(total, term) else ([], [total])
            adds.append(node)
            terms.append(term)
            sums[node] = adds, terms
    return sums


def is_small_sum(graph: GraphReader, node: int, max_bytes: int = MAX_BATCHED_TERM_BYTES) -> bool:
    """Whether a node adds two small float tensors of one type and of more than one element."""
    if graph.op(node) is not ADD or graph.before(node) or graph.after(node):
        return False
    type = graph.type(node)
    fits = type.size > 1 and type.nbytes <= max_bytes and type.dtype.is_float
    return fits and all(graph.type(ref) == type for ref in graph.ins(node))


class _StackBuilder:
    """Stacks tensors of one type; tensors of an existing stack become slices of it."""

    def __init__(self, graph: Graph, min_terms: int) -> None:
        self.graph, self.min_terms = graph, min_terms
        self.stacks: list[tuple[list[Ref], dict[Ref, int], int]] = []  # terms, their positions, the node

    def stack(self, terms: Sequence[Ref]) -> int:
        """A node with all terms along a new first axis: batched operations, slices of stacks, stacks of the others."""
        parts, unbatched, position = list[int](), list[Ref](), 0
        nodes = [*map(producer, terms)]
        while position < len(terms):
            count, emit = self._batchable_run(terms, nodes, position)
            if count >= self.min_terms:
                parts += [*self._emit_stack(unbatched), emit()]
                unbatched, position = [], position + count
            else:
                unbatched.append(terms[position])
                position += 1
        parts += self._emit_stack(unbatched)
        return parts[0] if len(parts) == 1 else self.graph.emit(CONCAT, parts, {"axis": 0})

    def _emit_stack(self, terms: list[Ref]) -> list[int]:
        if not terms:
            return []
        node = self.graph.emit(STACK, terms, {"axis": 0}, sources=tuple(map(producer, terms)))
        self.stacks.append((terms, {term: k for k, term in reversed([*enumerate(terms)])}, node))
        return [node]

    def _batchable_run(
        self, terms: Sequence[Ref], nodes: Sequence[int], position: int
    ) -> tuple[int, Callable[[], int]]:
        """How many terms from a position on are a slice of a stack or can be one batched operation; emits its node."""
        for others, positions, node in self.stacks:
            start = positions.get(terms[position], len(others))
            pairs = zip(islice(terms, position, None), islice(others, start, None), strict=False)
            count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) if start < len(others) else 0
            if count >= self.min_terms:
                return count, partial(self._slice, node, start, count, len(others))
        shared = self._shared_operands(nodes[position : position + 2])
        end = position
        while end < len(nodes) and self._is_same_operation(nodes[end], nodes[position], shared):
            end += 1
        return end - position, partial(self._emit_batched, nodes[position:end], shared)

    def _slice(self, node: int, start: int, count: int, size: int) -> int:
        key = ((start, start + count, 1),)
        return node if count == size else self.graph.emit(INDEX, (node,), {"key": key}, sources=(node,))

    def _shared_operands(self, nodes: Sequence[int]) -> list[bool]:
        """Which operands the first two nodes share."""
        first, second = (self.graph.ins(node) for node in (nodes[0], nodes[min(1, len(nodes) - 1)]))
        return [ref in second[k : k + 1] for k, ref in enumerate(first)]

    def _is_same_operation(self, node: int, first: int, shared: Sequence[bool]) -> bool:
        """Whether an elementwise node with one user equals the first in operator, attributes, ``shared`` operands."""
        graph = self.graph
        has_one_user = graph.use_count(node) == 1 and not graph.before(node) and not graph.after(node)
        if not has_one_user or graph.op(node) is not graph.op(first) or graph.op(node).family != "elementwise":
            return False
        if len(graph.types(node)) != 1 or graph.attrs(node) != graph.attrs(first):
            return False
        return all(
            operand == other if is_shared else graph.type(operand).shape == graph.type(node).shape
            for operand, other, is_shared in zip(graph.ins(node), graph.ins(first), shared, strict=True)
        )

    def _emit_batched(self, nodes: Sequence[int], shared: Sequence[bool]) -> int:
        """One batched node for several nodes."""
        graph, (first, *_) = self.graph, nodes
        columns = zip(*map(graph.ins, nodes), strict=True)
        operands = [
            column[0] if is_shared else self.stack(column) for column, is_shared in zip(columns, shared, strict=True)
        ]
        return graph.emit(graph.op(first), operands, graph.attrs(first), sources=tuple(nodes))
