"""Buffers of tiled plans: tiles share no memory with whole tensors, nor kernels with their operands."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.accel.kernels.table import IN_PLACE_ON_OPERAND
from minigraph.accel.schedule.plan import make_plan
from minigraph.accel.schedule.tiled_memory import lifetimes
from minigraph.core.machine import MIN_TILE_BYTES, MIN_TILED_BYTES
from tests.execute.samples import check_in_place, samples_of

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return make_plan(trace(fn, *args))


EACH_OVER = [case for op in sorted(IN_PLACE_ON_OPERAND, key=str) for case in samples_of(op)]


@pytest.mark.parametrize(("op", "args", "attrs"), EACH_OVER)
def test_listed_operators_may_write_over_any_operand(op, args, attrs):
    with np.errstate(all="ignore"):
        check_in_place(op, args, attrs)


def test_a_softmax_is_written_over_its_operand():
    plan = plan_of(lambda x: ops.softmax(x * 2.0) @ x.T, X)
    assert len(plan.buffers) == 1


LARGE_ONE = Tensor(np.ones(MIN_TILED_BYTES // 4, np.float32))


def test_values_between_steps_of_a_group_are_tiles_in_separate_memory():
    plan = plan_of(lambda x: ((x * 2.0).tanh() * (x + 1.0).exp()).reshape(2, -1).sum(1).tanh(), LARGE_ONE)
    assert sorted(plan.buffers) == [8, MIN_TILE_BYTES, MIN_TILE_BYTES, MIN_TILED_BYTES]


def test_a_whole_tensor_that_dies_in_a_group_is_not_reused_for_its_tiles():
    """The second tile still reads it."""

    def fn(x):
        summed = x.reshape(2, -1).sum(0).broadcast_to(2, MIN_TILED_BYTES // 8).reshape(-1) + 0.0
        halves = ops.concat((summed, summed)) * 2.0
        return (halves + 1.0).tanh().sum()

    plan = plan_of(fn, LARGE_ONE)
    for group in plan.tiled_groups:
        steps = plan.steps[group.first : group.last]
        read = {plan.buffer_of.get(v) for step in steps for v in step.ins if v not in plan.tile_values} - {None}
        written = {plan.buffer_of.get(step.outs[0]) for step in steps if step.outs[0] in plan.tile_values}
        assert not read & written


def test_tiles_reuse_the_buffers_of_earlier_tiles():
    plan = plan_of(lambda x: ((x * 2.0 + 1.0).sum() + (x * 3.0 + 1.0).tanh()).sum(), LARGE_ONE)
    assert plan.buffers.count(MIN_TILE_BYTES) <= 2


def test_whole_tensors_are_live_during_their_whole_group():
    plan = plan_of(
        lambda x: ((x.reshape(2, -1).sum(0) * 2.0 + 1.0).tanh() * x[: MIN_TILED_BYTES // 8]).sum(), LARGE_ONE
    )
    for group in plan.tiled_groups:
        for step in plan.steps[group.first : group.last]:
            for value in {*step.ins, *step.outs} & lifetimes(plan).keys() - plan.tile_values:
                first, last, _ = lifetimes(plan)[value]
                assert first <= group.first
                assert last >= group.last - 1


@pytest.mark.parametrize("large", [False, True])
def test_values_with_overlapping_live_ranges_do_not_share_a_buffer(large):
    def fn(x):
        y = (x * 2.0 + 1.0).tanh()
        return (y * x + ops.exp(y) - (y.sum() + x)).tanh().sum()

    plan = plan_of(fn, LARGE_ONE if large else X)
    spans = lifetimes(plan)
    for value, buffer in plan.buffer_of.items():
        for other in (v for v, b in plan.buffer_of.items() if b == buffer and spans[v] > spans[value]):
            assert spans[value].last <= spans[other].first
