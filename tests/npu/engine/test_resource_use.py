"""Resource use of programs: bytes by level in closed form, lower bounds on busy cycles."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS, SOFTMAX, elementwise, matmul, rows
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import Instr, Loop, Program
from minigraph.npu.engine.queues import run
from minigraph.npu.engine.resource_use import LEVELS, busy_cycles, flatten, level_bytes, moved_bytes
from minigraph.npu.tiling.layout import layout_of


def levels(job):
    """Bytes by level of a job's only plan."""
    (plan,) = layout_of(job, B1).plans
    return plan, level_bytes(program_of(plan, B1))


def test_flatten_multiplies_loop_counts_and_levels_have_a_fixed_order():
    add, product = Instr("V", "A", 1), Instr("M", "B", 2)
    assert dict(flatten((add, Loop((product, Loop((add,), 3)), 4)))) == {product: 4, add: 12}
    assert sum(times for _, times in flatten((add, Loop((product, Loop((add,), 3)), 4)))) == 1 + 4 + 12
    assert tuple(levels(elementwise(100, 1, 1, {}))[1]) == LEVELS


def test_busy_cycles_by_hand():
    load = Instr("MTE2", "L", 100, bytes_moved=640, rate=64.0)
    store = Instr("MTE3", "S", 100, bytes_moved=640, rate=64.0)
    busy = busy_cycles(Program("aiv", {}, (Loop((load, store), 2), Instr("V", "A", 7)), 1, 1.0))
    assert (busy["MTE2"], busy["MTE3"], busy["V"], busy["M"]) == (20, 220, 7, 0)


@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_the_engine_moves_the_bytes_of_the_program(name, job):
    for plan in layout_of(job, B1).plans:
        program = program_of(plan, B1)
        result = run(program, B1)
        assert {queue: state.bytes_moved for queue, state in result.queues.items()} == moved_bytes(program.items)
        for queue, busy in busy_cycles(program).items():
            assert result.queues[queue].busy >= busy


@pytest.mark.parametrize("n", [1 << 20, 1 << 26, 1 << 27])
def test_elementwise_traffic_is_the_size_of_the_tensors(n):
    _, traffic = levels(elementwise(n, 2, 1, {"simple": 1}))
    assert traffic["UB"] == traffic["L2"] == pytest.approx(3 * n * 2, rel=1e-3)
    assert traffic["GM"] == pytest.approx((2 if n == 1 << 20 else 3) * n * 2, rel=1e-3)
    assert traffic["L1"] == traffic["L0C"] == 0


def test_each_pass_reads_again():
    plan, traffic = levels(rows(64, 1 << 20, SOFTMAX, True, passes=3))
    assert plan.passes == 3
    assert traffic["UB"] == pytest.approx((3 + 1) * 64 * (1 << 20) * 4, rel=1e-3)


def test_product_traffic_is_the_closed_form():
    plan, traffic = levels(matmul(4096, 4096, 4096, cold=1.0))
    a, b, c = 4096 // plan.bn * 4096**2 * 2, 4096 // plan.bm * 4096**2 * 2, 4096**2 * 2
    assert traffic["L2"] == pytest.approx(a + b + c, rel=1e-3)
    assert traffic["L1"] == pytest.approx(2 * (a + b), rel=1e-3)  # in by MTE2, out by MTE1
    assert traffic["L0C"] == c
    assert traffic["GM"] == pytest.approx(2 * 4096**2 * 2, rel=1e-3)
