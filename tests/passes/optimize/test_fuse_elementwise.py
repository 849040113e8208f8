"""What is fused: elementwise, pure, more than one element."""

import pytest

from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32
from minigraph.ir.text import parse
from passes import PASSES
from passes.optimize.fuse_elementwise import is_elementwise

fuse_elementwise = PASSES["fuse_elementwise"]


def chain(length, type):
    """neg of neg of ... of the input."""
    graph = parse(f'graph f(%0)\n%0 = input() {{name="x"}} : {type}\nreturn %0')
    for node in range(length):
        graph.emit(TABLE["neg"], (node,))
    graph.set_outs([length])
    return graph


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 128, 200])
@pytest.mark.parametrize("limit", [1, 2, 64])
def test_chains_are_cut_into_groups_of_the_limit(length, limit):
    graph = chain(length, TensorType((2,), float32))
    fuse_elementwise(graph, max_nodes=limit)
    sizes = [len(graph.regions(n)[0]) - 1 for n in graph if graph.op(n).role == "fused"]
    alone = sum(graph.op(n) is TABLE["neg"] for n in graph)
    assert sum(sizes) + alone == length
    assert all(2 <= size <= limit for size in sizes)
    assert alone == (length if limit == 1 else int(length % limit == 1))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0,), (2, 0)])
def test_nothing_with_one_element_or_none_is_fused(shape):
    graph = chain(3, TensorType(shape, float32))
    fuse_elementwise(graph)
    assert len(graph) == 4


@pytest.mark.parametrize("op", list(TABLE.values()), ids=str)
def test_the_family_decides(op):
    graph = chain(1, TensorType((2,), float32))
    graph.nodes[1]["op"] = TABLE[str(op)]
    assert is_elementwise(graph, 1) is (TABLE[str(op)].family == "elementwise" and not TABLE[str(op)].effects)
