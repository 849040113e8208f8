"""Published measurements this room can be held to: row id of the data file -> what was run, and on what."""

from typing import NamedTuple

from minigraph.npu.chip import Chip
from minigraph.npu.measure import cost_of
from minigraph.npu.plan import DEFAULT, Job, Schedule
from minigraph.npu.registry import chip_named
from minigraph.types import float32
from tests.npu.jobs import B1, B4, lanes, matmul, rows

A2_20 = chip_named("ascend910b2").changed(cores_aic=20)  # catlass names only "Atlas A2, 20 AIC"
SQUARE, SMALL = 8192 * 8192, 16 * 16384


class Row(NamedTuple):
    """One measurement: the job, chip and schedule; ``head`` whether the figure has the task's head in it."""

    job: Job
    chip: Chip = B1
    schedule: Schedule = DEFAULT
    head: bool = True


def add(tile: int | None, buffers: int, bypass: bool = False) -> Row:
    """Add of 8192 x 8192 fp16 as the vendor's ladder has it."""
    return Row(lanes(SQUARE, 2, 1, {"simple": 1}), schedule=Schedule(tile=tile, buffers=buffers, bypass=bypass))


def profiled(tile: int, ops: int) -> Row:
    """The profiler's single-buffered Add on 8 vector cores of a 910B4, with bank conflicts."""
    schedule = Schedule(cores=8, tile=tile, buffers=1, conflict=True)
    return Row(lanes(83886080, 2, 1, {"simple": ops}), B4, schedule)


ZN = Schedule(ready_format=True)
PUBLISHED: dict[str, Row] = {
    "mm8": Row(matmul(8192, 8192, 8192), schedule=Schedule(base=(128, 256, 64), grid=(4, 6), unit_flag=True)),
    "gelu2": Row(matmul(8192, 8192, 8192, out=4), schedule=Schedule(base=(128, 256, 64), grid=(4, 6), unit_flag=True)),
    "pg1": Row(matmul(1536, 1536, 1536, out=4)),
    "pg3": Row(matmul(6144, 6144, 6144, out=4)),
    "py1": Row(matmul(6144, 6144, 6144)),
    "tn2": Row(matmul(128, 1024, 30720), head=False),
    "tn9": Row(matmul(30720, 1024, 4096), head=False),
    "tn12": Row(matmul(768, 6144, 2048)),
    "tn15": Row(matmul(128, 512, 24576), head=False),
    "pa1": Row(matmul(5416, 6144, 1408)),
    "pc1": Row(matmul(1536, 1152, 1536, window=9)),
    "pc3": Row(matmul(4608, 3456, 4608, window=9)),
    "pc5": Row(matmul(7680, 5760, 7680, window=9)),
    "ct1": Row(matmul(1024, 6144, 576), A2_20),
    "ct3": Row(matmul(20, 16384, 6144), A2_20, ZN),
    "ct5": Row(matmul(20, 16384, 6144), A2_20),
    "ct7": Row(matmul(1, 5120, 768, float32)),
    "ct9": Row(matmul(160, 2048, 6144), A2_20, ZN),
    "kb2": Row(matmul(1024, 4096, 2048, float32, cold=0.0), B4),
    "kb9": Row(matmul(16384, 16, 16384, float32, cold=0.0), B4),
    "kb10": Row(matmul(16384, 2048, 768, float32), B4),
    "add2": add(4096, 1),
    "add3": add(16384, 1),
    "add4": add(None, 2),
    "add5": add(None, 2, bypass=True),
    "cp3": Row(lanes(12288 * 12288, 1, 0, {})),
    "gelu1": Row(lanes(SQUARE, 1, 1, {"simple": 8, "special": 2}, float32)),
    "mo1": profiled(2048, 1),
    "mo2": profiled(20480, 1),
    "mo3": profiled(20480, 8),
    "mo6": Row(lanes(5120, 2, 1, {"simple": 1}), B4),
    "kb5": Row(lanes(16384 * 4096, 1, 1, {"simple": 1}, float32), B4),
    "kb19": Row(lanes(SMALL, 1, 1, {"simple": 1}, float32, cold=0.0), B4),
    "kb22": Row(lanes(SMALL, 1, 1, {"simple": 4, "special": 2}, float32, cold=0.0), B4),
    "kb24": Row(rows(16, 16384, {"simple": 3, "special": 1, "reduce": 2}, True, cold=0.0, passes=3), B4),
    "kb26": Row(lanes(SMALL, 1, 1, {"simple": 8, "special": 2}, float32, cold=0.0), B4),
    "kb35": Row(rows(128, 8 * 65536, {"simple": 4, "reduce": 2}, True, passes=2), B4),
    "kb36t": Row(rows(16 * 65536, 64, {"simple": 3, "special": 1, "reduce": 1}, True), B4),
    "kb38t": Row(rows(16, 16384, {"simple": 1, "special": 1, "reduce": 1}, True, cold=0.0, passes=2), B4),
    "kb47": Row(rows(16 * 256, 256, {"reduce": 1}, False, cold=0.0), B4),
}  # fmt: skip

# Rows the model is known to miss by more than 30 %, and why.
MISSED = {
    "ct7": "a vector times a matrix in float32: one core per tile gives 69 us, k split over all cores 21",
    "kb47": "a reduction over a middle axis: strided reads are not modelled",
}


def predicted(row: Row, engine: str = "event") -> float:
    """Microseconds by the model."""
    cost = cost_of(row.job, row.chip, engine, row.schedule)
    return row.chip.us(cost.cycles) + (cost.head_us if row.head else 0.0)
