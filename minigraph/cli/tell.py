"""The story on the terminal, as rich tables: what the eager step did, what each pass changed, what it saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from minigraph.cli.story import Call, Story
from minigraph.cli.target import shapes
from minigraph.npu import Report
from passes import PassRecord

SHOWN_CALLS = 12


def tell(story: Story, console: Console) -> None:
    """Print the whole story."""
    console.print(f"\n[bold]{story.target.name}[/]({shapes(story.target.inputs)}) on {story.chip}\n")
    for table in (
        calls_table(story.calls),
        passes_table(story.records, story.chip),
        times_table(story),
        units_table(story.before, story.after),
    ):
        console.print(table)
        console.print()


def calls_table(calls: list[Call]) -> Table:
    """The first calls of one eager step, and how many there were of each kind."""
    taped = sum(call.taped for call in calls)
    title = f"1. One eager step: {len(calls)} operators, one by one; a tape kept {taped} of them"
    table = _table(title, "#", "operator", "operands", "result", "on tape", "your line")
    for i, call in enumerate(calls[:SHOWN_CALLS]):
        line = f"{call.loc} {call.loc.text}"[:48] if call.loc else ""
        table.add_row(str(i), str(call.op), ", ".join(call.ins), ", ".join(call.outs), "yes" if call.taped else "", line)
    if len(calls) > SHOWN_CALLS:
        rest = Counter(str(call.op) for call in calls[SHOWN_CALLS:]).most_common(6)
        table.add_row("...", f"{len(calls) - SHOWN_CALLS} more", ", ".join(f"{n} {name}" for name, n in rest), "", "", "")
    return table


def passes_table(records: Iterable[PassRecord], chip: str) -> Table:
    """Nodes, edges, bytes and simulated cycles before and after each pass, and what it changed."""
    title = f"2. The passes: what each changed (cycles simulated on {chip})"
    table = _table(title, "pass", "nodes", "edges", "kB", "cycles", "ms", "what changed")
    for record in records:
        before, after = record.counts_before, record.counts_after
        style = "" if record.changed else "dim"
        table.add_row(
            record.name, _change(before.nodes, after.nodes), _change(before.edges, after.edges),
            _change(before.bytes // 1024, after.bytes // 1024), _change(*(record.cycles or (0, 0))),
            f"{record.seconds * 1e3:.1f}", what_changed(record), style=style,
        )  # fmt: skip
    return table


def what_changed(record: PassRecord) -> str:
    """One line: rewrites by rule if there are rules, else nodes added and removed by operator."""
    if not record.changed:
        return "nothing"
    if record.before is None or record.after is None:
        return f"{len(record.edits)} edits"
    gone, new = Counter[str](), Counter[str]()
    for node in record.before:
        if node not in record.after:
            gone[record.before.op(node).label_of(record.before.attrs(node))] += 1
    for node in record.after:
        if node not in record.before:
            new[record.after.op(node).label_of(record.after.attrs(node))] += 1
    parts = [f"-{n} {name}" for name, n in gone.most_common(4)] + [f"+{n} {name}" for name, n in new.most_common(4)]
    return ", ".join(parts) or "edges only"


def times_table(story: Story) -> Table:
    """Eager against graph: measured on numpy, simulated on the chip."""
    times = story.times
    table = _table("3. Eager against graph, one call", "where", "eager", "graph", "eager / graph", "note")
    compile_ms = times.capture + times.passes + times.build
    table.add_row(
        "numpy, this machine", f"{times.eager:.3f} ms", f"{times.compiled:.3f} ms", _ratio(times.eager, times.compiled),
        f"median of interleaved calls; compiling once took {compile_ms:.1f} ms",
    )  # fmt: skip
    eager, graph = story.before.eager_us, story.after.graph_us
    table.add_row(
        f"{story.chip}, simulated", f"{eager:.1f} us", f"{graph:.1f} us", _ratio(eager, graph),
        "host launches included: one per operator, one per graph",
    )  # fmt: skip
    return table


def units_table(before: Report, after: Report) -> Table:
    """Busy cycles of each queue of the chip, before and after the passes."""
    table = _table("4. Unit by unit on the chip (busy cycles of one core)", "queue", "as captured", "after the passes", "change")
    for queue, cycles in before.busy.items():
        other = after.busy.get(queue, 0)
        table.add_row(queue, f"{cycles:,.0f}", f"{other:,.0f}", _ratio(cycles, other) if other else "")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="", expand=False)
    for i, column in enumerate(columns):
        number = column in ("#", "nodes", "edges", "kB", "cycles", "ms", "eager", "graph")
        table.add_column(column, justify="right" if number else "left", no_wrap=i == 0)
    return table


def _change(before: float, after: float) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"


def _ratio(a: float, b: float) -> str:
    return f"{a / b:.2f}x" if b else ""
