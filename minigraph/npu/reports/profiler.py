"""Files of the vendor's profiler: ``op_statistic.csv``, ``fusion_op.csv`` and ``task_time.csv``.

Headers are exactly the profiler's; values that are not modelled are N/A.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from minigraph.npu.report import Report
from minigraph.npu.report_rows import NodeRow
from minigraph.npu.reports.sheet import csv_text, marks_of, with_marks

STATISTIC = "Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"
FUSION_COLUMNS = (
    "Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),Memory Weight(KB),"
    "Memory Workspace(KB),Memory Total(KB)"
)
TASK_TIME = "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)"
KIB = 1024  # bytes; the profiler's columns say KB


def op_statistic(report: Report) -> str:
    """Tasks by operator and core type, largest total time first, as CSV text."""
    kinds: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in report.rows:
        kinds[row.type, row.kind] += [row.us / row.cost.tasks] * row.cost.tasks
    rows = [_statistic(report, *kind, times) for kind, times in kinds.items()]
    return with_header(STATISTIC, sorted(rows, key=lambda cells: (-float(cells[4]), cells[1], cells[2])), report)


def fusion_op(report: Report) -> str:
    """One line per fused node, with the operators of its body and its memory in KiB, as CSV text."""
    return with_header(FUSION_COLUMNS, (_fusion(report, row) for row in report.rows if row.originals), report)


def task_time(report: Report) -> str:
    """Start, end and duration of each task in microseconds since the first one, as CSV text."""
    return with_header(TASK_TIME, _task_times(report), report)


def _statistic(report: Report, kind: str, core: str, times: Sequence[float]) -> list[str]:
    total = sum(times)
    values = (total, min(times), total / len(times), max(times), 100 * total / report.us)
    return [report.title, kind, core, str(len(times)), *(f"{value:.3f}" for value in values)]


def _fusion(report: Report, row: NodeRow) -> list[str]:
    weights, read = row.weights, sum(t.nbytes for t in row.ins) - row.weights
    written = sum(t.nbytes for t in row.outs)
    values = (read, written, weights, 0, read + written + weights)
    return [report.title, "1", row.name, ";".join(row.originals), *(f"{value / KIB:.3f}" for value in values)]


def _task_times(report: Report) -> Iterator[list[str]]:
    for number, row in enumerate(report.rows):
        start, end = report.chip.us(row.start), report.chip.us(row.end)
        yield [row.name, row.kind, "0", str(number), *(f"{time:.3f}" for time in (end - start, start, end))]


def with_header(header: str, rows: Iterable[Sequence[str]], report: Report) -> str:
    """A table as CSV text, below a header that is already CSV; a what-if, or too little memory, has one more column."""
    return csv_text(with_marks([header.split(","), *rows], marks_of(report.what_if, report.basis.memory)))
