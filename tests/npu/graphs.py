"""Graphs for the tests of this package, from hand-written operator records, without operators of the library."""

from itertools import product

from minigraph.core.op import Op
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import TensorType, float16
from minigraph.ir.graph import Graph
from minigraph.ir.structural_ops import INPUT
from minigraph.npu.simulator import simulate


def _same(x, *others, **attrs):
    return x


def _forward(*arrays, **attrs):
    return arrays[0]


def _lane(out, *ins, **attrs):
    return Work(lanes=(("simple", out.size),), read=sum(t.nbytes for t in ins), written=out.nbytes)


def _matmul_type(x, y, **attrs):
    return TensorType((x.shape[0], y.shape[1]), x.dtype)


def _product(out, x, y, **attrs):
    macs = Macs(1, x.shape[0], x.shape[1], y.shape[1])
    return Work(macs=(macs,), read=x.nbytes + y.nbytes, written=out.nbytes)


ADD = Op("test add", _forward, _same, work=_lane)
MATMUL = Op("test matmul", _forward, _matmul_type, work=_product, unit="cube")
VIEW = Op("test view", _forward, _same, unit="none", family="view", view=True)


def graph_of(*shapes, dtype=float16, title="test"):
    """A graph with one input per shape, and the inputs' ids."""
    graph = Graph(title=title)
    for i, shape in enumerate(shapes):
        graph.inputs.append(graph.emit(INPUT, (), {"name": f"x{i}"}, [TensorType(shape, dtype)]))
    return graph, list(graph.inputs)


def matmul_add(m=512, k=512, n=512, dtype=float16):
    """x @ w + b, the smallest graph that uses cube and vector cores."""
    graph, (x, w, b) = graph_of((m, k), (k, n), (m, n), dtype=dtype, title="matmul_add")
    product = graph.emit(MATMUL, [x, w])
    graph.set_outs([graph.emit(ADD, [product, b])])
    return graph


def chain(length, n=1024):
    """Additions one after another."""
    graph, (x,) = graph_of((n,), title="chain")
    for _ in range(length):
        x = graph.emit(ADD, [x, x])
    graph.set_outs([x])
    return graph


def reports(*graphs, engines=("event",), chips=("ascend910b1",), **settings):
    """The report of every engine on every graph and chip."""
    every = product(graphs, engines, chips)
    return [simulate(graph, engine=engine, chip=chip, **settings) for graph, engine, chip in every]


def empty_graph(title="test"):
    """A graph that returns its input."""
    graph, (x,) = graph_of((4,), title=title)
    graph.set_outs([x])
    return graph
