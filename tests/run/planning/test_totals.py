"""Sums of arrays that are zero nearly everywhere: one array, the bits of many."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.run.compile import compile_graph
from minigraph.run.plan import planned

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) - 5)


def rows(x):
    return sum(((x[i] * x[i + 1]).tanh() for i in range(3)), x[0])


def overlapping(x):
    return (x[0:3] * x[1:4]).sum() + x[:, 1:].exp().sum() + x[1:, :2].sum()


def with_others(x):
    return (x * 2.0).sum() + (x[1] * x[2]).sum() + x.tanh().sum() + x[::2, 1].sum()


def by_tensor(x):
    places = Tensor(np.array([0, 2, 2]))
    return (x[places] * x[1:4]).sum() + x[places].sum() + x[0].sum()


def halves(x):
    return (x[:2] * -0.0).tanh().sum() + (x[2:] * x[:2]).sum() + (x[:, 1] * -0.0).sum()


def nothing_but_minus_zero(x):
    return (x[0] * -0.0).sum() + (x[1:3] * -0.0).sum() + (x[1] * -0.0).sum()


@pytest.mark.parametrize("fn", [rows, overlapping, with_others, by_tensor, halves, nothing_but_minus_zero])
@pytest.mark.parametrize("pipeline", [(), "default"])
def test_compiled_gradients_have_the_bits_of_eager_ones(fn, pipeline):
    gradient = grad(fn)
    assert jit(gradient, pipeline=pipeline)(X).array.tobytes() == gradient(X).array.tobytes()


def steps_of(fn, *args):
    return planned(trace(fn, *args)).steps


def test_parts_are_added_to_the_first_of_them():
    steps = steps_of(grad(rows), X)
    assert [step.op.view for step in steps if step.op.name == "index_add"].count(False) == 1
    assert not any(step.op.name == "add" and step.types[0].shape == X.shape for step in steps)


def told(fn):
    """How each part of the gradient's sums is added."""
    return [step.op.doc.partition(".")[2].strip() for step in steps_of(grad(fn), X) if step.op.name == "index_add"]


def test_parts_that_meet_no_other_are_put_in_their_place():
    assert told(lambda x: sum((x[i].tanh().sum() for i in range(4)), 0.0)) == [
        "Other places hold anything.", *["Put in its place."] * 3,
    ]  # fmt: skip
    assert told(lambda x: sum((x[i].tanh().sum() for i in range(3)), 0.0)) == ["", *["Put in its place."] * 2]
    assert told(lambda x: x[:3].tanh().sum() + x[2:].exp().sum()) == ["", "Added in place."]
    assert told(lambda x: x[1:].sum() + x[2:].tanh().sum() + x[:2].exp().sum()) == [
        "Other places hold anything.", *["Put in its place."], "Added in place.",
    ]  # fmt: skip


def test_a_total_is_added_to_before_the_next_part_is_made():
    plan = planned(trace(grad(rows), X))
    place = {step.outs[0]: i for i, step in enumerate(plan.steps)}
    late = [max(map(place.__getitem__, step.ins)) + 1 for step in plan.steps if step.op.view and len(step.ins) == 2]
    assert late == [place[step.outs[0]] for step in plan.steps if step.op.view and len(step.ins) == 2]


def test_a_part_or_a_total_that_somebody_else_reads_is_left_alone():
    def fn(g, h):
        part = ops.apply("index_add", g, key=(0,), shape=(2, 3))
        other = ops.apply("index_add", h, key=(1,), shape=(2, 3))
        return part, part + other, other

    g, h = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    program = compile_graph(trace(fn, g, h))
    assert [step.op.view for step in program.plan.steps] == [False] * 3
    first, both, second = program(g.array, h.array)
    assert first.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert second.tolist() == [[0, 0, 0], [4, 5, 6]]
    assert both.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_programs_run_again_with_fresh_totals():
    compiled = jit(grad(rows))
    first = compiled(X).array.copy()
    assert compiled(X).array.tobytes() == first.tobytes()
