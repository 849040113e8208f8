"""What the simulator says of a run: a cost per node, bars on the time axis, dots under the roofs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minigraph.npu import Report
from minigraph.npu.reports import roofline
from minigraph.npu.rows import NodeRow, spans_of
from viz.machine.timeline import lanes_of

Json = Any
MAX_BARS = 4000  # of a timeline; of more the longest are drawn


def node_costs(reports: Iterable[Report]) -> dict[int, Json]:
    """By node id what its task costs: cycles, what bounds it, its busiest queue, bytes of device memory, cores.

    A node of several reports costs what the last says.
    """
    return {row.node: _cost(row) for report in reports for row in report.rows}


def _cost(row: NodeRow) -> Json:
    queue, share = row.cost.busiest
    return {
        "cycles": row.cycles, "bound": row.cost.verdict, "queue": f"{queue} {share:.0%}",
        "bytes": round(row.cost.bytes["GM"] + row.cost.bytes["L2"]), "cores": row.cost.layout.cores,
    }  # fmt: skip


def timeline_data(report: Report, rows: Mapping[int, int]) -> Json:
    """Lanes (core, queue) and bars (lane, start, end, row, text, whether it is a wait); ``rows`` by node id."""
    shown = [(lane.core, lane.queue) for lane in lanes_of(report.spans) if lane.queue != "operators"]
    lanes = {lane: k for k, lane in enumerate(shown)}
    bars: list[list[Any]] = []
    for task in report.rows:
        number = rows.get(task.node, -1)
        for span in spans_of(task):
            lane = lanes[span.core, span.queue]
            if span.wait:
                bars.append([lane, span.start - span.wait, span.start, number, f"wait: {span.bound_by}", 1])
            bars.append([lane, span.start, span.end, number, f"{span.node} {span.name}"])
    found = sorted(sorted(bars, key=lambda bar: bar[1] - bar[2])[:MAX_BARS], key=lambda bar: bar[1])
    left_out = f"; the longest {MAX_BARS:,} of {len(bars):,} bars" if len(bars) > MAX_BARS else ""
    note = f"{report.cycles:,} cycles = {report.us:,.2f} us, simulated{left_out}. {report.standing}."
    return {"lanes": list(lanes), "bars": found, "cycles": report.cycles, "mhz": report.mhz, "note": note}


def roofline_data(report: Report, rows: Mapping[int, int]) -> Json:
    """Roofs (name, value, unit) and points (row, curve, operations per byte, 10^12 per second, queue, text)."""
    found = roofline(report)
    points = [
        [rows.get(point.row.node, -1), point.curve, point.intensity, point.tops, point.row.cost.busiest[0],
         f"%{point.row.node} {point.row.name}"]
        for point in found.points
    ]  # fmt: skip
    return {"roofs": [list(roof) for roof in found.roofs], "points": points}
