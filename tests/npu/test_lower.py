"""Programs as a kernel would issue them: every slot taken is given back, and the queues get their instructions."""

from collections import Counter

import pytest

from minigraph.npu.account import flat
from minigraph.npu.lower import program_of
from minigraph.npu.plan import ScalarPlan, Schedule
from minigraph.npu.tiling import layout_of
from tests.npu.jobs import ALL, B1, IDS, lanes, matmul


def programs(job, schedule=Schedule()):  # noqa: B008 - frozen
    """The programs of a job on the default chip."""
    return [program_of(plan, B1) for plan in layout_of(job, B1, schedule).plans]


@pytest.mark.parametrize("name, job", ALL, ids=IDS)
def test_rings_are_balanced(name, job):
    for program in programs(job):
        count = Counter()
        for instr, times in flat(program.items):
            for verb in ("alloc", "enque", "deque", "free"):
                if getattr(instr, verb):
                    count[getattr(instr, verb), verb] += times
        for ring in {ring for ring, _ in count}:
            assert len({count[ring, verb] for verb in ("alloc", "enque", "deque", "free")}) == 1, (ring, count)
            assert program.rings[ring] >= 1


@pytest.mark.parametrize("name, job", ALL, ids=IDS)
def test_shares_are_parts_of_the_busiest_core(name, job):
    for program in programs(job):
        assert 0 < program.share <= 1
        assert program.core in ("aic", "aiv")


def test_a_product_loads_computes_and_stores():
    (program,) = programs(matmul(128, 512, 256), Schedule(base=(128, 256, 64), step_k=4, grid=(1, 1)))
    count = Counter()
    for instr, times in flat(program.items):
        count[instr.queue] += times
    assert count == {"MTE2": 4, "MTE1": 16, "M": 8, "FIXP": 1}


def test_a_convolution_expands_its_image_on_the_way():
    assert any(instr.name == "LOAD_3D" for instr, _ in flat(programs(matmul(256, 288, 64, window=9))[0].items))


def test_elementwise_work_loads_every_stream():
    (program,) = programs(lanes(1000, 3, 1, {"simple": 2, "special": 1}))
    names = Counter(instr.name for instr, _ in flat(program.items))
    assert names == {"MOV_OUT_TO_UB": 3, "VADD": 2, "VEXP": 1, "MOV_UB_TO_OUT": 1}


def test_a_copy_needs_no_vector_instruction():
    (program,) = programs(lanes(1000, 1, 1, {}))
    assert [instr.queue for instr, _ in flat(program.items)] == ["MTE2", "MTE3"]


def test_scalar_work_stays_on_the_scalar_queue():
    program = program_of(ScalarPlan(10, 0, 0), B1)
    assert [(instr.queue, instr.cycles) for instr, _ in flat(program.items)] == [("S", 340)]
