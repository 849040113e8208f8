"""Laying one job out over a chip: which cores, which tiles, what stays resident.

Only the job's work record, dtype and size are looked at; which operator it came from is not known here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from minigraph.npu.chip import Chip
from minigraph.npu.cube_shapes import Product
from minigraph.npu.cube_tiling import cube_notes, cube_plan
from minigraph.npu.plan import DEFAULT, Job, Layout, ScalarPlan, Schedule
from minigraph.npu.vector_tiling import vector_notes, vector_plan
from minigraph.work import Macs, Work

MIXED = "cube and vector cores work together and meet in L2 (MIX)"
ESTIMATE = "estimate only: bytes through the memory system, no instruction model"


@lru_cache(maxsize=8192)
def layout_of(job: Job, chip: Chip, schedule: Schedule = DEFAULT) -> Layout:
    """The plans of a job; empty when there is nothing to do. Raises ``UsageError`` for an impossible schedule."""
    work = job.work
    macs = tuple(m for m in map(_folded, work.macs, (work.read,) * len(work.macs)) if m.total)
    if job.unit == "none" or not (macs or work.lanes or work.read or work.written):
        return Layout(notes=job.notes)
    notes = job.notes + (() if work.exact else (ESTIMATE,))
    if job.unit == "scalar":
        return Layout(scalar=ScalarPlan(job.elements, work.read, work.written), notes=notes)
    if not macs:
        plan = vector_plan(job, chip, schedule)
        return Layout(vector=plan, notes=notes + vector_notes(job, plan, chip))
    return _cube_layout(job, macs, chip, schedule, notes)


def _cube_layout(job: Job, macs: tuple[Macs, ...], chip: Chip, schedule: Schedule, notes: tuple[str, ...]) -> Layout:
    alone = epilogue_is_free(job.work, macs, job.dtype.itemsize)
    item = _stored_item(job.work, macs) if alone else job.dtype.itemsize
    products = [Product(m, job.dtype, item or job.dtype.itemsize, job.cold) for m in macs]
    apart = alone or chip.family == "split"  # cube and vector units meet in L2, not in one core's UB
    plans = tuple(replace(cube_plan(product, chip, schedule), stores=apart) for product in products)
    for product, plan in zip(products, plans, strict=True):
        notes += tuple(note for note in cube_notes(product, plan, chip) if note not in notes)
    if alone:
        return Layout(cube=plans, notes=notes)
    vector = vector_plan(_after_cube(job, macs, apart), chip, DEFAULT)
    return Layout(cube=plans, vector=vector, notes=(*notes, MIXED) if apart else notes)


def epilogue_is_free(work: Work, macs: tuple[Macs, ...], itemsize: int) -> bool:
    """Whether everything beside the products happens on the way out of the cube.

    The pipe out of L0C casts, scales and clamps, and the bias table adds one row: that is any cast and at
    most two simple operations per result, with no more than rows read beside the operands.
    """
    lanes = dict(work.lanes)
    results = sum(m.b * m.m * m.n for m in macs)
    operands = sum(_operand_bytes(m, itemsize) for m in macs)
    beside = work.read - operands
    only = set(lanes) <= {"simple", "cast"}
    return only and lanes.get("simple", 0) <= 2 * results and beside <= 2 * max(m.n for m in macs) * itemsize


def _operand_bytes(macs: Macs, itemsize: int) -> int:
    return (macs.b * macs.m * macs.k // macs.window + macs.b * macs.k * macs.n) * itemsize


def _folded(macs: Macs, read: int) -> Macs:
    """A batch that shares its right operand is one tall product; the bytes read tell."""
    if macs.b > 1 and macs.window == 1 and 0 < read < macs.b * macs.k * macs.n:
        return Macs(1, macs.b * macs.m, macs.k, macs.n)
    return macs


def _stored_item(work: Work, macs: tuple[Macs, ...]) -> int:
    return min(8, round(work.written / sum(m.b * m.m * m.n for m in macs)))


def _after_cube(job: Job, macs: tuple[Macs, ...], apart: bool) -> Job:
    """The vector half of a mixed node: it reads the product (from L2 when ``apart``) and what else the node reads."""
    results = sum(m.b * m.m * m.n for m in macs)
    product = results * job.dtype.itemsize if apart else 0
    beside = max(0, job.work.read - sum(_operand_bytes(m, job.dtype.itemsize) for m in macs))
    work = replace(job.work, macs=(), read=product + beside)
    return replace(
        job, work=work, elements=max(job.elements, results), cold=job.cold * beside / max(product + beside, 1)
    )
