import numpy as np
import pytest

from minigraph import Tensor, grad, jit, nn, ops
from minigraph.core.location import CELL_SCOPE
from minigraph.nn.scope import with_scope
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
    # gradients have the scope of what they are gradients of
    outer = Outer()
    graph = jit(lambda x: grad(lambda v: outer(v).sum())(x)).graph(Tensor([1.0]), pipeline=())
    assert {"Outer/first", "Outer/rest/1"} <= set(scopes(graph, "mul"))


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
