"""Memory: which value may live in whose buffer."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.op import TABLE
from minigraph.run.plan import planned
from minigraph.run.planning.blocks import LARGE, PIECE
from minigraph.run.planning.memory import lifetimes
from minigraph.types import type_of

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return planned(trace(fn, *args))


def samples_of(op):
    rng = np.random.default_rng(0)
    for i, sample in enumerate(op.samples(rng) if op.samples else ()):
        attrs = op.canonical(*map(type_of, sample.args), **sample.attrs) if op.canonical else sample.attrs
        yield pytest.param(op, sample.args, attrs, id=f"{op}-{i}")


@pytest.fixture(autouse=True)
def quiet():
    """Kernels are called bare here; inf and nan are values."""
    with np.errstate(all="ignore"):
        yield


EACH = [case for op in TABLE.values() for case in samples_of(op)]
IN_PLACE = [op for op in TABLE.values() if op.into and (op.over or op.family == "elementwise")]
EACH_IN_PLACE = [case for op in IN_PLACE for case in samples_of(op)]


@pytest.mark.parametrize(("op", "args", "attrs"), EACH)
def test_only_views_share_memory_with_an_operand_and_only_with_the_first(op, args, attrs):
    """Else the plan would reuse memory that is still seen."""
    results = op.forward(*args, **attrs)
    for result in results if isinstance(results, tuple) else (results,):
        shared = [i for i, arg in enumerate(args) if np.shares_memory(np.asarray(result), arg)]
        assert shared in (([], [0]) if op.view else ([],))


@pytest.mark.parametrize(("op", "args", "attrs"), EACH_IN_PLACE)
def test_elementwise_operators_and_those_that_say_so_may_write_over_any_operand(op, args, attrs):
    expected = np.asarray(op.forward(*args, **attrs))
    for i, arg in enumerate(args):
        if arg.shape != expected.shape or arg.itemsize != expected.itemsize:
            continue
        block = np.frombuffer(bytearray(arg.tobytes()), arg.dtype).reshape(arg.shape)
        out = block.view(expected.dtype)
        operands = [block if j == i else other for j, other in enumerate(args)]
        assert np.asarray(op.forward(*operands, out=out, **attrs)).tobytes() == expected.tobytes()


def test_a_chain_lives_in_one_buffer():
    plan = plan_of(lambda x: ((x * 2.0 + 1.0) * 3.0).tanh().sum(), X)
    assert len(plan.buffers) == 1
    assert plan.nbytes == X.nbytes


def test_a_softmax_lies_where_its_operand_lay():
    plan = plan_of(lambda x: ops.softmax(x * 2.0) @ x.T, X)
    assert len(plan.buffers) == 1


def test_two_values_that_live_together_have_two_buffers():
    plan = plan_of(lambda x: ((x * 2.0) * (x + 1.0)).sum(), X)
    assert len(plan.buffers) == 2


def test_buffers_are_shared_by_size_but_not_wasted():
    plan = plan_of(lambda x: (x * 2.0).sum(0).tanh().sum() + (x * 3.0).sum(), Tensor(np.ones((100, 3), np.float32)))
    assert sorted(set(plan.buffers)) == [4, 12, 1200]


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x * 2.0,
        lambda x: (x * 2.0).T,
        lambda x: (x * 2.0).reshape(-1)[1:],
        lambda x: TABLE["split"](x * 2.0, sizes=1, axis=0)[0],
    ],
)
def test_what_leaves_has_no_buffer(fn):
    assert plan_of(fn, X).buffers == []


def test_what_is_stored_has_no_buffer():
    weight = Parameter(Tensor(X), name="w")
    plan = plan_of(lambda x: (ops.assign(weight, x * 2.0), x)[1], X)
    assert list(plan.stored) == ["w"]
    assert plan.stored["w"] not in plan.buffer_of


LARGE_ONE = Tensor(np.ones(LARGE // 4, np.float32))


def test_between_the_steps_of_a_run_are_pieces_and_whole_tensors_are_apart_from_them():
    plan = plan_of(lambda x: ((x * 2.0).tanh() * (x + 1.0).exp()).reshape(2, -1).sum(1).tanh(), LARGE_ONE)
    assert sorted(plan.buffers) == [8, PIECE, LARGE]


def test_what_a_run_reads_last_is_not_memory_for_its_pieces():
    """The second piece needs the rest of it."""

    def fn(x):
        summed = x.reshape(2, -1).sum(0).broadcast_to(2, LARGE // 8).reshape(-1) + 0.0
        halves = ops.concat((summed, summed)) * 2.0
        return (halves + 1.0).tanh().sum()

    plan = plan_of(fn, LARGE_ONE)
    for block in plan.blocks:
        steps = plan.steps[block.first : block.last]
        read = {plan.buffer_of.get(v) for step in steps for v in step.ins if v not in plan.inner} - {None}
        written = {plan.buffer_of.get(step.outs[0]) for step in steps if step.outs[0] in plan.inner}
        assert not read & written


def test_pieces_use_the_memory_of_earlier_pieces():
    plan = plan_of(lambda x: ((x * 2.0 + 1.0).sum() + (x * 3.0 + 1.0).tanh()).sum(), LARGE_ONE)
    assert plan.buffers.count(PIECE) <= 2


# ---- lifetimes -----------------------------------------------------------------------------------------


def test_a_value_lives_from_its_step_to_the_last_that_looks_at_it():
    plan = plan_of(lambda x: ops.exp(ops.tanh(x)) + x, X)
    assert [lifetimes(plan)[step.outs[0]] for step in plan.steps] == [(0, 1), (1, 2), (2, 3)]


def test_a_view_keeps_its_operands_memory_alive():
    plan = plan_of(lambda x: ops.tanh(x) @ ops.exp(x).transpose(1, 0), X)
    views = [step for step in plan.steps if step.op.view]
    (exp,) = (step.outs[0] for step in plan.steps if step.outs == views[0].ins)
    assert lifetimes(plan)[exp][1] == len(plan.steps) - 1
    assert views[0].outs[0] not in lifetimes(plan)


def test_what_leaves_the_program_outlives_its_steps():
    plan = plan_of(lambda x: (ops.exp(x), ops.tanh(ops.exp(x))), X)
    assert lifetimes(plan)[plan.outs[0]] == (0, len(plan.steps))


def test_whole_tensors_of_a_run_are_needed_all_through_it():
    plan = plan_of(lambda x: ((x.reshape(2, -1).sum(0) * 2.0 + 1.0).tanh() * x[: LARGE // 8]).sum(), LARGE_ONE)
    for block in plan.blocks:
        for step in plan.steps[block.first : block.last]:
            for value in {*step.ins, *step.outs} & lifetimes(plan).keys() - plan.inner:
                first, last = lifetimes(plan)[value]
                assert first <= block.first
                assert last >= block.last - 1


@pytest.mark.parametrize("large", [False, True])
def test_no_two_values_that_live_share_a_buffer_except_where_one_is_written_over_the_other(large):
    def fn(x):
        y = (x * 2.0 + 1.0).tanh()
        return (y * x + ops.exp(y) - (y.sum() + x)).tanh().sum()

    plan = plan_of(fn, LARGE_ONE if large else X)
    spans = lifetimes(plan)
    for value, buffer in plan.buffer_of.items():
        for other in (v for v, b in plan.buffer_of.items() if b == buffer and spans[v] > spans[value]):
            assert spans[value][1] <= spans[other][0]
