import numpy as np
import pytest

from minigraph import Tensor, grad, jit, nn, ops
from minigraph.core.location import SCOPE
from minigraph.nn.scope import scoped
from tests.nn.cells import Holding


class Inner(nn.Cell):
    def construct(self, x):
        return ops.exp(x)


class Outer(Holding):
    def __init__(self):
        super().__init__(first=Inner(), rest=nn.CellList([Inner(), Inner()]))

    def construct(self, x):
        x = self.first(x) + 1.0
        for cell in self.rest:
            x = cell(x)
        return Inner()(x)


def scopes(graph, name):
    return [graph.loc(node)[0].scope for node in graph if graph.op(node).name == name]


def test_nodes_carry_the_path_of_the_cell_that_made_them():
    graph = jit(Outer()).graph(Tensor([1.0]), pipeline=())
    assert scopes(graph, "exp") == ["Outer/first", "Outer/rest/0", "Outer/rest/1", "Outer/Inner"]
    assert scopes(graph, "add") == ["Outer"]


def test_gradients_have_the_scope_of_what_they_are_gradients_of():
    outer = Outer()
    graph = jit(lambda x: grad(lambda v: outer(v).sum())(x)).graph(Tensor([1.0]), pipeline=())
    assert {"Outer/first", "Outer/rest/1"} <= set(scopes(graph, "mul"))


def test_an_error_leaves_no_scope_behind():
    def fail():
        assert SCOPE.get() == "Outer"
        raise ValueError

    with pytest.raises(ValueError):
        scoped(Outer(), fail)()
    assert SCOPE.get() == ""


def test_eager_calls_are_not_slowed_by_scopes():
    np.testing.assert_allclose(Inner()(Tensor([0.0])).asnumpy(), [1.0])
    assert SCOPE.get() == ""
