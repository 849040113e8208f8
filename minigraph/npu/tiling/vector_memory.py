"""The memory of vector work: what a tile needs in UB, what all cores load, and what L2 holds of it."""

from __future__ import annotations

from math import ceil

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import Schedule


def largest_tile(job: Job, chip: Chip, buffers: int, reserved: int) -> int:
    """Elements of the largest tile that fits UB, of which ``reserved`` bytes stay free; at least 1.

    A tile of whole rows has the operands that the rows share once; a part of a row has that part of them.
    """
    capacity, live, shared = chip.buf.ub - reserved, _live_bytes(job, buffers, chip), buffers * job.shared
    _, length = job.work.rows or (job.elements, 1)
    in_a_row = int(capacity / (live + shared / length))
    return max(1, in_a_row if in_a_row <= length else int((capacity - shared) / live))


def _live_bytes(job: Job, buffers: int, chip: Chip) -> float:
    """Bytes of UB per element: all slots of every stream, and one temporary if there are several operations.

    A run that is gathered from a table takes a whole block at least.
    """
    read = max(job.work.read - job.shared, costs.BLOCK_BYTES * table_runs(job, chip))
    temporaries = sum(count for _, count in job.work.lanes) > job.elements
    return max(1.0, buffers * (read + job.work.written) / job.elements + temporaries * costs.vector_width(job.dtype))


def loaded_bytes(job: Job, cores: int, chip: Chip) -> int:
    """Bytes that all cores load: each one the operands that its rows share, and whole blocks of a table's runs."""
    readers = min(cores, (job.work.rows or (1, 1))[0])
    return max(job.work.read + (readers - 1) * job.shared, table_runs(job, chip) * costs.BLOCK_BYTES)


def table_runs(job: Job, chip: Chip) -> int:
    """Contiguous runs of a table that are loaded one by one: the table exceeds UB, or runs fill blocks; 0 if none."""
    gathers = job.work.read and not job.work.rows and any(kind == "gather" and count for kind, count in job.work.lanes)
    if gathers and (job.largest > chip.buf.ub // 2 or job.work.run * job.dtype.itemsize >= costs.BLOCK_BYTES):
        return ceil(job.elements / max(1, job.work.run))
    return 0


def later_miss(job: Job, cores: int, chip: Chip) -> float:
    """L2 miss rate of the passes after the first: 0 if the rows that all cores work on fit L2, else 1."""
    count, _ = job.work.rows or (1, 1)
    return 0.0 if job.work.read * min(1.0, cores / max(count, 1)) <= chip.buf.l2 else 1.0


def absorbed_share(job: Job, chip: Chip, schedule: Schedule) -> float:
    """Share of the stores that L2 absorbs: all if the whole job fits L2; with a bypass, as much as fits.

    Of results that are exchanged in a workspace, as much as fits of that.
    """
    if job.workspace:
        return costs.absorbed_by_l2(chip, job.workspace)
    if schedule.bypass_l2:
        return costs.absorbed_by_l2(chip, job.work.written)
    return 1.0 if job.work.read + job.work.written <= chip.buf.l2 else 0.0
