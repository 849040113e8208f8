"""Gradients of bodies."""

from minigraph import Tensor, ops, trace
from minigraph.execute.interpret import interpret
from minigraph.ir.verify import verify
from minigraph.operators.region_gradients import gradient_body, without_effects

X = Tensor([1.0, 2.0])


def test_a_gradient_body_maps_cotangents_to_gradients():
    # a gradient body takes cotangents and gives gradients
    body = trace(lambda x, y: x * y, X, X)
    gradient = gradient_body(body, (0, 1), (0,))
    verify(gradient)
    gradients = interpret(gradient, X, X * 3, X * 10)
    assert [g.asnumpy().tolist() for g in gradients] == [[30.0, 120.0], [10.0, 40.0]]
    assert gradient_body(body, (0, 1), (0,)) is gradient
    # what is not used has gradient zero
    gradient = gradient_body(trace(lambda x, y: x, X, X), (1,), (0,))
    assert interpret(gradient, X, X, X)[0].asnumpy().tolist() == [0.0, 0.0]


def test_prints_are_not_repeated_in_gradients():
    def print_in_branch(x):
        ops.print_("here")
        return ops.cond(x.sum() > 0, lambda: ops.print_("inside") or x, lambda: x)

    body = trace(print_in_branch, X)
    quiet = without_effects(body)
    assert any(body.writes(node) for node in body)
    assert not any(quiet.writes(node) for node in quiet)
