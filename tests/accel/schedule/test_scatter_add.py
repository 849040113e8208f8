"""Scatter-add accumulation: terms are added to one array as soon as they are computed."""

import numpy as np

from minigraph import Tensor, grad, trace
from minigraph.accel.schedule.plan import make_plan
from minigraph.accel.schedule.scatter_add import zeros_op
from minigraph.core.types import TensorType, float32

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) - 5)


def rows(x):
    return sum(((x[i] * x[i + 1]).tanh() for i in range(3)), x[0])


def overlapping_slices(x):
    return (x[0:3] * x[1:4]).sum() + x[:, 1:].exp().sum() + x[1:, :2].sum()


def steps_of(fn, *args):
    return make_plan(trace(fn, *args)).steps


def test_terms_are_added_to_one_array_of_zeros():
    steps = steps_of(grad(rows), X)
    assert [step.op.name for step in steps].count("zeros") == 1
    assert not any(step.op.name in ("add", "index_add") and step.types[0].shape == X.shape for step in steps)


def test_a_term_is_added_before_the_next_is_computed():
    steps = steps_of(grad(overlapping_slices), X)
    position = {out: i for i, step in enumerate(steps) for out in step.outs}
    added = [step for step in steps if step.op.name == "add_to"]
    assert added
    for step in added:
        between = steps[max(position[value] for value in step.ins) + 1 : position[step.outs[0]]]
        assert not [other for other in between if not other.op.view and other.ins]


def test_the_memory_of_a_recurrent_gradient_does_not_grow_with_its_steps():
    """A term of the weight's gradient lives until it is added, not until all steps are done."""

    def gradient_bytes(steps):
        def recur(h, w):
            for _ in range(steps):
                h = (h @ w[:64]).tanh() + (h @ w[64:]).tanh()
            return h.sum()

        return make_plan(trace(grad(recur, 1), Tensor(np.ones((2, 64))), Tensor(np.ones((128, 64))))).nbytes

    few, many = gradient_bytes(4), gradient_bytes(32)
    weight = 128 * 64 * 4
    assert (many - few) / 28 < weight / 8, "a step adds its activations only"


def test_zeros_are_a_new_array_of_their_type_or_the_given_array():
    op, out = zeros_op(TensorType((2, 3), float32)), np.ones((2, 3), np.float32)
    assert (op.forward().shape, op.forward().dtype, op.forward().any()) == ((2, 3), np.float32, False)
    assert op.forward(out=out) is out and not out.any() and zeros_op(TensorType((2, 3), float32)) is op
