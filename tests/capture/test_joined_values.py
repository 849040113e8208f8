"""Numbers and tensors that two branches, or a loop, give the same variable."""

import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.capture.joined_values import WRITTEN_JOIN, examples_in_eager_mode, mark_numbers
from minigraph.capture.tracer import NUMBER_FROM_TENSOR, is_number_tracer
from minigraph.core.errors import CaptureError

X = Tensor([1.0, 2.0])


def returns_number(x):
    return 1 if x.sum() > 0 else 2


def adds_large_number(x):
    k = 3 if x.sum() > 0 else 4
    return k * 0.5


def writes_to_what_may_be_its_argument(x):
    y = x if x.sum() > 0 else x + 1
    y[0] = 5.0
    return x


@pytest.mark.parametrize(("function", "reason"), [
    (returns_number, NUMBER_FROM_TENSOR), (adds_large_number, NUMBER_FROM_TENSOR),
    (writes_to_what_may_be_its_argument, WRITTEN_JOIN),
])  # fmt: skip
def test_graphs_that_would_differ_from_eager_mode_are_refused(function, reason):
    with pytest.raises(CaptureError, match=reason):
        ms.jit(function, fullgraph=True)(Tensor([1.0, 2.0]))
    with pytest.warns(UserWarning):
        captured = ms.jit(function)(Tensor([1.0, 2.0]))
    eager = function(Tensor([1.0, 2.0]))
    assert type(captured) is type(eager) and str(captured) == str(eager)


def test_a_number_that_is_an_operand_is_captured():
    def scale(x):
        k = 1.0 if x.sum() > 0 else 2.0
        return x * k

    assert ms.jit(scale, fullgraph=True)(X).tolist() == scale(X).tolist()


def test_only_tracers_are_marked():
    mark_numbers([X], [1])
    assert not is_number_tracer(X)
    assert examples_in_eager_mode([X, 1], [2, 3]) == [X, 3]
