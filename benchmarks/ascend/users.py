"""Published measurements as programs that a user would write: operators, layers and ``simulate()``.

``USER_CALLS`` maps the ids of published rows to calls. A schedule has what the source of the row states, with the
exceptions that the validation page lists; ``simulate`` chooses the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.ascend.caches import ATTENTION, KERNEL_BENCH, RUNS_ONCE
from benchmarks.ascend.jobs import B1, B4, published_values
from benchmarks.ascend.networks import placeholder
from benchmarks.ascend.published import A2_8, A2_16, A2_20, A3, B2, C950, C950_8
from minigraph import Tensor, nn, ops
from minigraph.core.types import DType, float16, float32, int8
from minigraph.npu import Report, Schedule, simulate
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling.schedule import DEFAULT

SQUARE = (8192, 8192)  # a shape
LARGE_BASE = (128, 256, 64)  # the base block of a matmul: ``Schedule.base``


@dataclass(frozen=True)
class Call:
    """A call of ``simulate``: function, shapes of its tensors, chip, stated schedule.

    ``dtype``: of all tensors, or of each one. ``core``: the published time is that of the cores, without the dispatch
    of the task. ``earlier_runs``: the source's statement about runs before the measured one, after which L2 holds
    what was accessed last, or "". ``pipeline`` "none" launches operators one by one.
    """

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    chip: Chip = B1
    schedule: Schedule = DEFAULT
    dtype: DType | tuple[DType, ...] = float16
    core: bool = False
    earlier_runs: str = RUNS_ONCE
    pipeline: str = "cann"

    @property
    def stated_schedule(self) -> str:
        """The parts of the schedule that the source states."""
        return ", ".join(f"{name}={value}" for name, value in self.schedule.non_default_fields.items()) or "default"


def report_of(call: Call) -> Report:
    """The report of the simulated call."""
    dtypes = call.dtype if isinstance(call.dtype, tuple) else (call.dtype,) * len(call.shapes)
    operands = [placeholder(*shape, dtype=dtype) for shape, dtype in zip(call.shapes, dtypes, strict=True)]
    options = {"chip": call.chip, "schedule": call.schedule, "pipeline": call.pipeline}
    return simulate(call.function, *operands, warm=bool(call.earlier_runs), **options)


def predicted_us(call: Call) -> float:
    """Microseconds of the call's tasks on the device, without their dispatch if ``call.core``."""
    report = report_of(call)
    dispatch_us = sum(row.cost.head_us - call.chip.scalar.init_us for row in report.rows)
    return report.us - dispatch_us * call.core


def matmul(m: int, k: int, n: int, schedule: Schedule = DEFAULT, **fields: Any) -> Call:
    """``a @ b`` of float16 matrices, a [m,k] and b [k,n]."""
    return Call(lambda a, b: a @ b, ((m, k), (k, n)), schedule=schedule, **fields)


def matmul_to_float32(m: int, k: int, n: int, schedule: Schedule = DEFAULT, **fields: Any) -> Call:
    """``a @ b`` of float16 matrices, with a float32 result."""
    return Call(lambda a, b: (a @ b).astype(float32), ((m, k), (k, n)), schedule=schedule, **fields)


def add(*shape: int, times: int = 1, **fields: Any) -> Call:
    """One kernel of ``times`` additions of two tensors."""

    def kernel(x: Tensor, y: Tensor) -> Tensor:
        for _ in range(times):
            x = x + y
        return x

    return Call(kernel, (shape, shape), pipeline="default", **fields)


def kernel(function: Callable[..., Any], *shapes: tuple[int, ...], **fields: Any) -> Call:
    """A library kernel of the KernelBench report, float32 on a 910B4."""
    return Call(function, shapes, B4, dtype=float32, earlier_runs=KERNEL_BENCH, **fields)


def convolution(n: int, channels: int, h: int, w: int, filters: int) -> Call:
    """A 3 x 3 convolution with "same" padding."""
    return Call(lambda x, w: ops.conv2d(x, w, pad_mode="same"), ((n, channels, h, w), (filters, channels, 3, 3)), A3,
                Schedule(base=(128, 256, 48)))  # fmt: skip


def attention(queries: int, keys: int) -> Call:
    """One head of attention of depth 128."""
    shapes = ((queries, 128), (keys, 128), (keys, 128))
    return Call(ops.scaled_dot_product_attention, shapes, B2, earlier_runs=ATTENTION)


def grouped_matmul(chip: Chip) -> Call:
    """GELU of eight int8 products of 128 rows, dequantised by a scale per column and one per row; single-buffered."""
    return Call(
        lambda x, w, scale, row_scale: ops.gelu((x @ w) * scale * row_scale),
        ((8, 128, 1024), (8, 1024, 8192), (8, 1, 8192), (8, 128, 1)),
        chip, Schedule(vector=Schedule(buffers=1)), (int8, int8, float16, float16),
    )  # fmt: skip


def rms_norm(x: Tensor) -> Tensor:
    """RMS norm over the channels, without a scale, as KernelBench writes it."""
    return x / ops.sqrt(ops.mean(x * x, 1, True) + 1e-5)


def new_gelu(x: Tensor) -> Tensor:
    """GELU by tanh, as minGPT writes it."""
    return 0.5 * x * (1.0 + ops.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


# the vendor's template Norm: one base block per load, and no operand that stays in L1
NORM_TEMPLATE = {"base": LARGE_BASE, "step_k": 1, "keep_in_l1": False, "buffers": 1}
BASE_BLOCK_950 = (256, 256, 64)  # the base block on the 950
LONG_ROWS = (16, 16384)  # a shape

USER_CALLS: dict[str, Call] = {
    "add0": add(*SQUARE, schedule=Schedule(compute="S")),
    "add2": add(*SQUARE, schedule=Schedule(tile=4096, buffers=1, alternate=True)),
    "add3": add(*SQUARE, schedule=Schedule(tile=16384, buffers=1, alternate=True)),
    "add4": add(*SQUARE, schedule=Schedule(tile=16384)),
    "add5": add(*SQUARE, schedule=Schedule(tile=16384, bypass_l2=True)),
    "n950_1": add(*SQUARE, chip=C950, schedule=Schedule(bypass_l2=True)),
    "mm1": matmul(8192, 8192, 8192, Schedule(grid=(1, 1), **NORM_TEMPLATE)),
    "mm3": matmul(8192, 8192, 8192, Schedule(grid=(4, 6), **NORM_TEMPLATE)),
    "mm5": matmul(8192, 8192, 8192, Schedule(base=LARGE_BASE, grid=(4, 6))),
    "mm8": matmul(8192, 8192, 8192, Schedule(base=LARGE_BASE, grid=(4, 6), unit_flag=True)),
    "gelu2": matmul_to_float32(8192, 8192, 8192),
    "gelu1": Call(ops.gelu, (SQUARE,), dtype=float32),
    "n950_mm1": matmul(8192, 8192, 8192, Schedule(**NORM_TEMPLATE | {"base": BASE_BLOCK_950}, grid=(1, 1)), chip=C950),
    "n950_3": matmul(8192, 8192, 8192, Schedule(**NORM_TEMPLATE | {"base": BASE_BLOCK_950}, grid=(4, 8)), chip=C950),
    "n950_mm5": matmul(8192, 8192, 8192, Schedule(base=BASE_BLOCK_950, grid=(4, 8)), chip=C950),
    "n950_mmb1": matmul(8192, 8192, 8192, Schedule(base=BASE_BLOCK_950, grid=(4, 8)), chip=C950),
    "tn1": matmul(128, 1024, 30720, Schedule(**NORM_TEMPLATE | {"buffers": 2}), core=True),
    "tn2": matmul(128, 1024, 30720, core=True), "tn3": matmul(128, 64, 30720, core=True),
    "tn5": matmul(128, 64, 30720, chip=A2_20, core=True),
    "tn9": matmul(30720, 1024, 4096, core=True),
    "tn12": matmul(768, 6144, 2048),
    "tn13": matmul(1024, 1024, 4095, Schedule(nd2nz="MTE2"), core=True),
    "tn15": matmul(128, 512, 24576, Schedule(buffers=1), core=True),
    "tn18": matmul(16, 1024, 16, Schedule(grid=(1, 1), step_k=1, keep_in_l1=False), core=True),
    "tn20": matmul(64, 384, 256, Schedule(grid=(1, 1), step_k=1, keep_in_l1=False), core=True),
    "tn22": matmul_to_float32(4096, 4096, 5120, Schedule(base=(64, 64, 256)), chip=A2_20),
    "ar1": matmul(4096, 3072, 8192, chip=A2_20),
    "pg1": matmul_to_float32(1536, 1536, 1536, Schedule(base=LARGE_BASE, step_k=4), chip=A3),
    "pg3": matmul_to_float32(6144, 6144, 6144, Schedule(base=LARGE_BASE, step_k=4), chip=A3),
    "pc1": convolution(4, 128, 8, 48, 1536), "pc3": convolution(4, 384, 12, 96, 4608),
    "pc5": convolution(4, 640, 15, 128, 7680),
    "pf1": attention(128, 1024), "pf3": attention(128, 8192), "pf5": attention(1024, 4096),
    "pf7": attention(2048, 4096), "pa1": matmul(5416, 6144, 1408), "py1": matmul(6144, 6144, 6144),
    "ct1": matmul(1024, 6144, 576, Schedule(base=LARGE_BASE, step_k=4), chip=A2_20),
    "ct3": matmul(20, 16384, 6144, Schedule(base=LARGE_BASE, step_k=4, nz_operands="b"), chip=A2_20),
    "ct5": matmul(20, 16384, 6144, Schedule(base=LARGE_BASE, step_k=4), chip=A2_20),
    "ct7": matmul(1, 5120, 768, Schedule(base=(16, 128, 64), step_k=4), dtype=float32),
    "ct9": matmul(160, 2048, 6144, Schedule(base=LARGE_BASE, nz_operands="b"), chip=A2_20),
    "kb2": kernel(lambda a, b: a @ b, (1024, 4096), (4096, 2048)),
    "kb17": kernel(lambda a, b: a @ b.T, (1024, 4096), (2048, 4096)),
    "kb9": kernel(lambda a, b: a @ b, (16384, 16), (16, 16384)),
    "kb10": kernel(lambda a, b: a @ b, (16, 1024, 2048), (2048, 768)),
    "kb5": kernel(lambda x: x * 3.14, (16384, 4096)),
    "kb19": kernel(ops.relu, LONG_ROWS), "kb22": kernel(ops.tanh, LONG_ROWS), "kb26": kernel(ops.gelu, LONG_ROWS),
    "kb24": kernel(lambda x: ops.log_softmax(x, 1), LONG_ROWS),
    "kb35": kernel(lambda x: nn.GroupNorm(8, 64)(x), (16, 64, 256, 256)),
    "kb36t": kernel(rms_norm, (16, 64, 256, 256), pipeline="graph_kernel"),
    "kb47": kernel(lambda x: ops.sum(x, 1, keepdim=True), (16, 256, 256)),
    "kb89": kernel(lambda x: ops.cumsum(x, 1), (128, 4000)),
    "kb100": kernel(lambda p, y: ops.mean(ops.relu(1.0 - p * y)), (128, 1), (128, 1), pipeline="graph_kernel"),
    "kb38": kernel(lambda x: x / ops.sum(ops.abs(x), 1, keepdim=True), LONG_ROWS, pipeline="none"),
    "kb38t": kernel(lambda x: x / ops.sum(ops.abs(x), 1, keepdim=True), LONG_ROWS, pipeline="graph_kernel"),
    "kb88t": kernel(new_gelu, (2000, 2000), pipeline="default"),
    "pt1": Call(lambda x: ops.topk(x, 1000)[0], ((4800, 1024),), A3, dtype=float32),
    "mo1": add(83886080, chip=B4, schedule=Schedule(cores=8, tile=2048, buffers=1)),
    "mo2": add(83886080, chip=B4, schedule=Schedule(cores=8, tile=20480, buffers=1)),
    "mo3": add(83886080, times=8, chip=B4, schedule=Schedule(cores=8, tile=20480, buffers=1)),
    "mo6": add(5120, chip=B4, schedule=Schedule(cores=1)),
    "gg1": grouped_matmul(A2_8), "n_gg25": grouped_matmul(A2_16), "mo8": grouped_matmul(C950_8),
}  # fmt: skip

# Published busy times of queues: the call of the kernel, its cores and the queue, as ``Report.queues`` names them.
CASE_8 = matmul(8192, 8192, 8192, Schedule(base=BASE_BLOCK_950, grid=(4, 8), unit_flag=True), chip=C950)
LARGE_TILES = matmul_to_float32(4096, 4096, 5120, Schedule(base=LARGE_BASE), chip=A2_20)
COMPONENT_CALLS: dict[str, tuple[Call, str, str]] = {
    **{f"{name}_mte2": (USER_CALLS[name], "aiv", "MTE2") for name in ("add2", "add3", "add4", "add5")},
    "add3_vec": (USER_CALLS["add3"], "aiv", "V"), "add3_mte3": (USER_CALLS["add3"], "aiv", "MTE3"),
    "mo3_vec": (USER_CALLS["mo3"], "aiv", "V"),
    **{f"{name}_mte2": (USER_CALLS[name], "aic", "MTE2") for name in ("mm1", "mm3", "mm8", "tn1")},
    "n_mm5_mte2": (USER_CALLS["mm5"], "aic", "MTE2"),
    **{f"n_{name}_mte1": (USER_CALLS[name], "aic", "MTE1") for name in ("mm1", "mm3", "mm5")},
    **{f"n_{name}_mac": (USER_CALLS[name], "aic", "M") for name in ("mm3", "mm5")},
    "mm1_mac": (USER_CALLS["mm1"], "aic", "M"), "mm8_mac": (USER_CALLS["mm8"], "aic", "M"),
    "mm8_mte1": (USER_CALLS["mm8"], "aic", "MTE1"),
    "n950_mm8_mte1": (CASE_8, "aic", "MTE1"), "n950_mm8_mte2": (CASE_8, "aic", "MTE2"),
    "n950_mm8_mac": (CASE_8, "aic", "M"), "tn24": (LARGE_TILES, "aic", "MTE2"),
}  # fmt: skip


@cache
def component_us(call: Call, core: str, queue: str) -> float:
    """Microseconds that a queue of the busiest core is busy: ``report.queues[core, queue].busy``."""
    return call.chip.us(cached_report(call).queues[core, queue].busy)


@cache
def cached_report(call: Call) -> Report:
    """The report of a call, simulated once for all of its component times."""
    return report_of(call)


@cache
def user_times() -> dict[str, float]:
    """The predicted microseconds of all rows that are written with public calls."""
    times = {name: predicted_us(call) for name, call in USER_CALLS.items()}
    return times | {name: component_us(*component) for name, component in COMPONENT_CALLS.items()}


def user_errors() -> dict[str, float]:
    """The relative errors of all rows that are written with public calls."""
    return {name: us / published_values()[name] - 1 for name, us in user_times().items()}
