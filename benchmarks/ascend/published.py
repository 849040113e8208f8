"""Published measurements and how to predict them: row id of the data file -> jobs, chip, schedule and metric.

Every row of the file is in ``PUBLISHED``, in ``other_rows`` or, with the reason, in ``NOT_MODELED``. ``FITTED`` names
the rows that were used to choose a parameter, by parameter; all others are held out.
"""

from dataclasses import dataclass

from benchmarks.ascend.caches import ATTENTION, KERNEL_BENCH, RUNS_ONCE, after_runs, rereads
from benchmarks.ascend.jobs import B1, B4, attention, convolution, elementwise, matmul, published_rows, rows
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

B2, A3, C950 = (chip_named(name) for name in ("ascend910b2", "ascend910_9391", "ascend950"))
A2_20 = B2.replace(cores_aic=20)  # "Atlas A2, 20 AIC": the source does not name the chip
A2_8, A2_16 = (B2.replace(cores_aic=8, cores_aiv=vector) for vector in (8, 16))  # by vector cores
C950_8 = C950.replace(cores_aic=8, cores_aiv=8)
SQUARE_ELEMENTS, KERNEL_BENCH_ELEMENTS, COPY_ELEMENTS = 8192 * 8192, 16 * 16384, 12288 * 12288


@dataclass(frozen=True)
class Row:
    """One measurement: jobs that run one after another, chip, schedule and metric.

    ``metric``: "task" (task time with head overhead), "core" (core time, without dispatch), a queue's name (its busy
    time), or "hit" (L2 read hit rate in percent). ``mean``: of all cores, instead of the busiest one. ``heads``: head
    overheads in the time. ``earlier_runs``: the source's statement about runs before the measured one, or "".
    ``reads``: how often the kernel reads its operands, in ``slices``: each is read that often before the next one.
    """

    job: Job | tuple[Job, ...]
    chip: Chip = B1
    schedule: Schedule = DEFAULT
    metric: str = "task"
    mean: bool = False
    heads: int = 1
    earlier_runs: str = RUNS_ONCE
    reads: int = 1
    slices: int = 1

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, each with the L2 miss rates of its operands after the earlier runs."""
        l2 = self.chip.buf.l2
        if self.reads > 1 and isinstance(self.job, Job):
            return rereads(self.job, self.reads, self.slices, l2, self.schedule.shared_loads)
        return after_runs(self.job if isinstance(self.job, tuple) else (self.job,), l2, bool(self.earlier_runs))


def add(tile: int | None, buffers: int, bypass: bool = False, metric: str = "task", chip: Chip = B1) -> Row:
    """Add of 8192 x 8192 fp16, an optimisation step of the vendor; its single-buffered kernels alternate."""
    schedule = Schedule(
        tile=tile, buffers=buffers, bypass_l2=bypass, bank_conflicts=chip is not C950, alternate=buffers == 1
    )
    return Row(elementwise(SQUARE_ELEMENTS, 2, 1, {"simple": 1}), chip, schedule, metric)


def profiler_sample(tile: int, ops: int, metric: str = "task") -> Row:
    """The profiler's single-buffered Add on 8 vector cores of a 910B4, with bank conflicts."""
    schedule = Schedule(cores=8, tile=tile, buffers=1, bank_conflicts=True)
    return Row(elementwise(83886080, 2, 1, {"simple": ops}), B4, schedule, metric)


def blocks(*base: int, step: int | None = 4, grid: tuple[int, int] | None = None, **fields) -> Schedule:
    """The schedule of a product with a published base block and ``step`` blocks per load."""
    return Schedule(base=base, step_k=step, grid=grid, split_k=1, **fields)


def norm_template(*base: int, grid: tuple[int, int] | None = None, slots: int = 1) -> Schedule:
    """The vendor's Norm template: one base block per load, ``slots`` of them in L1, no resident operand."""
    return blocks(*base, step=1, grid=grid, buffers=slots, keep_in_l1=False)


def matmul_ladder(schedule: Schedule, metric: str = "task", mean: bool = False, out: int | None = None) -> Row:
    """The 8192^3 matmul, a step of the vendor's optimisation ladder."""
    return Row(matmul(8192, 8192, 8192, out=out), schedule=schedule, metric=metric, mean=mean)


def on_950(schedule: Schedule, metric: str = "task") -> Row:
    """The 8192^3 matmul on a 950, a step of the vendor's optimisation ladder."""
    return Row(matmul(8192, 8192, 8192), C950, schedule, metric, mean=metric != "task")


def tuning(
    m: int, k: int, n: int, schedule: Schedule = DEFAULT, metric: str = "core", chip: Chip = B1, **fields
) -> Row:
    """A product of the vendor's tuning cases, which publish core times."""
    return Row(matmul(m, k, n), chip, schedule, metric, **fields)


def kernel_bench(*jobs: Job) -> Row:
    """Kernels of the KernelBench report on a 910B4, of the library or generated; one per job."""
    return Row(jobs, B4, heads=len(jobs), earlier_runs=KERNEL_BENCH)


def flash(queries: int, keys: int) -> Row:
    """One head of attention of depth 128, in one kernel."""
    return Row(attention(queries, keys, 128), B2, earlier_runs=ATTENTION)


def copy(metric: str = "task", chip: Chip = B1, schedule: Schedule = DEFAULT, **fields: int) -> Row:
    """A copy of 12288 x 12288 fp16 from device memory to UB."""
    return Row(elementwise(COPY_ELEMENTS, 1, 0, {}), chip, schedule, metric, **fields)


def lockstep_copy(elements: int, chip: Chip) -> Row:
    """A copy of ``elements`` fp16 to UB by every vector core, all in the same order."""
    return Row(elementwise(elements, 1, 0, {}), chip, Schedule(shared_loads=True), reads=chip.vector_cores)


def grouped_matmul(chip: Chip) -> Row:
    """GroupedMatmul: eight int8 products, dequantised with two scales, FasterGelu, cast to float16, 24 rows per tile.

    Vector instructions as in the published source: casts in and out; two multiplications by scales, one of which is
    broadcast first; a copy; Muls, Exp, Adds and Div of the activation. The vector cores are single-buffered.
    """
    n = 1024 * 8192
    work = Work(
        macs=(Macs(8, 128, 1024, 8192),), lanes=(("cast", 2 * n), ("simple", 6 * n), ("special", 2 * n)),
        read=1024 * 1024 + 8 * 1024 * 8192, written=2 * n,
    )  # fmt: skip
    vector = Schedule(tile=24 * 256, buffers=1)
    return Row(Job(work, int8, n, "cube", 1.0), chip, blocks(128, 256, 128, nz_operands="b", vector=vector))


LARGE_BLOCK, MEDIUM_BLOCK = (128, 256, 64), (128, 128, 64)
FINAL_SCHEDULE = blocks(*LARGE_BLOCK, grid=(4, 6), unit_flag=True)
NORM_SCHEDULE, NORM_ONE_CORE = norm_template(*LARGE_BLOCK, grid=(4, 6)), norm_template(*LARGE_BLOCK, grid=(1, 1))
NO_PRELOAD = blocks(*MEDIUM_BLOCK, step=8, grid=(1, 24), buffers=1)  # "preload off": single-buffered
MDL_SCHEDULE = blocks(*LARGE_BLOCK, grid=(4, 6))
BASE_BLOCK_950 = (256, 256, 64)
FINAL_SCHEDULE_950 = blocks(*BASE_BLOCK_950, step=2, grid=(4, 8), unit_flag=True)
CONV_SCHEDULE = blocks(128, 256, 48, step=3, grid=(4, 6))
NORM_WIDE_GRID = norm_template(*LARGE_BLOCK, grid=(1, 24))
NORM_DOUBLE_BUFFERED = norm_template(*LARGE_BLOCK, grid=(1, 24), slots=2)

PUBLISHED: dict[str, Row] = {
    # vendor: Add ladder
    "add0": Row(Job(elementwise(SQUARE_ELEMENTS, 2, 1, {"simple": 1}).work, float16, SQUARE_ELEMENTS, "scalar")),
    "add2": add(4096, 1), "add3": add(16384, 1), "add4": add(16384, 2), "add5": add(16384, 2, True),
    "add2_mte2": add(4096, 1, metric="MTE2"), "add3_mte2": add(16384, 1, metric="MTE2"),
    "add3_vec": add(16384, 1, metric="V"), "add3_mte3": add(16384, 1, metric="MTE3"),
    "add4_mte2": add(16384, 2, metric="MTE2"), "add5_mte2": add(16384, 2, True, metric="MTE2"),
    # vendor: matmul ladder
    "mm1": matmul_ladder(NORM_ONE_CORE), "mm1_mac": matmul_ladder(NORM_ONE_CORE, "M"),
    "mm1_mte2": matmul_ladder(NORM_ONE_CORE, "MTE2"),
    "mm3": matmul_ladder(NORM_SCHEDULE), "mm3_mte2": matmul_ladder(NORM_SCHEDULE, "MTE2", mean=True),
    "mm5": matmul_ladder(MDL_SCHEDULE), "mm8": matmul_ladder(FINAL_SCHEDULE),
    "mm8_mac": matmul_ladder(FINAL_SCHEDULE, "M", mean=True),
    "mm8_mte1": matmul_ladder(FINAL_SCHEDULE, "MTE1", mean=True),
    "mm8_mte2": matmul_ladder(FINAL_SCHEDULE, "MTE2", mean=True),
    "gelu2": matmul_ladder(blocks(*LARGE_BLOCK, grid=(4, 6)), out=4),
    # copies and L2, by the vendor
    "cp3": copy(), "cp3_mte2": copy("MTE2"), "cp8": copy(reads=4), "cp9": copy(reads=4, slices=4),
    "cp8_hit": copy("hit", reads=4), "cp9_hit": copy("hit", reads=4, slices=4), "cp12": lockstep_copy(6144 * 512, B1),
    "gelu1": Row(elementwise(SQUARE_ELEMENTS, 1, 1, {"simple": 8, "special": 2}, float32)),
    # on a 950, by the vendor
    "n950_1": add(None, 2, True, chip=C950),
    "n950_3": on_950(norm_template(*BASE_BLOCK_950, grid=(4, 8))),
    "n_mm1_mte1": matmul_ladder(NORM_ONE_CORE, "MTE1"), "n_mm3_mte1": matmul_ladder(NORM_SCHEDULE, "MTE1", mean=True),
    "n_mm3_mac": matmul_ladder(NORM_SCHEDULE, "M", mean=True), "n_mm5_mac": matmul_ladder(MDL_SCHEDULE, "M", mean=True),
    "n_mm5_mte1": matmul_ladder(MDL_SCHEDULE, "MTE1", mean=True),
    "n_mm5_mte2": matmul_ladder(MDL_SCHEDULE, "MTE2", mean=True),
    "n950_mm1": on_950(norm_template(*BASE_BLOCK_950, grid=(1, 1))),
    "n950_mm5": on_950(blocks(*BASE_BLOCK_950, step=2, grid=(4, 8))),
    "n950_mmb1": on_950(blocks(*BASE_BLOCK_950, step=2, grid=(4, 8))),
    "n950_mm8_mac": on_950(FINAL_SCHEDULE_950, "M"), "n950_mm8_mte1": on_950(FINAL_SCHEDULE_950, "MTE1"),
    "n950_mm8_mte2": on_950(FINAL_SCHEDULE_950, "MTE2"),
    "n950_cp1": copy(chip=C950, schedule=Schedule(tile=64)), "n950_cp3": copy(chip=C950),
    "n950_cp8": copy(chip=C950, reads=4), "n950_cp9": copy(chip=C950, reads=4, slices=4),
    "n950_cp12": lockstep_copy(8192 * 512, C950),
    # vendor: tuning cases
    "tn1": tuning(128, 1024, 30720, NORM_DOUBLE_BUFFERED),
    "tn1_mte2": tuning(128, 1024, 30720, NORM_DOUBLE_BUFFERED, "MTE2", mean=True),
    "tn2": tuning(128, 1024, 30720, blocks(*LARGE_BLOCK, grid=(1, 24))), "tn3": tuning(128, 64, 30720, NORM_WIDE_GRID),
    "tn5": tuning(128, 64, 30720, blocks(*LARGE_BLOCK, grid=(1, 20)), chip=A2_20),
    "tn9": tuning(30720, 1024, 4096), "tn12": Row(matmul(768, 6144, 2048), schedule=blocks(*LARGE_BLOCK, grid=(6, 4))),
    "tn13": tuning(1024, 1024, 4095, blocks(*LARGE_BLOCK, grid=(8, 3), nd2nz="MTE2")),
    "tn15": tuning(128, 512, 24576, NO_PRELOAD, mean=True),
    "tn18": tuning(16, 1024, 16, norm_template(16, 16, 64, grid=(1, 1))),
    "tn20": tuning(64, 384, 256, norm_template(32, 256, 64, grid=(1, 1), slots=6)),
    "tn22": Row(matmul(4096, 4096, 5120, out=4), A2_20, Schedule(base=(64, 64, 256))),
    "tn24": Row(matmul(4096, 4096, 5120, out=4), A2_20, Schedule(base=LARGE_BLOCK), "MTE2"),
    "ar1": Row(matmul(4096, 3072, 8192), A2_20),
    "n_gg25": grouped_matmul(A2_16), "gg1": grouped_matmul(A2_8),
    "mo8": grouped_matmul(C950_8),
    # pto-isa
    "pg1": Row(matmul(1536, 1536, 1536, out=4), A3, blocks(*LARGE_BLOCK)),
    "pg3": Row(matmul(6144, 6144, 6144, out=4), A3, blocks(*LARGE_BLOCK)),
    "pc1": Row(convolution(4, 128, 8, 48, 1536, out=4), A3, CONV_SCHEDULE),
    "pc3": Row(convolution(4, 384, 12, 96, 4608, out=4), A3, CONV_SCHEDULE),
    "pc5": Row(convolution(4, 640, 15, 128, 7680, out=4), A3, CONV_SCHEDULE),
    "pa1": Row(matmul(5416, 6144, 1408)),
    # attention in one kernel, by pto-isa
    "pf1": flash(128, 1024), "pf3": flash(128, 8192), "pf5": flash(1024, 4096), "pf7": flash(2048, 4096),
    # pypto, catlass
    "py1": Row(matmul(6144, 6144, 6144)),
    "ct1": Row(matmul(1024, 6144, 576), A2_20, blocks(*LARGE_BLOCK)),
    "ct3": Row(matmul(20, 16384, 6144), A2_20, blocks(*LARGE_BLOCK, nz_operands="b")),
    "ct5": Row(matmul(20, 16384, 6144), A2_20, blocks(*LARGE_BLOCK)),
    "ct7": Row(matmul(1, 5120, 768, float32), B1, blocks(16, 128, 64)),
    "ct9": Row(matmul(160, 2048, 6144), A2_20, blocks(*LARGE_BLOCK, nz_operands="b")),
    # akg: library and generated kernels on a 910B4
    **{name: kernel_bench(matmul(1024, 4096, 2048, float32)) for name in ("kb2", "kb17")},
    "kb9": kernel_bench(matmul(16384, 16, 16384, float32)),
    "kb10": kernel_bench(matmul(16384, 2048, 768, float32)),
    "kb5": kernel_bench(elementwise(16384 * 4096, 1, 1, {"simple": 1}, float32)),
    "kb19": kernel_bench(elementwise(KERNEL_BENCH_ELEMENTS, 1, 1, {"simple": 1}, float32)),
    "kb22": kernel_bench(elementwise(KERNEL_BENCH_ELEMENTS, 1, 1, {"simple": 17, "special": 2}, float32)),
    "kb24": kernel_bench(rows(16, 16384, {"simple": 3, "special": 1, "reduce": 2}, True, passes=3)),
    "kb26": kernel_bench(elementwise(KERNEL_BENCH_ELEMENTS, 1, 1, {"simple": 6, "special": 2}, float32)),
    "kb35": kernel_bench(rows(128, 8 * 65536, {"simple": 4, "reduce": 2}, True, passes=2)),
    "kb36t": kernel_bench(rows(16 * 65536, 64, {"simple": 3, "special": 1, "reduce": 1}, True, run=65536)),
    "kb38": kernel_bench(
        elementwise(KERNEL_BENCH_ELEMENTS, 1, 1, {"simple": 1}, float32), rows(16, 16384, {"reduce": 1}, False),
        elementwise(KERNEL_BENCH_ELEMENTS, 1, 1, {"special": 1}, float32),
    ),
    "kb38t": kernel_bench(rows(16, 16384, {"simple": 1, "special": 1, "reduce": 1}, True, passes=2)),
    "kb47": kernel_bench(rows(16 * 256, 256, {"reduce": 1}, False, run=256)),
    "kb88t": kernel_bench(elementwise(2000 * 2000, 1, 1, {"simple": 8 + 17, "special": 2}, float32)),
    "kb100": kernel_bench(elementwise(128, 2, 1, {"simple": 3}, float32)),
    # profiler samples
    "mo1": profiler_sample(2048, 1), "mo2": profiler_sample(20480, 1),
    "mo3": profiler_sample(20480, 8), "mo3_vec": profiler_sample(20480, 8, "V"),
    "mo6": Row(elementwise(5120, 2, 1, {"simple": 1}), B4, Schedule(cores=1)),
}  # fmt: skip

NETWORK = "a whole network: see its section; its published definition and fusion are not stated"
NOT_MODELED = {
    "tn3_scalar": "scalar decoding is part of the head overhead, not simulated",
    "tn7": "MIX messages between cores are one parameter, fitted to this row", "tn7_scalar": "as tn3_scalar",
    "mo6_scalar": "this row is the source of scalar.init_us",
    "ar2": "communication between chips is not modelled", "pa2": "as ar2",
    "pt1": "top-k by merge sort: Sort32 and three passes of MrgSort, as documented, account for a third of it",
    "pf9": "host time of a library call; the source of the preset torch_npu-aarch64", "pf11": "as pf9",
    "pf13": "as pf9; the source of the preset torch_npu-x86",
    "kb89": "a prefix sum is sequential: the simulator gives a bandwidth estimate only, which is far too low",
    "e1": NETWORK, "e2": "as e1, on eight chips", "e6": "the program is not published",
    "h1": "the source of the preset raw-launch-310p", "h3": "the source of the preset raw-launch-910b3",
    "gd1": "the kernel's stages are not published", "gd3": "as gd1",
}  # fmt: skip

THROUGHPUT_UNITS = ("images/s", "samples/s", "sentences/s", "tokens/s")
NOT_MODELED |= {
    row["id"]: NETWORK for row in published_rows() if row["unit"] in THROUGHPUT_UNITS and row["id"] not in NOT_MODELED
}

# Rows that were used to choose a parameter, by parameter; all other rows are held out.
FITTED = {
    "scalar.elem": ("add0",), "pool.gm": ("add4", "cp3", "mo2", "kb5", "n950_1", "n950_cp3", "n950_cp6", "n950_cp8"),
    "pool.gm_write": ("kb9",), "pool.gm_request": ("add2", "add2_mte2"), "pool.l2": ("cp9",),
    "pool.l2_same": ("cp12", "n950_cp12"),
    "pool.l2_same_l1": ("pf7", "n950_cp14"),
    "mte2.lat_miss": ("mo1", "mo2"),
    "mte2.lat_nz, mte2.row_nz": (
        "mm1_mte2", "mm3_mte2", "tn20", "n950_mm1", "n950_3", "n950_mm5", "n950_mmb1", "n950_mm8_mte2",
    ),
    "mte2.cap_l1_miss": ("ct3",), "mte2.row_odd": ("tn13",), "mte1.ovh": ("mm8_mte1",), "cube.head": ("mm8_mac",),
    "cube.turn": ("mm1_mac",), "vector.head": ("mo3_vec", "mo3"), "sync.flag": ("mo2",),
    "task.head_us": ("add2", "add3", "add5", "kb19", "mo6"), "large blocks": ("kb2",), "cores per strip": ("kb47",),
    "LRU replacement in L2": ("cp8_hit", "cp9_hit"),
}  # fmt: skip

# Parameters that are a row's own value; the row is not predicted.
SOURCE_ROWS = {"task.mix_extra_us": "tn7", "scalar.init_us": "mo6_scalar"}

# Rows with errors above 30 %, and the reason.
LARGE_ERRORS = {
    "add3_mte3": "the published stores are faster than the device memory bandwidth that loads and stores share here",
    "tn5": "3.5 times tn3, another published row of the same product; the difference is not stated",
    "kb88t": "a generated kernel: its tanh is another one than the library's, and its instructions are not published",
    "n950_mm8_mte2": "the published kernel keeps more of its operands in L1 than the model does",
}


def predict(row: Row, engine: str = "event") -> float:
    """The predicted value in microseconds (or percent)."""
    costs = [cost_of(job, row.chip, engine, row.schedule) for job in row.jobs]
    if row.metric == "hit":
        read = sum(job.work.read for job in row.jobs)
        return 100 * (1 - sum(cost.bytes["GM"] for cost in costs) / read)
    if row.metric in ("task", "core"):
        head = row.heads * costs[0].head_us if row.metric == "task" else row.chip.scalar.init_us
        cycles = sum(cost.cycles for cost in costs) * (costs[0].parts[0].balance if row.mean else 1.0)
        return row.chip.us(cycles) + head
    parts = [part for cost in costs for part in cost.parts]
    return row.chip.us(sum(part.busy[row.metric] * (part.balance if row.mean else 1.0) for part in parts))


# Rank orders: ids from slowest to fastest, for optimisation steps of a kernel and for compared kernels.
RANK_ORDERS = (
    ("add0", "add2", "add3", "add4", "add5"), ("mm1", "mm3", "mm5", "mm8"), ("cp8", "cp12", "cp9", "cp3"),
    ("tn1", "tn2"), ("tn22", "tn24"), ("ct5", "ct3"), ("mo1", "mo3", "mo2"), ("pc5", "pc3", "pc1"), ("pg3", "pg1"),
    ("kb9", "kb10", "kb2"), ("kb38", "kb24", "kb38t"), ("kb22", "kb19"),
)  # fmt: skip
