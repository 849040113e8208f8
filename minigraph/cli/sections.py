"""The sections of ``index.html``, the page of ``minigraph explain``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minigraph.cli.answer import answer_lines
from minigraph.cli.formatting import band_text, count_text, pipeline_text
from minigraph.cli.story import Call, Story
from minigraph.cli.target import argument_types
from minigraph.ir.text import to_text
from minigraph.npu.reports import Sheet, critical_sheet, fusion_sheet, occupancy, roofline, sliders, task_sheet, tornado
from minigraph.npu.reports.run_time import bars_sheet
from passes import PassRecord
from viz import (
    Bars,
    Block,
    Drawing,
    Figures,
    Files,
    Link,
    Note,
    Section,
    Sliders,
    Table,
    Text,
    memory_plan,
    occupancy_svg,
    roofline_svg,
    timeline,
)

MAX_CALLS = 200  # table rows
MAX_TASKS = 500  # table rows
MAX_ROWS = 25  # of the other reports
MODE_CLASSES = {"eager": "a", "graph": "b"}  # of bars: the two sides of a comparison
MEMORY_LEAD = "Buffers of the compiled program, one per row. Values in the same row reuse the same memory."


def sections_of(story: Story, files: Sequence[tuple[str, str]]) -> list[Section]:
    """All sections, in the order of compilation."""
    return [
        Section(
            "At a glance",
            [
                Text("\n".join(answer_lines(story)), "summary"),
                _figures(story),
                *_explorer_link(files),
                _time_bars(story),
                _time_parts(story),
                *map(Note, story.bound_notes),
            ],
            _lead_paragraph(story),
        ),
        Section(
            "Program", [Text(story.target.source, "source")], f"Example inputs: {argument_types(story.target.inputs)}."
        ),
        Section("Eager execution", [_calls(story)], _eager_lead(story)),
        Section(
            "Captured graph",
            [Drawing(story.captured), Text(to_text(story.captured, literals=False), "graph text")],
        ),
        Section("Passes", [_passes(story)], _passes_lead(story)),
        Section("Memory", [Drawing(memory_plan(story.optimized))], MEMORY_LEAD),
        Section("Simulated chip", _chip(story), f"{story.after.calibration}."),
        Section("Files", [Files(files)]),
    ]


def _explorer_link(files: Sequence[tuple[str, str]]) -> list[Files]:
    """A link to the interactive explorer, if it was written."""
    explorer = [file for file in files if file[0] == "explorer.html"]
    return [Files(explorer)] if explorer else []


def _lead_paragraph(story: Story) -> str:
    before, after = len(story.captured), len(story.optimized)
    calls = count_text(len(story.calls), "eager operator call")
    return f"{story.target.name}: {calls}, {before} nodes in the captured graph, {after} after the passes."


def _figures(story: Story) -> Figures:
    times, before, after = story.times, story.before.eager_us, story.after.graph_us
    eager, compiled, speedup = times.eager, times.compiled, times.speedup
    measured = f"{eager.median:.3f} → {compiled.median:.3f} ms, 90 % of calls {speedup.low:.1f}× to {speedup.high:.1f}×"
    return Figures([
        (f"{speedup.median:.1f}×", f"graph mode speed-up, numpy, {times.threads}", measured),
        (f"{before / after:.1f}×", f"graph mode speed-up, {story.chip_name}", f"{before:.0f} → {after:.0f} us"),
        (f"{len(story.optimized)}", "nodes after the passes", f"{len(story.captured)} as captured"),
        (f"{times.compilation:.0f} ms", "compile time", "once per combination of input types"),
    ])  # fmt: skip


def _time_bars(story: Story) -> Bars:
    """Simulated times of a cold and of a warm call, each in eager and in graph mode."""
    rows = []
    for bar in story.bars:
        ms, low_to_high = band_text(bar.time)
        rows.append((bar.name, bar.time.us, f"{ms} ms ({low_to_high})", MODE_CLASSES[bar.mode]))
    host = story.before.host_preset
    setting = f"Simulated time of one call, host {host.label} ({host.note}) included. {story.after.calibration}."
    return Bars(rows, f"{setting} Eager mode runs the captured operators; graph mode runs the optimised graph.")


def _time_parts(story: Story) -> Table:
    sheet = bars_sheet(story.bars)
    return Table(sheet.columns, sheet.cells(), "Parts of each bar in milliseconds, with the source of each value.")


def _eager_lead(story: Story) -> str:
    recorded = sum(call.is_recorded for call in story.calls)
    return f"{count_text(len(story.calls), 'operator call')}, {recorded} of them recorded on a tape for the gradient."


def _calls(story: Story) -> Table:
    rows = [(i, *_call_cells(call)) for i, call in enumerate(story.calls[:MAX_CALLS])]
    is_cut = len(story.calls) > MAX_CALLS
    caption = f"the first {MAX_CALLS} of {len(story.calls):,} calls" if is_cut else "all calls, with source lines"
    return Table(("#", "operator", "operands", "result", "on tape", "line", "source expression"), rows, caption)


def _call_cells(call: Call) -> tuple[str, ...]:
    location = (str(call.loc), call.loc.text) if call.loc else ("", "")
    return str(call.op), ", ".join(call.ins), ", ".join(call.outs), "yes" if call.is_recorded else "", *location


def _passes_lead(story: Story) -> str:
    unchanged = sum(not record.changed for record in story.records)
    note = f" {unchanged} of {len(story.records)} passes changed nothing." if unchanged else ""
    return f"Pipeline: {pipeline_text(story.pipeline)}.{note} Click a pass to open the explorer after it."


def _passes(story: Story) -> Table:
    """One row per pass that changed the graph, with links to the explorer and its files."""
    changed = [(number, record) for number, record in enumerate(story.records) if record.changed]
    rows = [(number + 1, *_pass_cells(number, record)) for number, record in changed]
    return Table(("#", "pass", "nodes", "", "cycles", "", "rewrites", "ms", "text", "picture"), rows)


def _pass_cells(number: int, record: PassRecord) -> tuple[object, ...]:
    rewrites = {rule: stats.rewrites for rule, stats in record.rules.items() if stats.rewrites}
    cycles = record.cycles or (None, None)
    stem = f"{number + 1:02d}_{record.name}"
    return (
        Link(record.name, "explorer.html", f"pass={number}"),
        record.counts_before.nodes, f"→ {record.counts_after.nodes:,}",
        cycles[0], "" if cycles[1] is None else f"→ {cycles[1]:,}",
        ", ".join(f"{rule} ×{count}" if count > 1 else rule for rule, count in rewrites.items()),
        f"{record.seconds * 1e3:.2f}", Link("ir", f"{stem}.ir"), Link("svg", f"{stem}.svg"),
    )  # fmt: skip


def _chip(story: Story) -> list[Block]:
    busy = [
        (f"{queue} {stage}", report.busy.get(queue, 0.0), f"{report.busy.get(queue, 0.0):,.0f} cycles", queue)
        for queue in story.before.busy
        for stage, report in (("before", story.before), ("after", story.after))
    ]
    longest = sorted(story.after.rows, key=lambda row: -row.us)[:1]  # none for an empty graph
    return [
        Drawing(story.after, "Instruction queues of the busiest cores, after the passes."),
        *(
            Drawing(timeline(story.after, node=row.node), f"The longest task, %{row.node}, enlarged.")
            for row in longest
        ),
        Bars(busy, "Busy cycles per queue, before and after the passes."),
        Drawing(
            roofline_svg(roofline(story.after, story.before)), "Roofline: one point per task; faint: before the passes."
        ),
        Drawing(occupancy_svg(occupancy(story.after), story.after.mhz, story.chip_name), "Buffer occupancy over time."),
        *_what_if(story),
        *_report_blocks(critical_sheet(story.after), MAX_ROWS),
        *_report_blocks(fusion_sheet(story.optimized, story.chip, story.after.host_preset), MAX_ROWS),
        *_tasks(story),
        *map(Note, story.after.notes),
    ]


def _what_if(story: Story) -> list[Block]:
    """Sensitivity: the five most sensitive chip parameters as bars, and every sensitive one as a slider."""
    sensitive = [slider for slider in sliders(story.optimized, story.chip) if slider.swing]
    top = tornado(sensitive)
    rows = [
        (slider.key, slider.swing, f"{min(slider.times):,.1f} to {max(slider.times):,.1f} us", "a") for slider in top
    ]
    order = tornado(sensitive, len(sensitive))
    initial = [slider.values.index(min(slider.values, key=slider.distance)) for slider in order]
    return [
        Bars(rows, "Sensitivity: the five chip parameters that change device time most over their uncertainty range."),
        Sliders([(slider.key, slider.values, slider.times, "us") for slider in order], initial,
                "What if: device time when one chip parameter moves through its uncertainty range."),
    ]  # fmt: skip


def _tasks(story: Story) -> list[Block]:
    sheet, tasks = task_sheet(story.after), len(story.after.rows)
    note = f"The first {MAX_TASKS} of {tasks:,} tasks of the optimised graph; op_summary.csv lists all."
    title = note if tasks > MAX_TASKS else sheet.title
    return _report_blocks(replace(sheet, title=title, rows=sheet.rows[:MAX_TASKS]), MAX_TASKS)


def _report_blocks(sheet: Sheet, max_rows: int) -> list[Block]:
    """The table of a report, and below it the meaning of its verdicts, bands and grades."""
    excerpt = sheet.first(max_rows)
    caption = "; ".join([excerpt.title, *excerpt.notes[: len(excerpt.rows) < len(sheet.rows)]])
    return [Table(excerpt.columns, excerpt.cells(), caption), *map(Note, sheet.legends)]
