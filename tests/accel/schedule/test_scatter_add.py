"""Scatter-add accumulation: one array in place of many arrays of zeros, with the same bits."""

import numpy as np

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.plan import make_plan
from minigraph.execute.compile import compile_graph
from tests.tables import every

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) - 5)


def rows(x):
    return sum(((x[i] * x[i + 1]).tanh() for i in range(3)), x[0])


def overlapping_slices(x):
    return (x[0:3] * x[1:4]).sum() + x[:, 1:].exp().sum() + x[1:, :2].sum()


def with_others(x):
    return (x * 2.0).sum() + (x[1] * x[2]).sum() + x.tanh().sum() + x[::2, 1].sum()


def by_tensor(x):
    indices = Tensor(np.array([0, 2, 2]))
    return (x[indices] * x[1:4]).sum() + x[indices].sum() + x[0].sum()


def halves(x):
    return (x[:2] * -0.0).tanh().sum() + (x[2:] * x[:2]).sum() + (x[:, 1] * -0.0).sum()


def negative_zeros(x):
    return (x[0] * -0.0).sum() + (x[1:3] * -0.0).sum() + (x[1] * -0.0).sum()


@every(pipeline=[(), "default"], fn=[rows, overlapping_slices, with_others, by_tensor, halves, negative_zeros])
def test_compiled_gradients_have_the_bits_of_eager_ones(fn, pipeline):
    gradient = grad(fn)
    assert jit(gradient, pipeline=pipeline)(X).array.tobytes() == gradient(X).array.tobytes()


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


def test_a_partial_sum_with_other_readers_is_kept():
    def fn(g, h):
        parts = [ops.apply("index_add", x, key=(i,), shape=(3, 3)) for i, x in enumerate((g, h, g * h))]
        two = parts[0] + parts[1]
        return two, two + parts[2]

    g, h = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    two, three = compile_graph(trace(fn, g, h))(g.array, h.array)
    assert two.tolist() == [[1, 2, 3], [4, 5, 6], [0, 0, 0]]
    assert three.tolist() == [[1, 2, 3], [4, 5, 6], [4, 10, 18]]


def test_programs_run_again_with_fresh_totals():
    compiled = jit(grad(rows))
    first = compiled(X).array.copy()
    assert compiled(X).array.tobytes() == first.tobytes()
