"""Programs as a kernel issues them: every allocated slot is freed, and each queue gets its instructions."""

from collections import Counter

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS, elementwise, matmul
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.resource_use import flatten
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Job, ScalarPlan
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

COUPLED = chip_named("ascend910a")


def programs(job, schedule=DEFAULT, chip=B1):
    """The programs of a job."""
    return [program_of(plan, chip) for plan in layout_of(job, chip, schedule).plans]


@pytest.mark.parametrize("chip", [B1, COUPLED], ids=str)
@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_every_allocated_slot_is_freed_and_the_balance_is_at_most_1(name, job, chip):
    for program in programs(job, chip=chip):
        assert 0 < program.balance <= 1
        assert program.core in ("aic", "aiv") or chip is COUPLED
        count = Counter()
        for instr, times in flatten(program.items):
            for verb in ("alloc", "enque", "deque", "free"):
                if getattr(instr, verb):
                    count[getattr(instr, verb), verb] += times
        for ring in {ring for ring, _ in count}:
            assert len({count[ring, verb] for verb in ("alloc", "enque", "deque", "free")}) == 1, (ring, count)
            assert program.rings[ring] >= 1


def test_a_product_loads_computes_and_stores():
    (program,) = programs(matmul(128, 512, 256), Schedule(base=(128, 256, 64), step_k=4, grid=(1, 1)))
    count = Counter()
    for instr, times in flatten(program.items):
        count[instr.queue] += times
    assert count == {"MTE2": 4, "MTE1": 16, "M": 8, "FIXP": 1}


def test_a_copy_has_no_vector_instruction_scalar_work_runs_on_s_and_a_convolution_uses_load_3d():
    (program,) = programs(elementwise(1000, 1, 1, {}))
    assert [instr.queue for instr, _ in flatten(program.items)] == ["MTE2", "MTE3"]
    scalar = program_of(ScalarPlan(10, 0, 0), B1)
    assert [(instr.queue, instr.cycles) for instr, _ in flatten(scalar.items)] == [("S", 340)]
    assert any(instr.name == "LOAD_3D" for instr, _ in flatten(programs(matmul(256, 288, 64, window=9))[0].items))


def test_elementwise_work_loads_every_stream():
    (program,) = programs(elementwise(1000, 3, 1, {"simple": 2, "special": 1}))
    names = Counter(instr.name for instr, _ in flatten(program.items))
    assert names == {"MOV_OUT_TO_UB": 3, "VADD": 2, "VEXP": 1, "MOV_UB_TO_OUT": 1}


def test_on_a_coupled_chip_the_vector_unit_moves_results_out_of_l0c():
    (program,) = programs(matmul(128, 64, 128), chip=COUPLED)
    names = Counter(instr.name for instr, _ in flatten(program.items))
    assert names["MOV_L0C_TO_UB"] == names["MOV_UB_TO_OUT"] >= 1
    assert "FIX_L0C_TO_OUT" not in names


def test_on_a_coupled_chip_a_mix_kernel_keeps_the_product_in_the_core():
    n = 1024 * 1024
    work = Work(macs=(Macs(1, 1024, 1024, 1024),), lanes=(("special", 4 * n),), read=4 * n, written=2 * n)
    job = Job(work, float16, n, "cube")
    split, coupled = (layout_of(job, chip) for chip in (B1, COUPLED))
    assert split.cube[0].stores
    assert not coupled.cube[0].stores
    assert split.vector.streams == 1
    assert coupled.vector.streams == 0
