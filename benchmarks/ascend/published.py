"""Published measurements to validate the simulator: the jobs and the chip of each row of the data file.

Every row of the file is either in ``PUBLISHED``, in ``APART`` or, with the reason, in ``UNTOLD``. ``FITTED`` has the
rows that were used to choose a figure, by figure; all other rows are held out for validation.
"""

from dataclasses import dataclass

from benchmarks.ascend.jobs import B1, B4, attention, convolution, lanes, matmul, rows
from minigraph.core.fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.engine import queues
from minigraph.npu.engine.program import Instr, Program, Repeat
from minigraph.npu.measure import cost_of
from minigraph.npu.tiling.costs import load_path
from minigraph.npu.tiling.plan import DEFAULT, Job, Schedule

B2, A3, C950 = (chip_named(name) for name in ("ascend910b2", "ascend910_9391", "ascend950"))
A2_20 = B2.changed(cores_aic=20)  # "Atlas A2, 20 AIC": the bin is not named
A2_8 = B2.changed(cores_aic=8, cores_aiv=8)
SQUARE, SMALL, COPY = 8192 * 8192, 16 * 16384, 12288 * 12288


@dataclass(frozen=True)
class Row:
    """One measurement: jobs in sequence, chip and schedule, and which figure was published.

    ``what``: "task" (a task with its head), "core" (the time of a core, without dispatch), a queue's name (its busy
    cycles), or "hit" (the L2 hit rate of reads in percent). ``mean``: the mean of the cores, not the busiest core.
    """

    job: Job | tuple[Job, ...]
    chip: Chip = B1
    schedule: Schedule = DEFAULT
    what: str = "task"
    mean: bool = False
    heads: int = 1

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs as a tuple."""
        return self.job if isinstance(self.job, tuple) else (self.job,)


def add(tile: int | None, buffers: int, bypass: bool = False, what: str = "task", chip: Chip = B1) -> Row:
    """Add of 8192 x 8192 fp16, of the vendor's optimisation ladder."""
    schedule = Schedule(tile=tile, buffers=buffers, bypass=bypass, conflict=chip is not C950)
    return Row(lanes(SQUARE, 2, 1, {"simple": 1}), chip, schedule, what)


def profiled(tile: int, ops: int, what: str = "task") -> Row:
    """The profiler's single-buffered Add on 8 vector cores of a 910B4, with bank conflicts."""
    schedule = Schedule(cores=8, tile=tile, buffers=1, conflict=True)
    return Row(lanes(83886080, 2, 1, {"simple": ops}), B4, schedule, what)


def based(*base: int, step: int | None = 4, grid: tuple[int, int] | None = None, **more) -> Schedule:
    """A product's schedule with a published base block and blocks per load."""
    return Schedule(base=base, step_k=step, grid=grid, split_k=1, **more)


def norm(*base: int, grid: tuple[int, int] | None = None, slots: int = 1) -> Schedule:
    """The vendor's Norm template: one base block per load, ``slots`` of them in L1, no reuse between tiles."""
    return based(*base, step=1, grid=grid, buffers=slots, keep=False)


def ladder(schedule: Schedule, what: str = "task", mean: bool = False, out: int | None = None) -> Row:
    """The vendor's 8192^3 matmul."""
    return Row(matmul(8192, 8192, 8192, out=out), schedule=schedule, what=what, mean=mean)


def tuned(m: int, k: int, n: int, schedule: Schedule = DEFAULT, what: str = "core", chip: Chip = B1, **more) -> Row:
    """A product of the vendor's tuning cases, which state the time of a core."""
    return Row(matmul(m, k, n), chip, schedule, what, **more)


def kernel(job: Job, chip: Chip = B4) -> Row:
    """A library kernel of the KernelBench report: one task on a 910B4."""
    return Row(job, chip)


def grouped(chip: Chip) -> Row:
    """Eight int8 products; results are dequantised twice, passed through FasterGelu, cast to half, 24 rows at a time.

    As in the published source: input and output casts; two products with scales, one of them broadcast over its row,
    a copy; Muls, Exp, Adds and Div of the activation. The vector cores use a single buffer.
    """
    n = 1024 * 8192
    work = Work(
        macs=(Macs(8, 128, 1024, 8192),), lanes=(("cast", 2 * n), ("simple", 6 * n), ("special", 2 * n)),
        read=1024 * 1024 + 8 * 1024 * 8192, written=2 * n,
    )  # fmt: skip
    after = Schedule(tile=24 * 256, buffers=1)
    return Row(Job(work, int8, n, "cube", 1.0), chip, based(128, 256, 128, ready="b", after=after))


BIG, MIDDLE = (128, 256, 64), (128, 128, 64)
FINAL = based(*BIG, grid=(4, 6), unit_flag=True)
NORM, NORM_1 = norm(*BIG, grid=(4, 6)), norm(*BIG, grid=(1, 1))
LATE = based(*MIDDLE, step=8, grid=(1, 24), buffers=1)  # "preload off": nothing is loaded ahead
IMAGES = based(128, 256, 48, step=3, grid=(4, 6))
WIDE, DEEP = norm(*BIG, grid=(1, 24)), norm(*BIG, grid=(1, 24), slots=2)

PUBLISHED: dict[str, Row] = {
    # vendor: Add ladder
    "add0": Row(Job(lanes(SQUARE, 2, 1, {"simple": 1}).work, float16, SQUARE, "scalar")),
    "add2": add(4096, 1), "add3": add(16384, 1), "add4": add(None, 2), "add5": add(None, 2, True),
    "add2_mte2": add(4096, 1, what="MTE2"), "add3_mte2": add(16384, 1, what="MTE2"),
    "add3_vec": add(16384, 1, what="V"), "add3_mte3": add(16384, 1, what="MTE3"),
    "add4_mte2": add(None, 2, what="MTE2"), "add5_mte2": add(None, 2, True, what="MTE2"),
    # vendor: matmul ladder
    "mm1": ladder(NORM_1), "mm1_mac": ladder(NORM_1, "M"), "mm1_mte2": ladder(NORM_1, "MTE2"),
    "mm3": ladder(NORM), "mm3_mte2": ladder(NORM, "MTE2", mean=True),
    "mm5": ladder(based(*BIG, grid=(4, 6))), "mm8": ladder(FINAL),
    "mm8_mac": ladder(FINAL, "M", mean=True), "mm8_mte1": ladder(FINAL, "MTE1", mean=True),
    "mm8_mte2": ladder(FINAL, "MTE2", mean=True),
    "gelu2": ladder(based(*BIG, grid=(4, 6)), out=4),
    # copies and L2, by the vendor
    "cp3": Row(lanes(COPY, 1, 0, {})), "cp3_mte2": Row(lanes(COPY, 1, 0, {}), what="MTE2"),
    "cp8": Row(lanes(4 * COPY, 1, 0, {})),
    "cp9": Row((lanes(COPY, 1, 0, {}), lanes(3 * COPY, 1, 0, {}, cold=0.0))),
    "cp8_hit": Row(lanes(4 * COPY, 1, 0, {}), what="hit"),
    "cp9_hit": Row((lanes(COPY, 1, 0, {}), lanes(3 * COPY, 1, 0, {}, cold=0.0)), what="hit"),
    "cp12": Row(lanes(48 * 6144 * 512, 1, 0, {}, cold=0.0), schedule=Schedule(together=True)),
    "gelu1": Row(lanes(SQUARE, 1, 1, {"simple": 8, "special": 2}, float32)),
    # on a 950, by the vendor
    "n950_1": add(None, 2, True, chip=C950),
    "n950_3": Row(matmul(8192, 8192, 8192), C950, norm(256, 256, 64, grid=(4, 8))),
    # vendor: tuning cases
    "tn1": tuned(128, 1024, 30720, DEEP), "tn1_mte2": tuned(128, 1024, 30720, DEEP, "MTE2", mean=True),
    "tn2": tuned(128, 1024, 30720, based(*BIG, grid=(1, 24))), "tn3": tuned(128, 64, 30720, WIDE),
    "tn5": tuned(128, 64, 30720, based(*BIG, grid=(1, 20)), chip=A2_20),
    "tn9": tuned(30720, 1024, 4096), "tn12": Row(matmul(768, 6144, 2048), schedule=based(*BIG, grid=(6, 4))),
    "tn13": tuned(1024, 1024, 4095, based(*BIG, grid=(8, 3), prepare=False)),
    "tn15": tuned(128, 512, 24576, LATE, mean=True),
    "tn18": tuned(16, 1024, 16, norm(16, 16, 64, grid=(1, 1))),
    "tn20": tuned(64, 384, 256, norm(32, 256, 64, grid=(1, 1), slots=6)),
    "tn22": Row(matmul(4096, 4096, 5120, out=4), A2_20, Schedule(base=(64, 64, 256))),
    "tn24": Row(matmul(4096, 4096, 5120, out=4), A2_20, Schedule(base=BIG), "MTE2"),
    "ar1": Row(matmul(4096, 3072, 8192), A2_20),
    "gg1": grouped(A2_8), "mo8": grouped(C950.changed(cores_aic=8, cores_aiv=8)),
    # pto-isa
    "pg1": Row(matmul(1536, 1536, 1536, out=4), A3, based(*BIG)),
    "pg3": Row(matmul(6144, 6144, 6144, out=4), A3, based(*BIG)),
    "pc1": Row(convolution(4, 128, 8, 48, 1536, out=4), A3, IMAGES),
    "pc3": Row(convolution(4, 384, 12, 96, 4608, out=4), A3, IMAGES),
    "pc5": Row(convolution(4, 640, 15, 128, 7680, out=4), A3, IMAGES),
    "pa1": Row(matmul(5416, 6144, 1408)),
    # attention in one kernel, by pto-isa
    "pf1": Row(attention(128, 1024, 128), B2), "pf3": Row(attention(128, 8192, 128), B2),
    "pf5": Row(attention(1024, 4096, 128), B2), "pf7": Row(attention(2048, 4096, 128), B2),
    # pypto, catlass
    "py1": Row(matmul(6144, 6144, 6144)),
    "ct1": Row(matmul(1024, 6144, 576), A2_20, based(*BIG)),
    "ct3": Row(matmul(20, 16384, 6144), A2_20, based(*BIG, ready="b")),
    "ct5": Row(matmul(20, 16384, 6144), A2_20, based(*BIG)),
    "ct7": Row(matmul(1, 5120, 768, float32), B1, based(16, 128, 64)),
    "ct9": Row(matmul(160, 2048, 6144), A2_20, based(*BIG, ready="b")),
    # akg: library and generated kernels on a 910B4
    "kb2": kernel(matmul(1024, 4096, 2048, float32, cold=0.0)),
    "kb17": kernel(matmul(1024, 4096, 2048, float32, cold=0.0)),
    "kb9": kernel(matmul(16384, 16, 16384, float32, cold=0.0)),
    "kb10": kernel(matmul(16384, 2048, 768, float32)),
    "kb5": kernel(lanes(16384 * 4096, 1, 1, {"simple": 1}, float32)),
    "kb19": kernel(lanes(SMALL, 1, 1, {"simple": 1}, float32, cold=0.0)),
    "kb22": kernel(lanes(SMALL, 1, 1, {"simple": 4, "special": 2}, float32, cold=0.0)),
    "kb24": kernel(rows(16, 16384, {"simple": 3, "special": 1, "reduce": 2}, True, cold=0.0, passes=3)),
    "kb26": kernel(lanes(SMALL, 1, 1, {"simple": 8, "special": 2}, float32, cold=0.0)),
    "kb35": kernel(rows(128, 8 * 65536, {"simple": 4, "reduce": 2}, True, passes=2)),
    "kb36t": kernel(rows(16 * 65536, 64, {"simple": 3, "special": 1, "reduce": 1}, True, run=65536)),
    "kb38": Row((
        lanes(SMALL, 1, 1, {"simple": 1}, float32, cold=0.0), rows(16, 16384, {"reduce": 1}, False, cold=0.0),
        lanes(SMALL, 1, 1, {"special": 1}, float32, cold=0.0),
    ), B4, heads=3),
    "kb38t": kernel(rows(16, 16384, {"simple": 1, "special": 1, "reduce": 1}, True, cold=0.0, passes=2)),
    "kb47": kernel(rows(16 * 256, 256, {"reduce": 1}, False, cold=0.0, run=256)),
    "kb88t": kernel(lanes(2000 * 2000, 1, 1, {"simple": 8, "special": 2}, float32, cold=0.0)),
    "kb100": kernel(lanes(128, 2, 1, {"simple": 3}, float32, cold=0.0)),
    # profiler samples
    "mo1": profiled(2048, 1), "mo2": profiled(20480, 1), "mo3": profiled(20480, 8),
    "mo3_vec": profiled(20480, 8, "V"), "mo6": kernel(lanes(5120, 2, 1, {"simple": 1})),
}  # fmt: skip

UNTOLD = {
    "tn3_scalar": "the scalar unit's decoding is part of the head, not followed instruction by instruction",
    "tn7": "MIX messages between cores are one figure, fitted to this row", "tn7_scalar": "as tn3_scalar",
    "mo6_scalar": "the figure scalar.init_us is this row",
    "ar2": "communication between chips is not modelled", "pa2": "as ar2",
    "pt1": "k largest by merging sorted runs: Sort32 and three passes of MrgSort as documented are a third of it",
    "pf9": "host time of a library call: the preset torch_npu-aarch64 is this row", "pf11": "as pf9",
    "pf13": "as pf9: the preset torch_npu-x86 is this row",
    "kb89": "a running sum waits for each element before it: the simulator gives an estimate only, far too low",
    "e1": "a whole training run; input pipeline and mixed precision of 2020 are not stated", "e2": "as e1",
    "e6": "the program is not published", "h1": "the preset raw-launch-310p is this row",
    "h3": "the preset raw-launch-910b3 is this row",
    "gd1": "the kernel's stages are not published", "gd3": "as gd1",
}  # fmt: skip

# The rows that were used to choose a figure, by figure; all other rows are held out.
FITTED = {
    "scalar.elem": ("add0",), "pool.gm": ("add4", "cp3", "mo2", "kb5", "n950_1"), "pool.gm_write": ("kb9",),
    "pool.l2": ("cp9",), "pool.l2_same": ("cp12",), "mte2.lat_miss": ("mo1", "mo2"), "mte2.lat_nz": ("mm3_mte2",),
    "mte2.cap_l1_miss": ("ct3",), "mte2.row_odd": ("tn13",), "cube.head": ("mm8_mac",), "cube.turn": ("mm1_mac",),
    "vector.head": ("mo3_vec", "mo3"), "task.head_us": ("add2", "add3", "add5", "kb19", "mo6"),
    "large blocks": ("kb2",), "bands": ("kb47",),
}  # fmt: skip

# Rows with an error of more than 30 %, and the reason.
MISSED = {
    "add3_mte2": "the vendor says copies take turns under one buffer; here a load runs beside the last tile's store",
    "add3_mte3": "as add3_mte2",
    "tn5": "three and a half times tn3, another published row of the same product; what differs is not stated",
    "tn20": "what ND to NZ costs is known of blocks of 64 rows and more (lat_nz); half of these have 32",
    "kb88t": "a generated kernel: its tanh is a library function whose instructions are not stated",
}


def predicted(row: Row, engine: str = "event") -> float:
    """Microseconds (or percent) by the model."""
    costs = [cost_of(job, row.chip, engine, row.schedule) for job in row.jobs]
    if row.what == "hit":
        read = sum(job.work.read for job in row.jobs)
        return 100 * (1 - sum(cost.bytes["GM"] for cost in costs) / read)
    if row.what in ("task", "core"):
        head = row.heads * costs[0].head_us if row.what == "task" else row.chip.scalar.init_us
        cycles = sum(cost.cycles for cost in costs) * (costs[0].parts[0].share if row.mean else 1.0)
        return row.chip.us(cycles) + head
    parts = [part for cost in costs for part in cost.parts]
    return row.chip.us(sum(part.busy[row.what] * (part.share if row.mean else 1.0) for part in parts))


def copied_into_l1(what: str = "task") -> float:
    """Microseconds to load 12288 x 12288 fp16 into L1 in tiles of 64 x 256 by 24 cores: the "task", or MTE2's part."""
    path, size = load_path(B1, 1.0, "l1"), 64 * 256 * 2
    load = Instr("MTE2", "MOV_OUT_TO_L1", path.latency, size, path.rate, 24 * path.gm * size, 24 * path.l2 * size)
    program = Program("aic", {}, (Repeat((load,), COPY * 2 // (24 * size)),), 24, 1.0)
    run = queues.run(program, B1)
    return B1.us(run.cycles) + B1.task.head_us if what == "task" else B1.us(run.lanes["MTE2"].busy)


def emulated_float32() -> float:
    """TFLOP/s of 8192^3 in float32 on a 910A, emulated by three float16 products."""
    chip = chip_named("ascend910a")
    return 2 * 8192**3 / chip.us(cost_of(matmul(8192, 8192, 8192, float32), chip).cycles) / 1e6


# Rows that are not the time of an operator's kernel.
APART = {"cp6": copied_into_l1, "cp6_mte2": lambda: copied_into_l1("MTE2"), "e5": emulated_float32}

# Rank orders, ids from slowest to fastest: optimisation steps of a kernel's author, and published comparisons.
LADDERS = (
    ("add0", "add2", "add3", "add4", "add5"), ("mm1", "mm3", "mm5", "mm8"), ("cp8", "cp12", "cp9", "cp3"),
    ("tn1", "tn2"), ("tn22", "tn24"), ("ct5", "ct3"), ("mo1", "mo3", "mo2"), ("pc5", "pc3", "pc1"), ("pg3", "pg1"),
    ("kb9", "kb10", "kb2"), ("kb38", "kb24", "kb38t"), ("kb22", "kb19"),
)  # fmt: skip
