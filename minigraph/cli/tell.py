"""The story on the terminal, as rich tables: what the eager step did, what each pass changed, what it saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from minigraph.cli.story import Call, Story
from minigraph.cli.target import shapes
from minigraph.cli.words import band, counted
from minigraph.ir.graph import Graph
from minigraph.npu import Report
from passes import PassRecord

SHOWN_CALLS = 12
WIDE = 120  # columns of a terminal that also holds the user's expressions
NUMBERS = {"#", "nodes", "edges", "kB", "kcycles", "eager", "graph", "gain", "before", "after", "ms"}
QUEUES = {
    "S": "scalar: task heads, issue", "V": "vector", "M": "cube", "MTE1": "L1 to L0", "MTE2": "memory to L1, UB",
    "MTE3": "UB to memory", "FIXP": "L0C to memory",
}  # fmt: skip


def tell(story: Story, console: Console) -> None:
    """Print the whole story."""
    console.print(f"\n[bold]{story.target.name}[/]({shapes(story.target.inputs)}) on {story.on}\n", highlight=False)
    for table in (
        calls_table(story.calls, wide=console.width >= WIDE),
        passes_table(story.records, story.on),
        times_table(story),
        bars_table(story, wide=console.width >= WIDE),
        units_table(story.before, story.after),
    ):
        console.print(table)
        console.print()
    console.print(f"Simulated, not measured. {story.after.standing}.\n", highlight=False, markup=False)


def calls_table(calls: list[Call], wide: bool = True) -> Table:
    """The first calls of one eager step, and how many there were of each kind; ``wide`` adds the expressions."""
    taped = sum(call.taped for call in calls)
    title = f"1. One eager step: {counted(len(calls), 'operator')}, one by one; a tape kept {taped} of them"
    table = _table(title, "#", "operator", "types", "tape", "line", *(["your expression"] if wide else []))
    for i, call in enumerate(calls[:SHOWN_CALLS]):
        types = f"{', '.join(call.ins)} → {', '.join(call.outs)}"
        text = [call.loc.text if call.loc else ""] if wide else []
        table.add_row(str(i), str(call.op), types, "✓" if call.taped else "", str(call.loc or ""), *map(escape, text))
    if len(calls) > SHOWN_CALLS:
        rest = Counter(str(call.op) for call in calls[SHOWN_CALLS:])
        table.add_row("…", f"{len(calls) - SHOWN_CALLS:,} more", ", ".join(_most(rest, 5)))
    return table


def passes_table(records: Iterable[PassRecord], chip: str) -> Table:
    """Nodes, edges, bytes and simulated cycles before and after each pass, and what it changed."""
    title = f"2. The passes: what each changed (cycles simulated on {chip})"
    table = _table(title, "pass", "nodes", "edges", "kB", "kcycles", "what changed")
    for record in records:
        old, new = record.counts_before, record.counts_after
        cycles = [count // 1000 for count in record.cycles or (0, 0)]
        sizes = [(old.nodes, new.nodes), (old.edges, new.edges), (old.bytes // 1024, new.bytes // 1024), cycles]
        style = "" if record.changed else "dim"
        table.add_row(record.name, *(_change(*pair) for pair in sizes), what_changed(record), style=style)
    return table


def what_changed(record: PassRecord) -> str:
    """One line: rewrites by rule if there are rules, else nodes added and removed by operator."""
    if not record.changed:
        return "nothing"
    if record.before is None or record.after is None:
        return f"{len(record.edits)} edits"
    gone = Counter(_word(record.before, node) for node in record.before if node not in record.after)
    new = Counter(_word(record.after, node) for node in record.after if node not in record.before)
    return escape(", ".join([*_most(gone, 4, "-"), *_most(new, 4, "+")])) or "edges only"


def _most(counts: Counter[str], shown: int, sign: str = "") -> list[str]:
    """The most frequent names with how many there are of each, and an ellipsis for the others."""
    return [f"{sign}{n:,} {name}" for name, n in counts.most_common(shown)] + ["…"] * (len(counts) > shown)


def _word(graph: Graph, node: int) -> str:
    """The operator, or what a fused node is called."""
    op = graph.op(node)
    return op.label_of(graph.attrs(node)) if graph.regions(node) else str(op)


def times_table(story: Story) -> Table:
    """Eager against graph: measured on numpy, here."""
    times = story.times
    compiling = times.capture + times.passes + times.build
    table = _table("3. Eager against graph, one warm call on numpy", "where", "eager", "graph", "gain")
    table.add_row(
        "numpy, here (median)", f"{times.eager:.3f} ms", f"{times.compiled:.3f} ms", _ratio(times.eager, times.compiled)
    )
    table.caption = f"Capturing, passes and building took {compiling:.1f} ms, once."
    return table


def bars_table(story: Story, wide: bool = True) -> Table:
    """Cold and warm, eager and graph on the chip, host included, with what each is made of; ``wide`` adds sources."""
    title = f"4. Four bars on {story.on}, simulated, the host included ({story.before.host_preset.name})"
    table = _table(title, "bar", "made of", "ms", "band", *(["source"] if wide else []))
    for bar in story.bars:
        table.add_row(bar.name, "", *band(bar.time), style="bold")
        for piece in bar.pieces:
            table.add_row("", piece.what, *band(piece.time), *([escape(piece.src)] if wide else []))
    table.caption = "\n".join(story.why)
    return table


def units_table(before: Report, after: Report) -> Table:
    """Busy cycles of each queue of the chip, before and after the passes."""
    table = _table(
        "5. Unit by unit on the chip: busy cycles of the busiest core", "queue", "does", "before", "after", "gain"
    )
    for queue, cycles in before.busy.items():
        other = after.busy.get(queue, 0)
        table.add_row(queue, QUEUES.get(queue, ""), f"{cycles:,.0f}", f"{other:,.0f}", _ratio(cycles, other))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        min_width=len(title),  # or rich would break the title of a small table
    )
    for i, column in enumerate(columns):
        number = column in NUMBERS
        table.add_column(column, justify="right" if number else "left", no_wrap=i == 0)
    return table


def _change(before: float, after: float) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _ratio(a: float, b: float) -> str:
    return f"{a / b:.2f}x" if b else ""
