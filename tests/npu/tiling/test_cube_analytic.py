"""The parts of the analytic model of a product; test_analytic compares the whole with the event engine."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.npu.tiling import cube_analytic
from minigraph.npu.tiling.cube_analytic import CubeModel
from minigraph.npu.tiling.cube_tiling import cube_plan
from minigraph.npu.tiling.schedule import Schedule
from tests.npu.tiling.test_cube_candidates import product


def plan_of(m, k, n, **schedule):
    """The plan of a product."""
    return cube_plan(product(m, k, n), B1, Schedule(**schedule))


def test_the_cube_is_the_bottleneck_with_large_base_blocks():
    model = CubeModel(plan_of(8192, 8192, 8192, base=(128, 256, 64), step_k=4), B1)
    assert model.block == model.mmad + B1.cube.turn == 512 + 11 + 52
    assert model.store_stall > 0
    assert CubeModel(plan_of(8192, 8192, 8192, base=(128, 256, 64), unit_flag=True), B1).store_stall == 0


@pytest.mark.parametrize("size", [256, 1024, 4096])
def test_more_work_takes_longer(size):
    bigger = [plan_of(*shape) for shape in ((2 * size, size, size), (size, 2 * size, size), (size, size, 2 * size))]
    least = cube_analytic.cube_cycles(plan_of(size, size, size), B1)
    assert all(cube_analytic.cube_cycles(plan, B1) >= least for plan in bigger)
