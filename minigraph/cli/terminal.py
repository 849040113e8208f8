"""The terminal output of ``minigraph explain``: tables of eager calls, passes, times and simulated cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from minigraph.cli.answer import answer_lines
from minigraph.cli.formatting import band_text, count_text
from minigraph.cli.story import Call, Story
from minigraph.cli.target import argument_types
from minigraph.ir.graph import Graph
from minigraph.npu import Report
from passes import PassRecord

MAX_CALLS = 12  # table rows
WIDE_COLUMNS = 120  # terminal width from which source expressions are shown
NUMERIC_COLUMNS = {"#", "nodes", "edges", "kB", "kcycles", "eager", "graph", "speed-up", "before", "after", "ms"}
QUEUE_ROLES = {
    "S": "scalar: task start, issue", "V": "vector", "M": "cube", "MTE1": "L1 to L0", "MTE2": "memory to L1, UB",
    "MTE3": "UB to memory", "FIXP": "L0C to memory",
}  # fmt: skip


def print_story(story: Story, console: Console) -> None:
    """Print all tables."""
    console.print(
        f"\n[bold]{story.target.name}[/]({argument_types(story.target.inputs)}) on {story.chip_name}\n", highlight=False
    )
    for line in answer_lines(story):
        console.print(line, highlight=False, markup=False)
    print_segments(story.segments, console)
    console.print()
    for table in (
        calls_table(story.calls, wide=console.width >= WIDE_COLUMNS),
        passes_table(story.records, story.chip_name),
        times_table(story),
        bars_table(story, wide=console.width >= WIDE_COLUMNS),
        units_table(story.before, story.after),
    ):
        console.print(table)
        console.print()
    console.print(f"Simulated, not measured. {story.after.calibration}.\n", highlight=False, markup=False)


def print_segments(segments: Sequence[str], console: Console) -> None:
    """Print how the parts of a call that is not a single graph run."""
    if segments:
        console.print("\nA call runs as several parts, in this order:", highlight=False)
    for segment in segments:
        console.print(f"  {segment}", highlight=False, markup=False)


def calls_table(calls: list[Call], wide: bool = True) -> Table:
    """The first calls of one eager step, and counts of the others; ``wide`` adds source expressions."""
    recorded = sum(call.is_recorded for call in calls)
    title = f"1. Eager execution: {count_text(len(calls), 'operator call')}, {recorded} recorded on a tape"
    table = _table(title, "#", "operator", "types", "tape", "line", *(["source expression"] if wide else []))
    for i, call in enumerate(calls[:MAX_CALLS]):
        types = f"{', '.join(call.ins)} → {', '.join(call.outs)}"
        text = [call.loc.text if call.loc else ""] if wide else []
        table.add_row(
            str(i), str(call.op), types, "✓" if call.is_recorded else "", str(call.loc or ""), *map(escape, text)
        )
    if len(calls) > MAX_CALLS:
        omitted = Counter(str(call.op) for call in calls[MAX_CALLS:])
        table.add_row("…", f"{len(calls) - MAX_CALLS:,} more", ", ".join(_most_common(omitted, 5)))
    return table


def passes_table(records: Iterable[PassRecord], chip: str) -> Table:
    """Nodes, edges, bytes and simulated cycles before and after each pass, and what it changed."""
    title = f"2. Passes (cycles simulated on {chip})"
    table = _table(title, "pass", "nodes", "edges", "kB", "kcycles", "changes")
    for record in records:
        old, new = record.counts_before, record.counts_after
        cycles = [count // 1000 for count in record.cycles or (0, 0)]
        sizes = [(old.nodes, new.nodes), (old.edges, new.edges), (old.bytes // 1024, new.bytes // 1024), cycles]
        style = "" if record.changed else "dim"
        table.add_row(record.name, *(_change(*pair) for pair in sizes), summarize_changes(record), style=style)
    return table


def summarize_changes(record: PassRecord) -> str:
    """One line: nodes removed and added, by operator."""
    if not record.changed:
        return "nothing"
    if record.before is None or record.after is None:
        return f"{len(record.edits)} edits"
    removed = Counter(_node_name(record.before, node) for node in record.before if node not in record.after)
    added = Counter(_node_name(record.after, node) for node in record.after if node not in record.before)
    return escape(", ".join([*_most_common(removed, 4, "-"), *_most_common(added, 4, "+")])) or "edges only"


def _most_common(counts: Counter[str], limit: int, sign: str = "") -> list[str]:
    """The most frequent names with their counts, and an ellipsis for the others."""
    return [f"{sign}{n:,} {name}" for name, n in counts.most_common(limit)] + ["…"] * (len(counts) > limit)


def _node_name(graph: Graph, node: int) -> str:
    """The operator, or the label of a fused node."""
    op = graph.op(node)
    return op.label_of(graph.attrs(node)) if graph.regions(node) else str(op)


def times_table(story: Story) -> Table:
    """Measured times of eager and graph mode with numpy on this machine."""
    times = story.times
    title = f"3. One warm call with numpy, measured: {times.rounds} rounds, {times.threads}"
    table = _table(title, "numpy", "eager", "graph", "speed-up")
    values = zip(times.eager, times.compiled, times.speedup, strict=True)
    for name, (eager, compiled, speedup) in zip(("median", "5th percentile", "95th percentile"), values, strict=True):
        table.add_row(name, f"{eager:.3f} ms", f"{compiled:.3f} ms", f"{speedup:.2f}×")
    table.caption = f"Compilation (capture, passes, build) took {times.compilation:.1f} ms of one processor, once."
    return table


def bars_table(story: Story, wide: bool = True) -> Table:
    """Simulated cold and warm runs in both modes, host included, split into parts; ``wide`` adds sources."""
    title = f"4. Cold and warm runs simulated on {story.chip_name}, host included ({story.before.host_preset.label})"
    table = _table(title, "run", "part", "ms", "range", *(["source"] if wide else []))
    for bar in story.bars:
        table.add_row(bar.name, "", *band_text(bar.time), style="bold")
        for segment in bar.segments:
            table.add_row("", segment.what, *band_text(segment.time), *([escape(segment.src)] if wide else []))
    table.caption = "\n".join(story.bound_notes)
    return table


def units_table(before: Report, after: Report) -> Table:
    """Busy cycles of each instruction queue, before and after the passes."""
    table = _table(
        "5. Busy cycles per instruction queue of the busiest core", "queue", "role", "before", "after", "speed-up"
    )
    for queue, cycles in before.busy.items():
        other = after.busy.get(queue, 0)
        table.add_row(queue, QUEUE_ROLES.get(queue, ""), f"{cycles:,.0f}", f"{other:,.0f}", _ratio(cycles, other))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        min_width=len(title),  # otherwise rich would wrap the title of a small table
    )
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if column in NUMERIC_COLUMNS else "left", no_wrap=i == 0)
    return table


def _change(before: float, after: float) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _ratio(a: float, b: float) -> str:
    return f"{a / b:.2f}×" if b else ""
