"""The parts of a tile of a product: loads, stores and shared memory."""

from benchmarks.ascend.jobs import B1
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.tiling.cube_parts import cube_traffic, loads_of, mte1_cycles, operand_bytes, tile_store
from minigraph.npu.tiling.cube_tiling import cube_plan
from tests.npu.tiling.test_cube_analytic import plan_of
from tests.npu.tiling.test_cube_candidates import product


def test_loads_that_mte2_converts_to_nz_do_not_overlap():
    plan = plan_of(512, 256, 128)
    assert (plan.macs, plan.dtype) == (Macs(1, 512, 256, 128).total, float16)
    assert all(load.path.serialized for load in loads_of(plan, B1, 1, "ab"))
    assert not any(load.path.serialized for load in loads_of(plan_of(512, 256, 128, nz_operands="ab"), B1, 1, "ab"))


def test_a_resident_operand_is_loaded_once():
    plan = plan_of(128, 1024, 30720)
    assert plan.resident == "a"
    assert len(loads_of(plan, B1, 1, "ab")) == 2
    (again,) = loads_of(plan, B1, 1, plan.streamed_operands)
    assert again.bytes_moved == operand_bytes(plan, 1)[1]
    device, through_l2 = cube_traffic(plan)
    assert 0 <= device < through_l2


def test_blocks_pass_mte1_and_tiles_leave_by_fixpipe_or_through_ub():
    plan, coupled = plan_of(512, 256, 128), chip_named("ascend910a")
    assert mte1_cycles(plan, B1)[0] > B1.mte1.ovh
    split, through_ub = tile_store(plan, B1), tile_store(cube_plan(product(512, 256, 128), coupled), coupled)
    assert split.emptied == 0 < through_ub.emptied
    assert split.bytes_moved == plan.m * plan.n * plan.store_item
