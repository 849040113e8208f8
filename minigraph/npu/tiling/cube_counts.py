"""The numbers of tiles of a matrix product to try, and their distribution over the cores."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, gcd, isqrt

from minigraph.core.op_fields import Macs
from minigraph.npu.chips.chip import Chip

K_SPLITS = (1, 2, 4, 8, 16)


def core_choices(cores: int) -> tuple[int, ...]:
    """Numbers of cores to plan for: all, and half of them, which share the bandwidth of memory among fewer.

    >>> core_choices(24), core_choices(1)
    ((24, 12), (1,))
    """
    return (cores, cores // 2) if cores > 1 else (1,)


def tile_counts(macs: Macs, fewest: tuple[int, int], split: int, cores: int, chip: Chip) -> set[tuple[int, int]]:
    """Tiles along m and n: the fewest, and the most along m or n that give the busiest core no further tile.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> sorted(tile_counts(Macs(1, 128, 96, 336), (2, 6), 1, 24, chip_named("ascend910b1")))
    [(2, 6), (2, 12), (4, 6)]
    """
    along_m, along_n = fewest
    slots = ceil(macs.b * split * along_m * along_n / cores) * cores // (macs.b * split)
    most = ceil(macs.m / chip.cube.m), ceil(macs.n / chip.cube.n)
    return {fewest, (min(slots // along_n, most[0]), along_n), (along_m, min(slots // along_m, most[1]))}


def even_counts(macs: Macs, fewest: tuple[int, int], split: int, cores: int, chip: Chip) -> set[tuple[int, int]]:
    """Tiles along m and n that a grid of that many cores shares evenly.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> sorted(even_counts(Macs(1, 1040, 16, 1600), (9, 7), 1, 32, chip_named("ascend950")))
    [(9, 32), (10, 16), (12, 8), (16, 8), (32, 7)]
    """
    most = ceil(macs.m / chip.cube.m), ceil(macs.n / chip.cube.n)
    largest = min(isqrt(cores), max(most) * macs.b * split)  # no larger grid has a tile for each of its cores
    small = [count for count in range(1, largest + 1) if cores % count == 0]
    divisors = {*small, *(cores // count for count in small)}
    grids = [(cores_m // gcd(cores_m, macs.b * split), cores // cores_m) for cores_m in divisors]
    counts = {(round_up(fewest[0], down), round_up(fewest[1], across)) for down, across in grids}
    return {count for count in counts if count[0] <= most[0] and count[1] <= most[1]}


def k_splits(macs: Macs, tiles_mn: tuple[int, int], k0: int, chip: Chip) -> list[int]:
    """Factors of split-k: more than 1 only if half of the cores have no tile, and k has a cube for each part.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> k_splits(Macs(1, 128, 80, 256), (1, 1), 16, chip_named("ascend910b1"))
    [1, 2, 4]
    """
    tiles = macs.b * tiles_mn[0] * tiles_mn[1]
    return [split for split in K_SPLITS if split == 1 or (2 * tiles < chip.cores.aic and macs.k >= k0 * split)]


def k_block_counts(k: int, bk: int, k0: int, is_fixed: bool) -> list[int]:
    """Numbers of k blocks of a tile: the fewest; two instead of one, so that MTE1 loads ahead, unless ``is_fixed``.

    >>> k_block_counts(208, 256, 8, False), k_block_counts(208, 256, 8, True), k_block_counts(1000, 256, 8, False)
    ([1, 2], [1], [4])
    """
    fewest = ceil(k / bk)
    return [1, 2] if fewest == 1 and k >= 2 * k0 and not is_fixed else [fewest]


def least_padded_count(k: int, bk: int, k0: int) -> int:
    """The number of k blocks, from the fewest to twice as many, that pads k the least; the smallest such number.

    >>> least_padded_count(147, 48, 16), least_padded_count(256, 128, 16)
    (5, 2)
    """
    fewest = ceil(k / bk)
    return min(range(fewest, 2 * fewest + 1), key=lambda count: count * round_up(ceil(k / count), k0))


def core_grids(rows: int, columns: int, cores: int, all_grids: bool = False) -> set[tuple[int, int]]:
    """The best grids of all cores and of half of them, which share the bandwidth of memory among fewer.

    Of grids with the same number of tiles on the busiest core, the one whose cores share most of the operands, or
    ``all_grids``: products of a batch share none, and with a short k, rows of operands count more than bytes. Then also
    whole rows of tiles on each core, which load the left operand once.

    >>> sorted(core_grids(12, 8, 32)), sorted(core_grids(7, 3, 8, all_grids=True))
    ([(4, 4), (4, 8)], [(4, 1), (7, 1)])
    """
    limit = None if all_grids else 1
    grids = {grid for count in core_choices(cores) for grid in _core_grids(rows, columns, count)[:limit]}
    return grids | {(ceil(rows / ceil(rows / cores)), 1)} if all_grids else grids


@lru_cache(maxsize=4096)
def _core_grids(rows: int, columns: int, cores: int) -> list[tuple[int, int]]:
    """The grids with the fewest tiles on the busiest core, the smallest perimeter first."""
    grids = {(down, min(columns, cores // down)) for down in range(1, min(rows, cores) + 1)}
    tiles = {grid: ceil(rows / grid[0]) * ceil(columns / grid[1]) for grid in grids}
    fewest = min(tiles.values())
    return sorted((grid for grid in grids if tiles[grid] == fewest), key=lambda grid: (grid[0] + grid[1], grid))


def round_up(size: int, unit: int) -> int:
    """The least multiple of ``unit`` that is not below ``size``.

    >>> round_up(17, 16)
    32
    """
    return ceil(size / unit) * unit
