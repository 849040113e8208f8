"""Memory plans: no value is overwritten before its last use."""

from itertools import combinations

import numpy as np
import pytest

from minigraph import Tensor, float16, ops, trace
from passes import as_pipeline
from passes.optimize.buffer_assignment import ALIGNMENT_BYTES, LiveRanges, is_computed_elementwise, memory_plan
from tests.passes.programs import program
from tests.tables import every, results

X = Tensor(np.zeros((16, 16), np.float32))
SLOT_BYTES = X.nbytes  # a multiple of ALIGN
SEEDS = range(80)


def plan_of(fn, *args):
    """The plan of a captured function."""
    return memory_plan(trace(fn, *args))


def alive_and_in_place(plan):
    """The number of values of the size of ``X`` live at the peak, and the number of values in place."""
    return -(-plan.live // SLOT_BYTES), plan.in_place


def reserved_ranges(plan, align=ALIGNMENT_BYTES):
    """By value: its live range and its address range."""
    reservations = []
    for ref, slot in plan.allocations.items():
        nbytes = -(-max(slot.nbytes, 1) // align) * align
        reservations.append((ref, range(slot.first, slot.last + 1), range(slot.offset, slot.offset + nbytes)))
    return reservations


def overlap(first, second):
    """Whether two ranges overlap."""
    return first.start < second.stop and second.start < first.stop


@every(pipeline=["none", "graph_kernel"], seed=SEEDS)
def test_values_with_overlapping_live_ranges_do_not_overlap_in_memory(seed, pipeline):
    graph = program(seed)
    as_pipeline(pipeline).run(graph)
    plan = memory_plan(graph)
    for (a, when, where), (b, later, there) in combinations(reserved_ranges(plan), 2):
        reused_in_place = plan.allocations[b].in_place_of == a and when[-1] == later[0]
        assert reused_in_place or not (overlap(when, later) and overlap(where, there)), (a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_peak_and_unshared_size_are_consistent(seed):
    plan = memory_plan(program(seed))
    assert plan.live <= plan.peak <= plan.unshared
    assert plan.peak == max((where.stop for _, _, where in reserved_ranges(plan)), default=0)
    assert all(slot.offset % ALIGNMENT_BYTES == 0 for slot in plan.allocations.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_no_value_is_overwritten_before_its_last_use(seed):
    """Simulates the plan step by step with the owner of each address."""
    graph = program(seed)
    plan, lives = memory_plan(graph), LiveRanges(graph)
    held = {}
    for node in lives.order:
        for ref in graph.ins(node):
            root = lives.root.get(ref)
            assert root not in plan.allocations or held[plan.allocations[root].offset] == root
        for ref in (node, *((node, r) for r in range(1, len(graph.types(node))))):
            if ref in plan.allocations:
                held[plan.allocations[ref].offset] = ref
    for ref in graph.outs:
        root = lives.root.get(ref)
        assert root not in plan.allocations or held[plan.allocations[root].offset] == root


test_live_values_at_the_peak_and_values_in_place = results(
    lambda fn: alive_and_in_place(plan_of(fn, X)),
    (lambda x: ops.neg(ops.neg(ops.neg(x))), (1, 2)),
    (lambda x: ops.exp(x) * ops.tanh(x), (2, 1)),
    (lambda x: (lambda e: e @ e)(ops.exp(x)), (2, 0)),
    (lambda x: (lambda e: e + e.swapaxes(0, 1))(ops.exp(x)), (2, 0)),
    (lambda x: (lambda e: e * e)(ops.exp(x)), (1, 1)),
    (lambda x: (lambda e: (e, -e))(ops.exp(x)), (2, 0)),
    (lambda x: ops.exp(x).astype(float16), (2, 0)),
    (lambda x: -x, (1, 0)),
)


def test_a_view_extends_the_live_range_of_its_base():
    graph = trace(lambda x: (lambda e: ops.tanh(x) + e)(ops.exp(x).swapaxes(0, 1)), X)
    lives = LiveRanges(graph)
    exp = next(node for node in graph if str(graph.op(node)) == "exp")
    assert lives.last[exp] == len(lives.order) - 1


def test_free_blocks_are_reused_and_merged():
    def fn(x):
        wide = ops.concat((ops.exp(x) @ x, ops.tanh(x) @ x))  # two values die in adjacent buffers
        return wide.sum() + ops.concat((x, x)).sum()

    plan = plan_of(fn, X)
    assert plan.peak < plan.unshared and plan.peak <= 5 * SLOT_BYTES


def test_which_nodes_are_computed_elementwise():
    graph = trace(lambda x: ops.tanh(ops.exp(x)) @ x, X)
    as_pipeline("fuse_elementwise").run(graph)
    computed = [node for node in graph if not graph.op(node).is_leaf]
    verdicts = {str(graph.op(node)): is_computed_elementwise(graph, node) for node in computed}
    assert verdicts == {"fused": True, "matmul": False}
    whole = trace(lambda x: ops.exp(x) @ x + 1.0, X)
    as_pipeline("fuse_epilogue").run(whole)
    (fused,) = [node for node in whole if whole.op(node).role == "fused"]
    assert not is_computed_elementwise(whole, fused)


def test_the_plan_as_text():
    plan = plan_of(lambda x: ops.tanh(ops.exp(x)), X)
    assert str(plan) == "2 values: 1024 bytes instead of 2048, 1024 live at once, 1 in place"
    assert [str(slot) for slot in plan.allocations.values()][1] == "%2: 1024 bytes at 0, steps 1 to 2 in place of %1"
