"""Which steps are computed together: as long as nobody outside reads, and as loops can."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.accel.loops import groups
from minigraph.accel.loops.elements import FOLDS, SCALARS
from minigraph.accel.loops.groups import groups_of, trailing_of
from minigraph.accel.schedule.plan import planned
from minigraph.core.context import set_context

X = Tensor(np.ones((4, 6), np.float32))


def steps_of(fn, *args):
    plan = planned(trace(fn, *(args or (X,))))
    types = {source.value: source.type for source in plan.sources}
    return plan.steps, types | {out: t for step in plan.steps for out, t in zip(step.outs, step.types, strict=True)}


def grouped(fn, *args):
    """The names of operators in each group, and what it reduces; everything that has an expression may join."""
    steps, types = steps_of(fn, *args)
    joins = {i for i, step in enumerate(steps) if step.op in SCALARS or step.op in FOLDS}
    return [([steps[i].op.name for i in g.members], g.trailing) for g in groups_of(steps, joins, types)]


def test_steps_join_those_who_made_what_they_read():
    assert grouped(lambda x: (x * x + x).tanh()) == [(["mul", "add", "tanh"], 0)]
    assert grouped(lambda x: (x * x) @ (x + x).T) == [(["mul"], 0), (["add"], 0)]


def test_two_groups_become_one_where_they_meet():
    assert grouped(lambda x: (x * x).tanh() + (x + 1.0).exp()) == [(["mul", "tanh", "add", "exp", "add"], 0)]


def test_a_reader_outside_closes_a_group():
    def fn(x):
        y = x * x
        return y @ x.T, y + 1.0

    assert grouped(fn) == [(["mul"], 0), (["add"], 0)]


def test_a_value_that_leaves_closes_nothing():
    def fn(x):
        y = x * x
        return y, y + 1.0

    assert grouped(fn) == [(["mul", "add"], 0)]


def test_reductions_over_the_last_axes_join_and_so_does_what_follows():
    softmax = ["max", "sub", "exp", "sum", "div"]
    assert grouped(soft) == [(softmax, 1)]
    assert grouped(lambda x: (x * x).sum()) == [(["mul", "sum"], 2)]
    assert grouped(lambda x: ((x * x).mean(-1) + 1.0).sqrt()) == [(["mul", "mean", "add", "sqrt"], 1)]


def soft(x):
    powers = ops.exp(x - x.amax(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_other_reductions_stay_outside():
    assert grouped(lambda x: (x * x).sum(0)) == [(["mul"], 0)]
    steps, types = steps_of(lambda x: x.sum(0))
    assert trailing_of(steps[0], types) == 0


def test_a_second_kind_of_reduction_begins_its_own_group():
    assert grouped(lambda x: ((x * x).sum(-1), (x * x).sum())) == [(["mul", "sum"], 1), (["mul", "sum"], 2)]


def test_what_a_reduction_left_is_read_again_only_in_the_cache(monkeypatch):
    assert grouped(lambda x: x * x / (x * x).sum()) == [(["mul", "mul", "sum", "div"], 2)]
    monkeypatch.setattr(groups, "CACHED_ROW_BYTES", 8)
    assert [names for names, _ in grouped(lambda x: x * x / (x * x).sum())] == [["mul", "sum"], ["mul", "div"]]


def test_rows_without_their_axis_do_not_stand_beside_columns():
    square = Tensor(np.ones((4, 4), np.float32))
    found = grouped(lambda x: x * x + (x * x).sum(-1), square)
    assert ["mul", "sum"] in [names for names, _ in found]
    assert all("add" not in names or "sum" not in names for names, _ in found)


def test_groups_are_not_too_long(monkeypatch):
    monkeypatch.setattr(groups, "MAX_LOOP_STEPS", 2)
    assert [len(names) for names, _ in grouped(lambda x: ((x * x + x) * x + x) * x)] == [2, 2, 1]


@pytest.fixture(autouse=True)
def plain_steps():
    set_context(kernel_backend="numpy")
