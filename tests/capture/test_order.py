"""Order edges: what writes and prints, and in which order."""

from minigraph import Parameter, Tensor, ops, trace

X = Tensor([1.0, 2.0])


def weight(name="w"):
    return Parameter(Tensor([0.0, 0.0]), name=name)


def order(graph):
    """The order edges, as pairs of positions among the operators with effects."""
    nodes = [node for node in graph.topological() if graph.op(node).writes]
    return {(nodes.index(a), nodes.index(b)) for b in nodes for a in graph.before(b) if a in nodes}


def test_writes_to_one_parameter_are_ordered():
    w = weight()
    graph = trace(lambda x: (ops.assign(w, x), ops.assign(w, x * 2.0), ops.assign(w, x * 3.0)), X)
    ordered = order(graph) | {(0, 1), (1, 2)} & data(graph)
    assert {(0, 1), (1, 2)} <= ordered


def data(graph):
    """The data edges between operators with effects, as pairs of positions."""
    nodes = [node for node in graph.topological() if graph.op(node).writes]
    return {(nodes.index(ref), nodes.index(node)) for node in nodes for ref in graph.ins(node) if ref in nodes}


def test_writes_to_different_parameters_are_not():
    a, b = weight("a"), weight("b")
    assert order(trace(lambda x: (ops.assign(a, x), ops.assign(b, x)), X)) == set()


def test_prints_are_ordered():
    def fn(x):
        for text in "abc":
            ops.Print()(text)
        return x

    assert {(0, 1), (1, 2)} <= order(trace(fn, X))


def test_without_auto_depend_nothing_is_ordered_nor_kept():
    w = weight()

    def fn(x):
        ops.Print()("a")
        ops.Print()("b")
        ops.assign(w, x)
        return x

    graph = trace(fn, X, auto_depend=False)
    assert order(graph) == set()
    assert not graph.keep_effects
    assert trace(fn, X).keep_effects
