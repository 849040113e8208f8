"""The pass explorer of a page: every pass with its picture (changes, before, after), text diff and text.

One drawing serves all three views, so nothing moves when they are switched. Without scripts all passes
stand below each other; with them the arrow keys step through those that changed something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minigraph.errors import MinigraphError
from minigraph.ir.text import to_text
from viz.blocks import Table, Text
from viz.diff import Diff, diff
from viz.elements import escaped, guarded

VIEWS = (("changes", "Changes"), ("before", "Before"), ("after", "After"), ("diff", "Text diff"), ("text", "Text"))


@dataclass(frozen=True)
class Steps:
    """PassRecords to step through, in order; records without graphs show their counts alone."""

    records: Sequence[Any]

    def html(self) -> str:
        """The list of passes and one panel for each."""
        quiet = sum(not record.changed for record in self.records)
        items = "".join(_item(i, record) for i, record in enumerate(self.records))
        panels = "".join(_panel(i, record) for i, record in enumerate(self.records))
        toggle = (
            f'<label class="quiet"><input type="checkbox" data-quiet> show {quiet} that changed nothing</label>'
            if quiet
            else ""
        )
        return (
            f'<div class="steps" data-steps><div class="steplist"><ol>{items}</ol>{toggle}</div>'
            f'<div class="panels">{panels}</div></div>'
        )


def counts_table(record: Any) -> Table:
    """What a pass changed in numbers: nodes, edges, bytes and, when priced, cycles."""
    before, after = record.counts_before._asdict(), record.counts_after._asdict()
    if getattr(record, "cycles", None):
        before["cycles"], after["cycles"] = record.cycles
    rows = [(name, old, after[name], _change(old, after[name])) for name, old in before.items()]
    return Table(("", "before", "after", "change"), rows)


def _change(old: int, new: int) -> str:
    return "" if old == new else f"{(new - old) / old:+.1%}" if old else f"{new - old:+,}"


def _item(number: int, record: Any) -> str:
    old, new = record.counts_before.nodes, record.counts_after.nodes
    nodes = f"{old:,} → {new:,}" if old != new else f"{new:,}"
    quiet = "" if record.changed else ' class="unchanged"'
    return (
        f'<li{quiet}><button type="button" data-step="{number}"><span>{escaped(record.name)}</span>'
        f"<small>{nodes} nodes</small></button></li>"
    )


def _panel(number: int, record: Any) -> str:
    told = f"{record.seconds * 1e3:.2f} ms" + _rules(record)
    quiet = "" if record.changed else " unchanged"
    head = f"<h3><small>{number + 1}</small> {escaped(record.name)}</h3><p>{escaped(told)}</p>"
    return (
        f'<article class="panel{quiet}" data-panel="{number}">{head}{counts_table(record).html()}'
        f"{_views(record) if record.changed else '<p>This pass changed nothing.</p>'}</article>"
    )


def _rules(record: Any) -> str:
    rewrites = {rule: stats.rewrites for rule, stats in getattr(record, "rules", {}).items()}
    told = ", ".join(f"{rule} ×{count}" for rule, count in rewrites.items() if count)
    return f" · rewrites: {told}" if told else ""


def _views(record: Any) -> str:
    try:
        change = diff(record)
    except MinigraphError as error:
        return f"<p>{escaped(error)}</p>"
    tabs = "".join(f'<button type="button" role="tab" data-view="{view}">{name}</button>' for view, name in VIEWS)
    text = Text(to_text(change.after, literals=False), "the graph after this pass")
    return (
        f'<div class="tabs" role="tablist">{tabs}</div>'
        + _view("changes before after", f'<div class="picture">{guarded(change.svg)}</div>{LEGEND}')
        + _view("diff", diff_html(change))
        + _view("text", text.html())
    )


def _view(shows: str, content: str) -> str:
    return f'<div class="view" data-shows="{shows}">{content}</div>'


LEGEND = (
    '<p class="legend"><span class="key added">+ added</span> <span class="key removed">− removed</span> '
    '<span class="key rewired">~ other operands</span> <span class="key order">order edge</span></p>'
)


def diff_html(change: Diff) -> str:
    """The unified text diff, added and removed lines marked by sign and colour."""
    return marked(change.text())


def marked(text: str) -> str:
    """A unified diff as page text: added and removed lines marked by sign and colour, the two names on top plain.

    >>> marked("+ new")
    '<pre class="diff"><ins>+ new</ins></pre>'
    """
    lines = []
    for number, line in enumerate(text.splitlines()):
        name = number < 2 and line.startswith(("--- ", "+++ "))
        kind = "span" if name else {"+": "ins", "-": "del"}.get(line[:1], "span")
        lines.append(f"<{kind}>{escaped(line)}</{kind}>")
    return '<pre class="diff">' + "\n".join(lines) + "</pre>"
