"""The page over all graphs that a process has saved in a folder: stages, sizes, cycles, changes, links."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minigraph.core.context import get_context
from minigraph.ir.reading import GraphReader
from minigraph.npu import cycles
from viz.common.elements import escape_markup
from viz.common.files import write_atomically
from viz.drawing.diff import changed_nodes
from viz.pages.blocks import Link, Section, cell
from viz.pages.page import page

NAME = "index.html"
LINES = 400  # of a longer text the rest stands in its file only
BUDGET = 2_000_000  # characters of texts on the page; where there are more, only the newest compilations show theirs
COLUMNS = ("stage", "nodes", "operators", "cycles", "what changed", "files")
LEAD = "Stages that changed nothing are left out. Cycles are those of {chip}, loops counted once."


class Row(NamedTuple):
    """A stage on the page: ``text`` is the diff to the stage before, of the first stage all of it."""

    name: str
    graph: GraphReader
    before: GraphReader | None
    rules: Mapping[str, Any]
    text: str
    files: Sequence[str]


class Compilation(NamedTuple):
    """A compilation on the page, as HTML: nothing of its graphs is kept."""

    title: str
    table: str
    details: str


_folders: dict[Path, list[Compilation]] = {}
_lock = threading.Lock()


def add_to_index(folder: Path, captured: GraphReader, rows: Sequence[Row]) -> Path:
    """Add a compilation to the page of its folder, and write that; returns its path. Raises ``OSError``.

    A page that was deleted starts anew.
    """
    types = ", ".join(str(captured.type(node)) for node in captured.inputs)
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    table = f'<div class="scroll" tabindex="0">{table}</div>'
    added = Compilation(f"{captured.title}({types})", table, "".join(map(_details, rows)))
    with _lock:
        known = _folders.setdefault(folder, [])
        if not (folder / NAME).exists():
            known.clear()
        known.append(added)
        return write_atomically(folder / NAME, index_page(known))


def index_page(known: Sequence[Compilation]) -> str:
    """The page over compilations, oldest first."""
    room, shown = BUDGET, list[Section]()
    for number, each in reversed([*enumerate(known, 1)]):
        room -= len(each.details)
        html = each.table + each.details * (room >= 0)
        shown.append(Section(f"{number} · {each.title}", [_RawHtml(html)]))
    lead = LEAD.format(chip=get_context("chip"))
    return page("Saved graphs", shown[::-1], subtitle=f"{_plural(len(known), 'compilation')}. {lead}")


class _RawHtml(NamedTuple):
    """HTML made before."""

    text: str

    def html(self) -> str:
        return self.text


def _cells(row: Row) -> str:
    nodes = [row.graph.op(node) for node in row.graph]
    numbers = (len(nodes), sum(not op.is_leaf for op in nodes), _cycles(row.graph))
    links = [Link(name.rpartition(".")[2], name).html() for name in row.files]
    return (
        f"<td>{escape_markup(row.name)}</td>"
        + "".join(f'<td class="number">{cell(number)}</td>' for number in numbers)
        + f'<td>{escape_markup(_changes(row))}</td><td class="files">{" ".join(links)}</td>'
    )


def _cycles(graph: GraphReader) -> int | None:
    """Simulated cycles on the context's chip; ``None`` where an operator of the user's cannot be priced."""
    try:
        return cycles(graph, get_context("chip"))
    except Exception:
        return None


def _changes(row: Row) -> str:
    """Nodes that came, went and were rewired, and the rules that did it."""
    if row.before is None:
        return ""
    found = zip(changed_nodes(row.before, row.graph), ("added", "removed", "rewired"), strict=True)
    counts = ", ".join(f"{len(nodes)} {what}" for nodes, what in found if nodes) or "inside of bodies only"
    rewrites = {rule: stats.rewrites for rule, stats in row.rules.items()}
    fired = ", ".join(f"{rule} ×{count}" for rule, count in rewrites.items() if count)
    return f"{counts} ({fired})" if fired else counts


def shorten(text: str) -> str:
    """A text as the page shows it: long ones are left to their files."""
    lines = text.splitlines(keepends=True)
    return text if len(lines) <= LINES else "".join((*lines[:LINES], f"... {len(lines) - LINES:,} more lines\n"))


def _details(row: Row) -> str:
    """The stage's text, folded."""
    kind = "what changed" if row.text.startswith("---") else "the graph"
    return f"<details><summary>{escape_markup(row.name)}: {kind}</summary>{diff_html(row.text)}</details>"


def diff_html(text: str) -> str:
    """A unified diff as page text: added and removed lines diff_html by sign and colour, the two names on top plain.

    >>> diff_html("+ new")
    '<pre class="diff" tabindex="0"><ins>+ new</ins></pre>'
    """
    lines = []
    for number, line in enumerate(text.splitlines()):
        name = number < 2 and line.startswith(("--- ", "+++ "))
        kind = "span" if name else {"+": "ins", "-": "del"}.get(line[:1], "span")
        lines.append(f"<{kind}>{escape_markup(line)}</{kind}>")
    return '<pre class="diff" tabindex="0">' + "\n".join(lines) + "</pre>"


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
