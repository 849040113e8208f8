"""A report as the vendor profiler's ``op_summary.csv``.

The header is exactly the profiler's; values that are not modelled are N/A. ``cube_utilization(%)`` is the vendor's
column: it is the occupancy of the cube cores, not the utilisation of the cube (``Cost.cube_utilization``).
"""

from __future__ import annotations

from minigraph.core.types import TensorType
from minigraph.npu.cost import Part
from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.profiler import with_header

TASK_COLUMNS = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,"
    "Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
)
SPLIT_CORE_COLUMNS = (
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,"
    "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),"
    "aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,"
    "cube_utilization(%)"
)
COUPLED_CORE_COLUMNS = (
    "aicore_time(us),total_cycles,vec_time(us),vec_ratio,mac_time(us),mac_ratio,scalar_time(us),scalar_ratio,"
    "mte1_time(us),mte1_ratio,mte2_time(us),mte2_ratio,mte3_time(us),mte3_ratio,icache_miss_rate,memory_bound"
)
HEADERS = {"split": TASK_COLUMNS + SPLIT_CORE_COLUMNS, "coupled": TASK_COLUMNS + COUPLED_CORE_COLUMNS}
CUBE_PIPES, VECTOR_PIPES = ("M", "S", "MTE1", "MTE2", "FIXP"), ("V", "S", "MTE2", "MTE3")
COUPLED_PIPES = ("V", "M", "S", "MTE1", "MTE2", "MTE3")
MISSING = "N/A"


def op_summary(report: Report) -> str:
    """The profiler's table of tasks in graph mode as CSV text; times in microseconds."""
    rows = (_summary_row(report, row, number) for number, row in enumerate(report.rows))
    return with_header(HEADERS[report.chip.family], rows, report)


def _summary_row(report: Report, row: NodeRow, number: int) -> list[str]:
    us, layout = report.chip.us, row.cost.layout
    blocks = layout.cube[0].cores if layout.cube else layout.cores
    mixed = layout.vector.cores if row.kind == "MIX_AIC" and layout.vector else 0
    start = us(row.start)
    return [
        "0", "1", str(number), "0", row.name, row.type, "static", row.kind, f"{start:.3f}", f"{row.us:.3f}", "0",
        str(blocks), str(mixed), "NO", *_tensors(row.ins), *_tensors(row.outs), MISSING,
        *(_split_columns(report, row) if report.chip.family == "split" else _coupled_columns(report, row)),
    ]  # fmt: skip


def _split_columns(report: Report, row: NodeRow) -> list[str]:
    """The columns of split chips."""
    cube = [part for part in row.cost.parts if part.core == "aic"]
    vector = [part for part in row.cost.parts if part.core == "aiv"]
    return [*_pipes(report, cube, CUBE_PIPES), *_pipes(report, vector, VECTOR_PIPES), _occupancy(report, row, cube)]


def _coupled_columns(report: Report, row: NodeRow) -> list[str]:
    """The columns of coupled chips; the last one is mte2 over mac or vec, as the vendor defines it."""
    parts = list(row.cost.parts)
    load, *units = (sum(part.busy[pipe] for part in parts) for pipe in ("MTE2", "M", "V"))
    return [*_pipes(report, parts, COUPLED_PIPES), f"{load / max(units):.3f}" if max(units) else MISSING]


def _tensors(types: tuple[TensorType, ...]) -> list[str]:
    cells = [
        ";".join(",".join(map(str, t.shape)) for t in types),
        ";".join(str(t.dtype).upper() for t in types),
        ";".join("ND" for _ in types),
    ]
    return [cell or MISSING for cell in cells]


def _pipes(report: Report, parts: list[Part], pipes: tuple[str, ...]) -> list[str]:
    """Core time, cycles summed over the cores, then time and ratio of each pipe; times are means over the cores."""
    if not parts:
        return ["0", "0", *["0"] * (2 * len(pipes)), MISSING]
    us, total = report.chip.us, sum(part.cycles for part in parts)
    mean = sum(part.cycles * part.balance for part in parts)
    cells = [f"{us(mean):.3f}", str(round(sum(part.cycles * part.balance * part.cores for part in parts)))]
    for pipe in pipes:
        busy = sum(part.busy[pipe] for part in parts)
        cells += [f"{us(sum(part.busy[pipe] * part.balance for part in parts)):.3f}", f"{busy / max(total, 1):.3f}"]
    return [*cells, MISSING]


def _occupancy(report: Report, row: NodeRow, cube: list[Part]) -> str:
    total = sum(part.cycles * part.balance * part.cores for part in cube)
    return f"{100 * total / (report.chip.cores.aic * row.cycles):.3f}"
