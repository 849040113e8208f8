"""assign, depend, Print, stop_gradient and random draws as functions."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, float16, grad, int32, ops
from minigraph.capture.trace import trace
from tests.tables import cases


def test_assign_casts_takes_a_plain_tensor_and_refuses_another_shape():
    # assign casts and takes a plain tensor too
    # assign casts to the variables dtype
    p = Parameter(Tensor([1.0], float16), name="p")
    assert ops.assign(p, Tensor([2.5])).dtype is float16
    assert p.tolist() == [2.5]
    # assign takes a plain tensor too
    x = Tensor([1.0])
    ops.assign(x, Tensor([4.0]))
    assert x.tolist() == [4.0]
    # assign refuses another shape
    p = Parameter(Tensor([1.0]), name="p")
    with pytest.raises(errors.ShapeError, match="assign to 'p'"):
        ops.assign_add(p, Tensor([1.0, 2.0]))
    assert p.tolist() == [1.0]


@pytest.mark.parametrize("value", [True, None, 3, "text", (1, 2)])
def test_depend_gives_any_value_back_when_nothing_is_traced(value):
    assert ops.depend(value, Tensor([1.0])) is value
    assert ops.depend(value, None) is value


def depends(graph):
    return [node for node in graph.topological() if graph.op(node).role == "depend"]


def test_depend_ties_every_tensor_and_lifts_a_number():
    # depend ties every tensor of the value to every tensor of the expression
    graph = trace(lambda x, y: ops.depend((x, [y, "s"]), {"a": x * y, "b": (y,)}), Tensor([1.0]), Tensor([2.0]))
    assert [len(graph.ins(node)) for node in depends(graph)] == [3, 3]
    # depend lifts a number while tracing
    graph = trace(lambda x: ops.depend(True, x * 2), Tensor([1.0]))
    assert len(depends(graph)) == 1
    assert not depends(trace(lambda x: (x, ops.depend(True, None))[0], Tensor([1.0])))


def test_no_gradient_passes_what_is_stopped_or_dropped():
    # no gradient passes a stopped value
    assert grad(lambda x: (ops.identity(x) * ops.stop_gradient(x * 3)).sum())(Tensor([2.0])).tolist() == [6.0]
    # no gradient flows into what dropout drops
    ops.set_seed(0)
    x = Tensor(np.ones(100, np.float32))
    kept = ops.dropout(x, 0.5).array != 0
    ops.set_seed(0)
    assert np.array_equal(grad(lambda x: ops.dropout(x, 0.5).sum())(x).array, np.where(kept, 2.0, 0.0))


@cases(
    (lambda: ops.standard_normal((2, 3)), (2, 3)),
    (lambda: ops.normal((4,), 10.0, 0.1), (4,)),
    (lambda: ops.uniform((2,), -1.0, 1.0), (2,)),
    (lambda: ops.rand(2, 2), (2, 2)),
    (lambda: ops.randn((3,)), (3,)),
    (lambda: ops.randint(0, 5, (20,)), (20,)),
)
def test_draws_repeat_after_set_seed(draw, shape):
    ops.set_seed(3)
    first, second = draw(), draw()
    ops.set_seed(3)
    assert first.shape == shape
    assert draw().tolist() == first.tolist() != second.tolist()


def test_draws_lie_where_they_should():
    assert (np.abs(ops.normal((100,), 10.0, 0.1).array - 10) < 1).all()
    assert (np.abs(ops.uniform((100,), -1.0, 1.0).array) <= 1).all()
    assert ops.randint(0, 5, (2,), dtype=int32).dtype is int32
