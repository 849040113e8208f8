"""The critical path of a run: its cycles by cause, and the dependencies between instructions on it.

The path is traced back from the last instruction: each instruction starts when its binding dependency ends, which is
the previous instruction of its queue, a flag, a free buffer slot, or its issue. Contention for shared memory delays its
end ("bandwidth").
"""

from __future__ import annotations

from collections import Counter

from minigraph.npu.engine.record import Edge
from minigraph.npu.report import Report
from minigraph.npu.reports.sheet import Sheet

TOP_EDGES = 5
COLUMNS = ("cause", "means", "cycles", "us", "%")
MEANINGS = {
    "head": "task start-up", "bandwidth": "contention for shared memory", "queue": "waiting for the queue",
    "flag": "waiting for an operand", "buffer": "waiting for a free buffer slot", "issue": "waiting for issue",
    "other cores": "synchronisation of cube and vector cores", "S": "scalar unit busy", "V": "vector unit busy",
    "M": "cube busy", "MTE1": "transfer from L1 to L0", "MTE2": "transfer from memory to L1 or UB",
    "MTE3": "transfer from UB to memory", "FIXP": "transfer from L0C to memory",
}  # fmt: skip


def critical_sheet(report: Report, limit: int = TOP_EDGES) -> Sheet:
    """The critical path by cause, longest first; the ``limit`` longest edges are notes.

    The analytic engine has no critical path, only head overheads.
    """
    rows = tuple(
        (cause, MEANINGS.get(cause, ""), cycles, report.chip.us(cycles), 100 * cycles / max(report.cycles, 1))
        for cause, cycles in report.critical.items()
        if cycles
    )
    edges = sorted(edges_of(report).items(), key=lambda item: (-item[1], item[0]))[:limit]
    notes = tuple(
        f"{edge.before} -> {edge.after} ({edge.cause}): {report.chip.us(cycles):,.2f} us" for edge, cycles in edges
    )
    title = f"critical path of {report.title}, {report.us:,.2f} us"
    basis = report.basis
    return Sheet(title, COLUMNS, rows, (*notes, basis.calibration), basis.what_if, memory=basis.memory)


def edges_of(report: Report) -> dict[Edge, float]:
    """Cycles of the critical path by dependency edge between two kinds of instructions, without head overheads."""
    cycles: Counter[Edge] = Counter()
    for row in report.rows:
        cycles.update(row.cost.edges)
    return dict(cycles)
