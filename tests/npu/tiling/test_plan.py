"""Plans: phases of the busiest core, loads of a tile, plans of a layout."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS, elementwise, matmul
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Layout, phases


@pytest.mark.parametrize("total, cores, per_core", [(50, 24, 3), (48, 24, 2), (5, 24, 1), (2048, 24, 88), (1, 1, 1)])
def test_phases_describe_the_busiest_core_and_cover_all_tiles(total, cores, per_core):
    stages = phases(total, cores, per_core)
    assert sum(phase.tiles for phase in stages) == per_core
    assert sum(phase.tiles * phase.cores for phase in stages) >= total
    assert all(1 <= phase.cores <= cores for phase in stages)


@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_loads_of_a_tile_cover_all_blocks_and_have_nearly_equal_sizes(name, job):
    for plan in layout_of(job, B1).cube:
        assert sum(plan.chunks) == plan.blocks
        assert max(plan.chunks) <= plan.step_k
        assert max(plan.chunks) - min(plan.chunks) <= 1


def test_a_layout_lists_its_plans():
    cube, vector = layout_of(matmul(64, 64, 64), B1).cube, layout_of(elementwise(100, 1, 1, {}), B1).vector
    empty, both = Layout(), Layout(cube=cube, vector=vector)
    assert (empty.plans, empty.cores, both.plans) == ((), 1, (*cube, vector))
    assert both.is_mix and not Layout(cube=cube).is_mix
