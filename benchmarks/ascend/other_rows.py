"""Published measurements that are not the time of a job: loads into L1, and a rate of emulated products."""

from benchmarks.ascend.caches import miss_rates
from benchmarks.ascend.jobs import B1, matmul
from benchmarks.ascend.published import C950, COPY_ELEMENTS
from minigraph.core.types import float32
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.engine import queues
from minigraph.npu.engine.program import Instr, Loop, Program
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling.costs import load_path


def gm_to_l1_copy(metric: str = "task", chip: Chip = B1, shared_loads: bool = False) -> float:
    """Microseconds to load 12288 x 12288 fp16 into L1 in blocks of 64 x 256 in NZ format: "task" time, or MTE2's.

    ``shared_loads``: every core loads the same 8192 x 512 fp16 from L2 instead, in blocks as they are.
    """
    cores, bytes_moved = chip.cores.aic, 64 * 256 * 2
    operand_bytes, readers = (8192 * 512 * 2, cores) if shared_loads else (COPY_ELEMENTS * 2, 1)
    shares = miss_rates(operand_bytes, readers, 1, chip.buf.l2)
    path = load_path(chip, sum(shares) / len(shares), "l1", 0 if shared_loads else 64, streams=int(shared_loads))
    load = Instr("MTE2", "MOV_OUT_TO_L1", path.latency, bytes_moved, path.rate, cores * path.gm * bytes_moved,
                 cores * path.l2 * bytes_moved, serialized=path.serialized)  # fmt: skip
    loads = operand_bytes * readers // (cores * bytes_moved)
    run = queues.run(Program("aic", {}, (Loop((load,), loads),), cores, 1.0), chip)
    return chip.us(run.cycles) + chip.task.head_us if metric == "task" else chip.us(run.queues["MTE2"].busy)


def emulated_float32_tflops() -> float:
    """TFLOP/s of 8192^3 in float32 on a 910A, emulated by three float16 products."""
    chip = chip_named("ascend910a")
    return 2 * 8192**3 / chip.us(cost_of(matmul(8192, 8192, 8192, float32), chip).cycles) / 1e6


# Rows that are not the time of a job: row id -> function that predicts it.
OTHER_ROWS = {
    "cp6": gm_to_l1_copy, "cp6_mte2": lambda: gm_to_l1_copy("MTE2"), "e5": emulated_float32_tflops,
    "n950_cp6": lambda: gm_to_l1_copy(chip=C950), "n950_cp14": lambda: gm_to_l1_copy(chip=C950, shared_loads=True),
}  # fmt: skip
