"""The recurrence of a product gives the event engine's cycles, on any plan, chip and schedule that fits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.ascend.jobs import B1
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16, float32
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.engine import queues
from minigraph.npu.engine.lower import cube_program
from minigraph.npu.engine.program import instruction_count
from minigraph.npu.tiling import cube_analytic
from minigraph.npu.tiling.cube_analytic import CubeModel
from minigraph.npu.tiling.cube_blocks import Product
from minigraph.npu.tiling.cube_candidates import candidates
from minigraph.npu.tiling.cube_tiling import _plan_of, cube_plan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule
from tests.npu.tiling.test_cube_candidates import product

SIZE = st.floats(0, 12).map(lambda power: int(2**power))
SCHEDULES = st.sampled_from([DEFAULT, Schedule(buffers=1), Schedule(buffers=3), Schedule(l0_buffers=1, unit_flag=True)])


def plan_of(m, k, n, **schedule):
    """The plan of a product."""
    return cube_plan(product(m, k, n), B1, Schedule(**schedule))


def event_cycles(plan, chip):
    """Cycles by the event engine."""
    return queues.run(cube_program(plan, chip), chip).cycles


@st.composite
def plans(draw):
    """Any candidate of the tiling search for a product or a convolution, on any chip, and the chip."""
    chip, (m, k, n) = draw(st.sampled_from(sorted(CHIPS)).map(chip_named)), (draw(SIZE) for _ in range(3))
    macs = draw(st.sampled_from([Macs(1, m, k, n), Macs(7, m, k, n), Macs(1, 28 * m, 9 * k, n, 9, 3, 28)]))
    product = Product(macs, draw(st.sampled_from([float16, float32])), 2, draw(st.sampled_from([0.0, 0.4, 1.0])))
    schedule = draw(SCHEDULES)
    return _plan_of(product, draw(st.sampled_from(candidates(product, chip, schedule))), chip, schedule), chip


@given(plans())
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_the_recurrence_and_the_event_engine_agree_on_any_plan(plan_and_chip):
    plan, chip = plan_and_chip
    assert cube_analytic.cube_cycles(plan, chip) == pytest.approx(event_cycles(plan, chip), rel=1e-3)


def test_a_loop_that_repeats_takes_few_steps(monkeypatch):
    plan, steps = plan_of(8192, 8192, 8192, base=(128, 256, 64), step_k=4), []
    blocks = CubeModel._blocks
    monkeypatch.setattr(CubeModel, "_blocks", lambda model, *args: (steps.append(1), blocks(model, *args)))
    assert CubeModel(plan, B1).cycles() == event_cycles(plan, B1)
    assert len(steps) < 150 < 10_000 < instruction_count(cube_program(plan, B1).items)


def test_a_memory_that_falls_behind_binds_after_many_tiles():
    """The cube is ahead of device memory at first: a loop continues only up to the step in which memory binds."""
    plan = plan_of(20000, 64, 8192, base=(128, 256, 64), grid=(24, 1))
    for scarce in (B1.replace(pool_gm=0.5, pool_gm_write=0.5), B1.replace(pool_l2=1.0), B1.replace(sync_issue=120)):
        assert cube_analytic.cube_cycles(plan, scarce) == event_cycles(plan, scarce)


def test_a_second_slot_of_l0c_or_unit_flag_hides_the_store():
    late, early = (plan_of(8192, 1024, 8192, base=(128, 256, 64), unit_flag=flag) for flag in (False, True))
    assert cube_analytic.cube_cycles(early, B1) < cube_analytic.cube_cycles(late, B1)


@pytest.mark.parametrize("size", [256, 1024, 4096])
def test_more_work_takes_longer(size):
    bigger = [plan_of(*shape) for shape in ((2 * size, size, size), (size, 2 * size, size), (size, size, 2 * size))]
    least = cube_analytic.cube_cycles(plan_of(size, size, size), B1)
    assert all(cube_analytic.cube_cycles(plan, B1) >= least for plan in bigger)
