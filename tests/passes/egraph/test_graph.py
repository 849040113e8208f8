"""The e-graph: equal values are in one class."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.ir.graph import producer
from passes import S, Statistics, rule
from passes.egraph import graph as egraph
from passes.egraph.graph import EGraph, is_pure

X = Tensor(np.ones((2, 3), np.float32))


def reduce_sum(x):
    """A sum along any axis."""
    return apply("sum", x, axis=S.axis)


relu_twice = rule(lambda x: (reduce_sum(apply("relu", x)), reduce_sum(apply("relu", apply("relu", x)))))
twice = rule(lambda x: (apply("neg", -x), x))


def saturate(graph, *rules):
    """A saturated e-graph, and its classes."""
    egraph = EGraph(graph, rules, Statistics())
    for _ in range(6):
        if not egraph.iterate():
            break
    return egraph, egraph.representatives()


def test_the_error_without_egglog_has_the_install_command(monkeypatch):
    monkeypatch.setattr(egraph, "bindings", None)
    with pytest.raises(UsageError, match=r"egglog is not installed; pip install 'minigraph\[egraph\]'"):
        EGraph(trace(lambda x: -x, X), [], Statistics())


def classes_of(fn, *rules):
    """The classes of the outputs of a function of two inputs."""
    pytest.importorskip("egglog")
    graph = trace(fn, X, X)
    _, class_of = saturate(graph, *rules)
    return [class_of[producer(ref)] for ref in graph.outs]


def test_equal_computations_are_one_class_and_congruence_reaches_users():
    first, second, third, fourth, fifth, sixth = classes_of(lambda x, y: (x + y, y + x, x - y, y - x, x * 2.0, x * 2.0))
    assert first == second and third != fourth and fifth == sixth
    first, second = classes_of(lambda x, y: (apply("exp", apply("neg", -x)), apply("exp", x)), twice)
    assert first == second


def test_attributes_distinguish_operators_and_are_captured():
    pytest.importorskip("egglog")
    graph = trace(lambda x: tuple(apply("sum", apply("relu", x), axis=axis) for axis in (0, 1)), X)
    before = len(graph)
    _, class_of = saturate(graph, relu_twice)
    first, second = (producer(ref) for ref in graph.outs)
    assert class_of[first] != class_of[second] and len(graph) > before
    new = [node for node in graph if node >= before and str(graph.op(node)) == "sum"]
    assert {graph.attrs(node)["axis"] for node in new} == {graph.attrs(n)["axis"] for n in (first, second)}
    assert {class_of[node] for node in new} == {class_of[first], class_of[second]}
    assert is_pure(graph, first) and not is_pure(graph, graph.inputs[0])
