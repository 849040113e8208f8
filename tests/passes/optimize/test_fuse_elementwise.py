"""Fused operators: elementwise, pure, more than one element."""

import pytest

from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32
from passes import PASSES
from passes.optimize.fuse_elementwise import is_elementwise
from tests.passes.small_graphs import chain_graph

fuse_elementwise = PASSES["fuse_elementwise"]


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 128, 200])
@pytest.mark.parametrize("limit", [1, 2, 64])
def test_chains_are_split_into_groups_of_the_maximal_size(length, limit):
    graph = chain_graph(*["neg"] * length)
    fuse_elementwise(graph, max_nodes=limit)
    sizes = [len(graph.regions(n)[0]) - 1 for n in graph if graph.op(n).role == "fused"]
    alone = sum(graph.op(n) is TABLE["neg"] for n in graph)
    assert sum(sizes) + alone == length
    assert all(2 <= size <= limit for size in sizes)
    assert alone == (length if limit == 1 else int(length % limit == 1))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0,), (2, 0)])
def test_nothing_with_one_element_or_none_is_fused(shape):
    graph = chain_graph("neg", "neg", "neg", type=TensorType(shape, float32))
    fuse_elementwise(graph)
    assert len(graph) == 4


@pytest.mark.parametrize("op", list(TABLE.values()), ids=str)
def test_the_family_decides(op):
    graph = chain_graph("neg")
    graph.nodes[1]["op"] = TABLE[str(op)]
    assert is_elementwise(graph, 1) is (TABLE[str(op)].family == "elementwise" and not TABLE[str(op)].effects)
