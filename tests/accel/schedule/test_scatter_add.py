"""Scatter-add accumulation: one array in place of many arrays of zeros, with the same bits."""

import numpy as np

from minigraph import Tensor, grad, ops, trace
from minigraph.accel.schedule.plan import make_plan
from minigraph.execute.compile import compile_graph

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) - 5)


def rows(x):
    return sum(((x[i] * x[i + 1]).tanh() for i in range(3)), x[0])


def overlapping_slices(x):
    return (x[0:3] * x[1:4]).sum() + x[:, 1:].exp().sum() + x[1:, :2].sum()


def steps_of(fn, *args):
    return make_plan(trace(fn, *args)).steps


def test_terms_are_added_in_one_array():
    steps = steps_of(grad(rows), X)
    assert [step.op.name for step in steps if step.op.role == "memory" or step.op.name == "zeros"] == ["memory"]
    assert not any(step.op.name in ("add", "index_add") and step.types[0].shape == X.shape for step in steps)


def accumulation(fn):
    """How a total is initialised, and how each term is accumulated."""
    kinds = {"zeros": "zeros", "memory": "empty", "add_to": "add", "put": "put"}
    return [kinds[step.op.name] for step in steps_of(grad(fn), X) if step.op.name in kinds]


def test_terms_that_overlap_no_earlier_term_are_stored():
    assert accumulation(lambda x: sum((x[i].tanh().sum() for i in range(4)), 0.0)) == ["empty", *["put"] * 4]
    assert accumulation(lambda x: sum((x[i].tanh().sum() for i in range(3)), 0.0)) == ["zeros", *["put"] * 3]
    assert accumulation(lambda x: x[:3].tanh().sum() + x[2:].exp().sum()) == ["zeros", "put", "add"]
    three = accumulation(lambda x: x[1:].sum() + x[2:].tanh().sum() + x[:2].exp().sum())
    assert three == ["empty", "put", "put", "add"]


def test_a_term_is_accumulated_before_the_next_is_computed():
    steps = steps_of(grad(overlapping_slices), X)
    position = {out: i for i, step in enumerate(steps) for out in step.outs}
    added = [step for step in steps if step.op.name in ("add_to", "put")]
    assert added
    for step in added:
        between = steps[max(position[value] for value in step.ins) + 1 : position[step.outs[0]]]
        assert not [other for other in between if not other.op.view and other.ins]


def test_a_term_of_several_sums_is_accumulated_in_each():
    def fn(g, h):
        part = ops.apply("index_add", g, key=(0,), shape=(2, 3))
        other = ops.apply("index_add", h, key=(1,), shape=(2, 3))
        return part, part + other, other, other + part

    g, h = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    program = compile_graph(trace(fn, g, h))
    names = [step.op.name for step in program.plan.steps]
    assert (names.count("memory"), names.count("put"), names.count("index_add"), "add" in names) == (2, 4, 2, False)
    first, both, second, again = program(g.array, h.array)
    assert first.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert second.tolist() == [[0, 0, 0], [4, 5, 6]]
    assert both.tolist() == again.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert not np.shares_memory(both, again)


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
