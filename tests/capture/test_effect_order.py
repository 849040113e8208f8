"""Order edges between effects on the same resource; ``test_effects_as_text.py`` has the orders."""

from minigraph import Parameter, Tensor, ops, trace

X = Tensor([1.0, 2.0])


def test_writes_to_different_parameters_are_not_ordered():
    a, b = (Parameter(Tensor([0.0, 0.0]), name=name) for name in "ab")
    graph = trace(lambda x: (ops.assign(a, x), ops.assign(b, x)), X)
    writing = [node for node in graph if graph.op(node).writes]
    assert len(writing) == 2 and not any(set(graph.before(node)) & set(writing) for node in writing)
