"""The parts of a tile of a product: loads, stores and shared memory."""

from benchmarks.ascend.jobs import B1
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_parts import (
    Load,
    add_times,
    cube_traffic,
    first_arrival,
    loads_of,
    mte2_busy_cycles,
    operand_bytes,
    pool_cycles,
)  # fmt: skip
from tests.npu.tiling.test_cube_analytic import plan_of

PLAIN = costs.load_path(B1, 0.0, "l1")
CONVERTED = costs.load_path(B1, 0.0, "l1", nd2nz_rows=100)


def test_a_load_is_latency_and_data_plain_loads_overlap_and_nd2nz_loads_do_not():
    load, plain, converted = Load(17000, PLAIN), Load(34000, PLAIN), Load(34000, CONVERTED)
    assert (load.data, load.whole) == (100, 290)
    cases = [plain] * 2, [converted] * 2, [converted, plain]
    assert [mte2_busy_cycles(loads, B1) for loads in cases] == [400, 1400, 900]
    assert mte2_busy_cycles([plain] * 2, B1.replace(mte2_outstanding=1)) == 2 * (190 + 200)
    plan = plan_of(512, 256, 128)
    assert (plan.macs, plan.dtype) == (Macs(1, 512, 256, 128).total, float16)


def test_the_first_loads_contend_for_shared_memory():
    path = costs.load_path(B1, 1.0, "l1")
    loads = [Load(32000, path)] * 2
    assert first_arrival(loads, B1) == path.latency + 2 * 320
    assert first_arrival(loads, B1, cores=24) > 2 * first_arrival(loads, B1)


def test_a_resident_operand_is_loaded_once():
    plan = plan_of(128, 1024, 30720)
    assert plan.resident == "a"
    assert len(loads_of(plan, B1, 1, "ab")) == 2
    (again,) = loads_of(plan, B1, 1, plan.streamed_operands)
    assert again.moved == operand_bytes(plan, 1)[1]
    device, through_l2 = cube_traffic(plan)
    assert 0 <= device < through_l2


def test_shared_memory_serves_device_memory_and_l2_apart():
    assert add_times((1.0, 2.0), (10.0, 20.0)) == (11.0, 22.0) and pool_cycles([], 24) == (0, 0)
