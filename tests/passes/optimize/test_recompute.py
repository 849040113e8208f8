"""Rematerialization lowers the memory peak, with the same bits."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.ir.verify import verify
from minigraph.npu import cycles
from passes import as_pipeline
from passes.optimize.buffer_assignment import LiveRanges
from tests.passes.programs import program

CLEAN = "lower_depend,canonicalize,cse,dce"


def perceptron(depth, width=16, batch=64):
    """A training step of so many dense layers with gelu."""
    net = nn.SequentialCell([layer for _ in range(depth) for layer in (nn.Dense(width, width), nn.GELU())])
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    rng = np.random.default_rng(0)
    inputs = [Tensor(rng.normal(size=(batch, width)).astype(np.float32)) for _ in range(2)]
    graph = ms.jit(step, pipeline=()).graph(*inputs)
    as_pipeline(CLEAN).run(graph)
    return graph, inputs


def peak(graph):
    """The peak of live bytes."""
    return LiveRanges(graph).peak()[0]


@pytest.mark.parametrize("depth", [4, 8])
def test_deep_networks_keep_one_value_per_layer_instead_of_two(depth):
    plain, inputs = perceptron(depth)
    lean = plain.clone()
    (record,) = as_pipeline("recompute").run(lean, validate=True)
    assert record.rules["recompute"].rewrites == depth - 1
    assert peak(lean) < 0.8 * peak(plain)
    assert cycles(plain) < cycles(lean) < 1.15 * cycles(plain)
    state = [parameter.array.copy() for parameter in plain.params.values()]
    results = []
    for graph in (plain, lean):
        for parameter, array in zip(graph.params.values(), state, strict=True):
            parameter.array = array.copy()
        out = ms.execute.compile.compile_graph(graph)(*(x.array for x in inputs))
        results.append([out[0].tobytes(), *(parameter.array.tobytes() for parameter in graph.params.values())])
    assert results[0] == results[1]


def test_copies_survive_cse():
    graph, _ = perceptron(4)
    as_pipeline("recompute").run(graph)
    count, low = len(graph), peak(graph)
    as_pipeline("cse,dce").run(graph)
    assert len(graph) == count and peak(graph) == low


def test_it_stops_at_the_target_size():
    plain, _ = perceptron(8)
    enough, least = plain.clone(), plain.clone()
    as_pipeline("recompute").run(least)
    (record,) = as_pipeline(f"recompute{{bytes={peak(plain)}}}").run(enough)
    assert not record.changed and peak(least) < peak(plain)


@pytest.mark.parametrize("seed", range(40))
def test_the_peak_never_increases(seed):
    graph = program(seed)
    before = peak(graph)
    as_pipeline("recompute").run(graph)
    verify(graph)
    assert peak(graph) <= before
