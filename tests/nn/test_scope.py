import numpy as np
import pytest

from minigraph import Tensor, grad, jit, nn, ops
from minigraph.core.location import CELL_SCOPE
from minigraph.nn.scope import track_scopes, with_scope
from tests.nn.cells import AttributeCell


class Inner(nn.Cell):
    def construct(self, x):
        return ops.exp(x)


class Outer(AttributeCell):
    def __init__(self):
        super().__init__(first=Inner(), rest=nn.CellList([Inner(), Inner()]))

    def construct(self, x):
        x = self.first(x) + 1.0
        for cell in self.rest:
            x = cell(x)
        return Inner()(x)


def scopes(graph, name):
    return [graph.loc(node)[0].scope for node in graph if graph.op(node).name == name]


def test_nodes_and_their_gradients_carry_the_path_of_their_cell():
    # nodes carry the path of the cell that made them
    graph = jit(Outer()).graph(Tensor([1.0]), pipeline=())
    assert scopes(graph, "exp") == ["Outer/first", "Outer/rest/0", "Outer/rest/1", "Outer/Inner"]
    assert scopes(graph, "add") == ["Outer"]
    # a gradient has the scope of its primal
    outer = Outer()
    graph = jit(lambda x: grad(lambda v: outer(v).sum())(x)).graph(Tensor([1.0]), pipeline=())
    assert {"Outer/first", "Outer/rest/1"} <= set(scopes(graph, "mul"))


def test_a_scope_is_a_call_of_a_cell_not_the_cell():
    class Shared(AttributeCell):
        def construct(self, x):
            for dense in self.layers:
                x = self.relu(dense(x))
            return x

    def network():
        return Shared(relu=nn.ReLU(), layers=nn.CellList([nn.Dense(2, 2) for _ in range(3)]))

    shared = network()
    for _ in range(2):  # each capture counts its own calls
        graph = jit(shared).graph(Tensor([[1.0, 2.0]]), pipeline=())
        assert scopes(graph, "relu") == ["Shared/relu", "Shared/relu#2", "Shared/relu#3"]
        assert scopes(graph, "matmul") == [f"Shared/layers/{k}" for k in range(3)]
    graph = jit(lambda x: shared(x) + shared(x + 1.0)).graph(Tensor([[1.0, 2.0]]), pipeline=())
    assert scopes(graph, "relu")[::3] == ["Shared/relu", "Shared#2/relu"]


def test_eager_calls_are_counted_while_scopes_are_tracked():
    inner, seen = Inner(), []
    for _ in range(2):
        with track_scopes():
            for _ in range(2):
                with_scope(inner, lambda: seen.append(CELL_SCOPE.get()))()
    assert seen == ["Inner", "Inner#2"] * 2


def test_no_scope_is_left_behind_by_errors_and_eager_calls():
    # eager calls are not slowed by scopes
    np.testing.assert_allclose(Inner()(Tensor([0.0])).asnumpy(), [1.0])
    assert CELL_SCOPE.get() == ""

    # an error leaves no scope behind
    def fail():
        assert CELL_SCOPE.get() == "Outer"
        raise ValueError

    with pytest.raises(ValueError):
        with_scope(Outer(), fail)()
    assert CELL_SCOPE.get() == ""
