"""The story as sections of one page: what ``index.html`` shows."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.cli.story import Call, Story
from minigraph.cli.target import shapes
from minigraph.cli.words import band, counted, spelled
from minigraph.ir.text import to_text
from minigraph.npu.reports import Sheet, critical_sheet, fusion_sheet, occupancy, roofline, sliders, task_sheet, tornado
from minigraph.npu.reports.bars import bars_sheet
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

DRAWN_CALLS = 200
DRAWN_TASKS = 500
DRAWN_ROWS = 25
MEMORY = "The buffers of the compiled program, one row each: values in the same row share memory, one after the other."


def sections_of(story: Story, files: Sequence[tuple[str, str]]) -> list[Section]:
    """Every section, in the order in which a program becomes fast."""
    return [
        Section(
            "At a glance",
            [_figures(story), *_door(files), _bars(story), _pieces(story), *map(Note, story.why)],
            _lead(story),
        ),
        Section(
            "The program", [Text(story.target.source, "your function")], f"Called with {shapes(story.target.inputs)}."
        ),
        Section("Eager: one operator after the other", [_calls(story)], _eager_lead(story)),
        Section(
            "The graph, as captured",
            [Drawing(story.captured), Text(to_text(story.captured, literals=False), "as text")],
        ),
        Section("The passes", [_passes(story)], _passes_lead(story)),
        Section("Memory", [Drawing(memory_plan(story.optimised))], MEMORY),
        Section("On the chip", _chip(story), f"Simulated. {story.after.standing}."),
        Section("Files", [Files(files)]),
    ]


def _door(files: Sequence[tuple[str, str]]) -> list[Files]:
    """The explorer, which has all of this to step through, before anything else."""
    explorer = [file for file in files if file[0] == "explorer.html"]
    return [Files(explorer)] if explorer else []


def _lead(story: Story) -> str:
    before, after = len(story.captured), len(story.optimised)
    told = f"{story.target.name}: {counted(len(story.calls), 'eager operator')} became a graph of {before} nodes"
    return f"{told}, inputs, Parameters and constants among them; the passes left {after}."


def _figures(story: Story) -> Figures:
    times, before, after = story.times, story.before, story.after
    compile_ms = times.capture + times.passes + times.build
    numpy_gain, chip_gain = times.eager / times.compiled, before.eager_us / after.graph_us
    return Figures([
        (f"{numpy_gain:.2f}x", "graph against eager, numpy", f"{times.eager:.3f} → {times.compiled:.3f} ms"),
        (f"{chip_gain:.1f}x", f"graph against eager, {story.on}", f"{before.eager_us:.0f} → {after.graph_us:.0f} us"),
        (f"{len(story.optimised)}", "nodes after the passes", f"{len(story.captured)} as captured"),
        (f"{compile_ms:.0f} ms", "to capture, optimise and build", "once per combination of types"),
    ])  # fmt: skip


def _bars(story: Story) -> Bars:
    rows = []
    for bar, kind in zip(story.bars, "abab", strict=True):
        ms, ends = band(bar.time)
        rows.append((bar.name, bar.time.us, f"{ms} ms ({ends})", kind))
    host = story.before.host_preset
    told = f"One call, simulated, beside the host {host.name} ({host.note}). {story.after.standing}."
    return Bars(rows, f"{told} Eagerly, operators run as captured; as a graph, as the passes left them.")


def _pieces(story: Story) -> Table:
    sheet = bars_sheet(story.bars)
    return Table(sheet.columns, sheet.cells(), "What each bar is made of, in milliseconds, and where that comes from.")


def _eager_lead(story: Story) -> str:
    taped = sum(call.taped for call in story.calls)
    return f"{counted(len(story.calls), 'operator')} ran one by one; a tape kept {taped} of them for the gradient."


def _calls(story: Story) -> Table:
    rows = [(i, *_call_cells(call)) for i, call in enumerate(story.calls[:DRAWN_CALLS])]
    cut = len(story.calls) > DRAWN_CALLS
    caption = f"the first {DRAWN_CALLS} of {len(story.calls):,} calls" if cut else "every call, with your line"
    return Table(("#", "operator", "operands", "result", "on tape", "line", "your expression"), rows, caption)


def _call_cells(call: Call) -> tuple[str, ...]:
    place = (str(call.loc), call.loc.text) if call.loc else ("", "")
    return str(call.op), ", ".join(call.ins), ", ".join(call.outs), "yes" if call.taped else "", *place


def _passes_lead(story: Story) -> str:
    quiet = sum(not record.changed for record in story.records)
    told = f" {quiet} of the {len(story.records)} had nothing to do." if quiet else ""
    return f"The pipeline: {spelled(story.pipeline)}.{told} Each name opens the explorer behind that pass."


def _passes(story: Story) -> Table:
    """What each pass that changed something did, with the way into the explorer and to its files."""
    changed = [(number, record) for number, record in enumerate(story.records) if record.changed]
    rows = [(number + 1, *_pass_cells(number, record)) for number, record in changed]
    return Table(("#", "pass", "nodes", "", "cycles", "", "rewrites", "ms", "text", "picture"), rows)


def _pass_cells(number: int, record: PassRecord) -> tuple[object, ...]:
    fired = {rule: stats.rewrites for rule, stats in record.rules.items() if stats.rewrites}
    cycles = record.cycles or (None, None)
    stem = f"{number + 1:02d}_{record.name}"
    return (
        Link(record.name, "explorer.html", f"pass={number}"),
        record.counts_before.nodes, f"→ {record.counts_after.nodes:,}",
        cycles[0], "" if cycles[1] is None else f"→ {cycles[1]:,}",
        ", ".join(f"{rule} ×{count}" if count > 1 else rule for rule, count in fired.items()),
        f"{record.seconds * 1e3:.2f}", Link("ir", f"{stem}.ir"), Link("svg", f"{stem}.svg"),
    )  # fmt: skip


def _chip(story: Story) -> list[Block]:
    busy = [
        (f"{queue} {when}", report.busy.get(queue, 0.0), f"{report.busy.get(queue, 0.0):,.0f} cycles", queue)
        for queue in story.before.busy
        for when, report in (("before", story.before), ("after", story.after))
    ]
    longest = sorted(story.after.rows, key=lambda row: -row.us)[:1]  # none when nothing is left to compute
    return [
        Drawing(story.after, "Every instruction queue of the busiest cores, after the passes."),
        *(
            Drawing(timeline(story.after, node=row.node), f"The longest task, %{row.node}, from close by.")
            for row in longest
        ),
        Bars(busy, "Busy cycles per queue, before and after the passes."),
        Drawing(
            roofline_svg(roofline(story.after, story.before)), "Every task under its roofs; fainter before the passes."
        ),
        Drawing(occupancy_svg(occupancy(story.after), story.after.mhz, story.on), "How full each buffer is over time."),
        *_what_if(story),
        _told(critical_sheet(story.after), DRAWN_ROWS),
        _told(fusion_sheet(story.optimised, story.chip, story.after.host_preset), DRAWN_ROWS),
        _tasks(story),
        *map(Note, story.after.notes),
    ]


def _what_if(story: Story) -> list[Block]:
    """The five figures that decide most as bars, and every one that changes anything as a slider."""
    found = [one for one in sliders(story.optimised, story.chip) if one.swing]
    most = tornado(found)
    rows = [(one.key, one.swing, f"{min(one.times):,.1f} to {max(one.times):,.1f} us", "a") for one in most]
    order = tornado(found, len(found))
    stands = [one.values.index(min(one.values, key=one.distance)) for one in order]
    return [
        Bars(rows, "The five figures that decide most: device time from one end of their band to the other."),
        Sliders([(one.key, one.values, one.times, "us") for one in order], stands,
                "What if: each figure through its band, all others as they are."),
    ]  # fmt: skip


def _tasks(story: Story) -> Table:
    sheet, tasks = task_sheet(story.after), len(story.after.rows)
    cut = f"The first {DRAWN_TASKS} of the optimised graph's {tasks:,} tasks; op_summary.csv has all."
    return Table(sheet.columns, sheet.first(DRAWN_TASKS).cells(), cut if tasks > DRAWN_TASKS else sheet.title)


def _told(sheet: Sheet, most: int) -> Table:
    shown = sheet.first(most)
    return Table(
        shown.columns, shown.cells(), "; ".join([shown.title, *shown.notes[: len(shown.rows) < len(sheet.rows)]])
    )
