"""Plans: stretches of tiles, loads of a tile, what a layout holds."""

import pytest

from benchmarks.ascend.jobs import ALL, B1, IDS, lanes, matmul
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import Layout, turns


@pytest.mark.parametrize("total, cores, per_core", [(50, 24, 3), (48, 24, 2), (5, 24, 1), (2048, 24, 88), (1, 1, 1)])
def test_turns_are_the_busiest_core_and_hold_every_tile(total, cores, per_core):
    found = turns(total, cores, per_core)
    assert sum(turn.tiles for turn in found) == per_core
    assert sum(turn.tiles * turn.cores for turn in found) >= total
    assert all(1 <= turn.cores <= cores for turn in found)


@pytest.mark.parametrize("name, job", ALL, ids=IDS)
def test_loads_of_a_tile_hold_every_block_and_are_nearly_equal(name, job):
    for plan in layout_of(job, B1).cube:
        assert sum(plan.chunks) == plan.blocks
        assert max(plan.chunks) <= plan.step_k
        assert max(plan.chunks) - min(plan.chunks) <= 1


def test_a_layout_knows_its_plans():
    cube, vector = layout_of(matmul(64, 64, 64), B1).cube, layout_of(lanes(100, 1, 1, {}), B1).vector
    empty, both = Layout(), Layout(cube=cube, vector=vector)
    assert (empty.plans, empty.cores, both.plans) == ((), 1, (*cube, vector))
    assert both.mixed and not Layout(cube=cube).mixed
