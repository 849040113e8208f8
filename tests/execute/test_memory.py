"""Buffer assignment."""

from itertools import pairwise

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.op import TABLE
from minigraph.execute.compile import compile_graph
from minigraph.execute.live_ranges import live_ranges
from tests.execute.samples import check_in_place, samples_of
from tests.random_programs import random_program
from tests.tables import table

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return compile_graph(trace(fn, *args)).plan


@pytest.fixture(autouse=True)
def ignore_float_warnings():
    """Kernels are called directly here; inf and nan are values."""
    with np.errstate(all="ignore"):
        yield


EACH = [case for op in TABLE.values() for case in samples_of(op)]
IN_PLACE = [op for op in TABLE.values() if op.into and op.family == "elementwise"]
EACH_IN_PLACE = [case for op in IN_PLACE for case in samples_of(op)]


@pytest.mark.parametrize(("op", "args", "attrs"), EACH)
def test_only_views_share_memory_with_an_operand_and_only_with_the_first(op, args, attrs):
    """Else the plan would reuse memory that is still read."""
    results = op.forward(*args, **attrs)
    for result in results if isinstance(results, tuple) else (results,):
        shared = [i for i, arg in enumerate(args) if np.shares_memory(np.asarray(result), arg)]
        assert shared in (([], [0]) if op.view else ([],))


test_elementwise_operators_may_write_in_place_on_any_operand = table(
    ("op", "args", "attrs"), EACH_IN_PLACE, check_in_place
)


BUFFERS = {
    "a chain lives in one": (lambda x: ((x * 2.0 + 1.0) * 3.0).tanh().sum(), [24]),
    "two values that live together have two": (lambda x: ((x * 2.0) * (x + 1.0)).sum(), [24, 24]),
    "what leaves has none": (lambda x: x * 2.0, []),
    "nor has its transpose": (lambda x: (x * 2.0).T, []),
    "nor has a slice of it": (lambda x: (x * 2.0).reshape(-1)[1:], []),
    "nor has a piece of it": (lambda x: TABLE["split"](x * 2.0, sizes=1, axis=0)[0], []),
}


@pytest.mark.parametrize(("fn", "sizes"), BUFFERS.values(), ids=BUFFERS)
def test_buffers(fn, sizes):
    plan = plan_of(fn, X)
    assert (plan.buffers, plan.nbytes) == (sizes, sum(sizes))


def test_buffers_are_shared_by_size_but_not_wasted():
    plan = plan_of(lambda x: (x * 2.0).sum(0).tanh().sum() + (x * 3.0).sum(), Tensor(np.ones((100, 3), np.float32)))
    assert sorted(set(plan.buffers)) == [4, 12, 1200]


def test_stored_values_have_no_buffer():
    weight = Parameter(Tensor(X), name="w")
    plan = plan_of(lambda x: (ops.assign(weight, x * 2.0), x)[1], X)
    assert list(plan.stored) == ["w"] and plan.stored["w"] not in plan.buffer_of


def overlapping_values(plan):
    """Pairs of values that share a buffer while both are live."""
    spans = live_ranges(plan)
    by_buffer = {}
    for value, buffer in plan.buffer_of.items():
        by_buffer.setdefault(buffer, []).append(spans[value])
    for lives in by_buffer.values():
        lives.sort()
        yield from ((previous, next_) for previous, next_ in pairwise(lives) if previous.last > next_.first)


@pytest.mark.parametrize("seed", range(40))
def test_live_values_never_share_a_buffer_except_in_place(seed):
    program = random_program(seed)
    plan = plan_of(program.function, *program.arguments(0))
    assert not [*overlapping_values(plan)]
    for i, step in enumerate(plan.steps):
        buffers = {plan.buffer_of.get(out) for out in step.outs} - {None}
        read = [value for value in step.ins if plan.buffer_of.get(value) in buffers]
        assert not read or (step.op.family == "elementwise" and live_ranges(plan)[read[0]].last == i)
