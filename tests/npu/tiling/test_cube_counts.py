"""Numbers of tiles: whole blocks first, then as many as the cores take in the same time, and even ones."""

import pytest

from benchmarks.ascend.jobs import B1
from minigraph.core.op_fields import Macs
from minigraph.npu.tiling.cube_counts import core_grids, even_counts, k_splits, tile_counts


@pytest.mark.parametrize("macs, fewest", [(Macs(1, 1040, 16, 1600), (9, 7)), (Macs(6, 300, 64, 500), (3, 4))])
def test_even_counts_fill_every_core_with_equally_many_tiles(macs, fewest):
    counts = even_counts(macs, fewest, 1, B1.cores.aic, B1)
    assert counts
    for down, across in counts:
        total = macs.b * down * across
        assert down >= fewest[0] and across >= fewest[1] and total % B1.cores.aic == 0
        grids = core_grids(macs.b * down, across, B1.cores.aic)
        assert total // B1.cores.aic in [-(-macs.b * down // gm) * -(-across // gn) for gm, gn in grids]


def test_tiles_are_no_smaller_than_the_cube():
    assert even_counts(Macs(1, 16, 64, 16), (1, 1), 1, 24, B1) == set()
    assert tile_counts(Macs(1, 16, 64, 16), (1, 1), 1, 24, B1) == {(1, 1)}
    assert k_splits(Macs(1, 16, 16, 16), (1, 1), 16, B1) == [1]
