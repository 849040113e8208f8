"""The choices of a fused attention kernel, as in FlashAttention: its cores, its blocks, its vector work.

A cube core and its vector cores share row tiles of the scores, which they exchange tile by tile in a workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from minigraph.core.op_fields import Macs
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling.costs import BLOCK_BYTES
from minigraph.npu.tiling.cube_blocks import ACCUMULATOR_BYTES, Product
from minigraph.npu.tiling.cube_counts import core_choices, round_up
from minigraph.npu.tiling.plan import Job

TILE_ROWS = 128  # rows of the score matrix per tile, as in published kernels
TILE_COLUMNS = 128  # and columns: the steps of the pipeline of cube and vector cores
WORKSPACE_SLOTS = 2  # tiles of scores per core that are exchanged: one is written while another one is read
MIN_COLUMNS = 32  # of a block of results


def rowwise_product(job: Job, macs: tuple[Macs, ...]) -> Macs | None:
    """The product whose rows a softmax or another reduction processes before the next product."""
    if len(macs) < 2 or not job.work.rows:
        return None
    rows = job.work.rows[0] * job.work.rows[1]
    return next((m for m in macs[:-1] if m.b * m.m * m.n == rows), None)


def core_counts(row_tiles: int, chip: Chip) -> list[int]:
    """Cores to try: all that have a row tile and half of them, and what a chip with half of the cores would try.

    And the fewest that take as many turns as all cores, or one more, which request the same keys less often; and the
    most that take two turns, of which the second overlaps with the vector work of the first.
    """
    most = {min(cores, row_tiles) for cores in core_choices(chip.cores.aic)}
    turns = ceil(row_tiles / max(most))
    fewest = {ceil(row_tiles / turns), ceil(row_tiles / (turns + 1))}
    two_turns = {row_tiles - 1} if turns == 1 < row_tiles else set()
    return sorted(most | {ceil(cores / 2) for cores in most} | fewest | two_turns, reverse=True)


def exchanging(products: Sequence[Product], scores: int, cores: int, width: int) -> list[Product]:
    """The products of a kernel of ``cores`` cube cores; that at index ``scores`` is the one before the rowwise work.

    ``width``: columns of the others' blocks. The keys are read in rows of a head's depth, aligned in memory though the
    columns are not, and the vector cores write the scores in aligned tiles. Row tiles of one head load the same keys
    and values.
    """
    sharers = min(cores, ceil(products[scores].macs.m / TILE_ROWS))
    is_aligned = products[scores].macs.k * products[scores].dtype.itemsize % BLOCK_BYTES == 0
    return [
        replace(product, sharers_b=sharers, aligned="b" * is_aligned, workspace=workspace_bytes(cores),
                sides=(TILE_ROWS, TILE_COLUMNS))
        if index == scores
        else replace(product, sharers_b=sharers, aligned="a", exchanged="a", sides=(TILE_ROWS, width))
        for index, product in enumerate(products)
    ]  # fmt: skip


def result_widths(columns: int, chip: Chip) -> list[int]:
    """Columns of the results' blocks to try, from the widest: L1 may hold all values of a narrower one.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> result_widths(128, chip_named("ascend910b1"))
    [128, 64, 48, 32]
    """
    fewest, most = ceil(columns / TILE_COLUMNS), max(1, ceil(columns / MIN_COLUMNS))
    widths = {round_up(ceil(columns / parts), chip.cube.n) for parts in range(fewest, most + 1)}
    return sorted(widths, reverse=True)


def vector_lanes(job: Job, macs: tuple[Macs, ...], scores: int) -> tuple[tuple[str, int], ...]:
    """The vector work of an attention kernel: the cube reads transposed operands, and results are divided last.

    The rows of results instead of the scores are divided by the sums (FlashAttention-2: Dao 2023, arXiv 2307.08691).
    """
    lanes = dict(job.work.lanes)
    lanes.pop("transpose", None)
    if lanes.get("special", 0) >= 2 * scores:
        lanes["special"] += macs[-1].b * macs[-1].m * macs[-1].n - scores
    return tuple(lanes.items())


def workspace_bytes(cores: int) -> int:
    """Bytes of the scores that ``cores`` cube cores and their vector cores exchange at a time.

    >>> workspace_bytes(24)
    3145728
    """
    return WORKSPACE_SLOTS * cores * TILE_ROWS * TILE_COLUMNS * ACCUMULATOR_BYTES
