"""Scatter-add accumulation: a sum of zero-padded slices becomes one tensor into which the slices are added.

::

    %2 = index_add(%0) {key=(0,), shape=(2, 3)}
    %3 = index_add(%1) {key=(1,), shape=(2, 3)}     ->    %5 = scatter_sum(%0, %1) {keys=((0,), (1,)), shape=(2, 3)}
    %4 = add(%2, %3)

The gradient of ``x[key]`` is a zero tensor with one slice filled in, and a tensor that is indexed many times gets as
many gradients of its own size. A zero tensor with an added slice holds no -0, the only number that adding 0 changes,
and the slices are added in the order of the sum. So the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, producer
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.scatter import SCATTER_SUM
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass
def scatter_sums(graph: Graph, *, options: Options) -> None:
    """index_add(a) + index_add(b) -> scatter_sum(a, b): accumulates slices in place; keeps every bit."""
    for root, (adds, parts) in _find_sums(graph).items():
        if should_rewrite(graph, "scatter", root):
            attrs = [graph.attrs(part) for part in parts]
            keys, shape = tuple(attributes["key"] for attributes in attrs), attrs[0]["shape"]
            values = [graph.ins(part)[0] for part in parts]
            total = graph.emit(SCATTER_SUM, values, {"keys": keys, "shape": shape}, sources=(*adds, *parts))
            graph.replace_uses({root: total})
            graph.erase(adds)
            graph.erase({part for part in parts if not graph.use_count(part)})
            options.statistics["scatter"].rewrites += 1


def _find_sums(graph: Graph) -> dict[int, tuple[list[int], list[int]]]:
    """By last addition of each sum: all its additions, and its ``index_add`` terms in the order of addition."""
    parts = {node for node in graph.topological() if _is_index_add(graph, node)}
    sums = dict[int, tuple[list[int], list[int]]]()

    def can_be_total(node: int) -> bool:
        return node in parts or (node in sums and graph.use_count(node) == 1)

    for node in graph.topological() if len(parts) > 1 else ():
        if graph.op(node) is not ADD or not _is_unordered(graph, node):
            continue
        left, right = graph.ins(node)
        for total, part in ((producer(left), producer(right)), (producer(right), producer(left))):
            if total != part and can_be_total(total) and part in parts:
                adds, before = sums.pop(total, ([], [total]))
                sums[node] = [*adds, node], [*before, part]
                break
    return sums


def _is_index_add(graph: Graph, node: int) -> bool:
    return graph.op(node) is INDEX_ADD and len(graph.ins(node)) == 1 and _is_unordered(graph, node)


def _is_unordered(graph: Graph, node: int) -> bool:
    return not graph.before(node) and not graph.after(node)
