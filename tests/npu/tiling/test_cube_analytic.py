"""The parts of the analytic model of a product; test_analytic compares the whole with the event engine."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16
from minigraph.npu.tiling import costs, cube_analytic
from minigraph.npu.tiling.cube_analytic import CubeModel, Load, first_arrival, loads_of, mte2_busy_cycles, operand_bytes
from minigraph.npu.tiling.cube_tiling import cube_plan
from minigraph.npu.tiling.plan import Schedule
from tests.npu.tiling.test_cube_candidates import product

PLAIN = costs.load_path(B1, 0.0, "l1")
CONVERTED = costs.load_path(B1, 0.0, "l1", nd2nz=True)


def plan_of(m, k, n, **schedule):
    """The plan of a product."""
    return cube_plan(product(m, k, n), B1, Schedule(**schedule))


def test_a_load_is_latency_and_data_plain_loads_overlap_and_nd2nz_loads_do_not():
    load, plain, converted = Load(17000, PLAIN), Load(34000, PLAIN), Load(34000, CONVERTED)
    assert (load.data, load.whole) == (100, 290)
    cases = [plain] * 2, [converted] * 2, [converted, plain]
    assert [mte2_busy_cycles(loads, B1) for loads in cases] == [400, 1600, 1000]
    assert mte2_busy_cycles([plain] * 2, B1.replace(mte2_outstanding=1)) == 2 * (190 + 200)
    plan = plan_of(512, 256, 128)
    assert (plan.macs, plan.dtype) == (Macs(1, 512, 256, 128).total, float16)


def test_the_first_loads_contend_for_shared_memory():
    path = costs.load_path(B1, 1.0, "l1")
    loads = [Load(32000, path)] * 2
    assert first_arrival(loads, B1) == path.latency + 2 * 320
    assert first_arrival(loads, B1, cores=24) > 2 * first_arrival(loads, B1)


def test_the_cube_is_the_bottleneck_with_large_base_blocks():
    model = CubeModel(plan_of(8192, 8192, 8192, base=(128, 256, 64), step_k=4), B1)
    assert model.block == model.mmad + B1.cube.turn == 512 + 11 + 52
    assert model.store_stall > 0
    assert CubeModel(plan_of(8192, 8192, 8192, base=(128, 256, 64), unit_flag=True), B1).store_stall == 0


def test_a_resident_operand_is_loaded_once():
    plan = plan_of(128, 1024, 30720)
    assert plan.resident == "a"
    assert len(loads_of(plan, B1, 1, "ab")) == 2
    (again,) = loads_of(plan, B1, 1, plan.streamed_operands)
    assert again.moved == operand_bytes(plan, 1)[1]


@pytest.mark.parametrize("size", [256, 1024, 4096])
def test_more_work_takes_longer(size):
    bigger = [plan_of(*shape) for shape in ((2 * size, size, size), (size, 2 * size, size), (size, size, 2 * size))]
    least = cube_analytic.cube_cycles(plan_of(size, size, size), B1)
    assert all(cube_analytic.cube_cycles(plan, B1) >= least for plan in bigger)
