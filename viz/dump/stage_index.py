"""The index page of all graphs that a process has saved in a folder: stages, sizes, cycles, changes, links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minigraph.capture.fork_locks import page_lock
from minigraph.core.context import get_context
from minigraph.core.files import write_atomically
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.graph_reader import GraphReader
from minigraph.npu import cycles
from viz.common.elements import escape
from viz.drawing.diff import changed_nodes
from viz.pages.blocks import Link, Section, cell
from viz.pages.page import page

INDEX_FILE = "index.html"
MAX_LINES = 400  # lines of a text on the page; the file has all of them
MAX_FOLDERS = 16  # whose pages go on; that of an older one starts again
MAX_COMPILATIONS = 500  # on a page; older ones are only in their files
MAX_CHARACTERS = 2_000_000  # of texts on the page; only the newest compilations within this limit show texts
COLUMNS = ("stage", "nodes", "operators", "cycles", "changes", "files")
NOTE = "Stages without changes are omitted. Cycles are simulated on {chip}, with one iteration per loop."


class Row(NamedTuple):
    """A stage on the page: ``text`` is the diff to the previous stage, or the whole first stage."""

    name: str
    graph: GraphReader
    before: GraphReader | None
    rules: Mapping[str, Any]
    text: str
    files: Sequence[str]


class Compilation(NamedTuple):
    """A compilation on the page, as HTML, so that its graphs can be freed."""

    number: int
    title: str
    table: str
    details: str


_folders: dict[Path, list[Compilation]] = {}


def add_to_index(folder: Path, captured: GraphReader, rows: Sequence[Row]) -> Path:
    """Add a compilation to the page of its folder, write the page, and return its path. Raises ``OSError``.

    If the page was deleted, a new one is started.
    """
    types = ", ".join(str(captured.type(node)) for node in captured.inputs)
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    table = f'<div class="scroll" tabindex="0">{table}</div>'
    compilation = Compilation(0, f"{captured.title}({types})", table, "".join(map(_details, rows)))
    with page_lock:
        compilations = _folders[folder] = _folders.pop(folder, [])
        for oldest in [*_folders][:-MAX_FOLDERS]:
            del _folders[oldest]
        if not (folder / INDEX_FILE).exists():
            compilations.clear()
        number = compilations[-1].number + 1 if compilations else 1
        compilations.append(compilation._replace(number=number))
        del compilations[:-MAX_COMPILATIONS]
        drop_details(compilations)
        return write_atomically(folder / INDEX_FILE, index_page(compilations))


def drop_details(compilations: list[Compilation]) -> None:
    """Free the texts of older compilations above ``MAX_CHARACTERS``, which no later page shows."""
    budget = MAX_CHARACTERS
    for k in reversed(range(len(compilations))):
        budget -= len(compilations[k].details)
        if budget < 0:
            compilations[k] = compilations[k]._replace(details="")


def index_page(compilations: Sequence[Compilation]) -> str:
    """The index page of compilations, oldest first."""
    sections = [Section(f"{c.number} · {c.title}", [_RawHtml(c.table + c.details)]) for c in compilations]
    note = NOTE.format(chip=get_context("chip"))
    last = compilations[-1].number if compilations else 0
    count = f"{last:,} compilation{'s' * (last != 1)}"
    count += f", of which the last {len(compilations):,} are shown" if last > len(compilations) else ""
    return page("Saved graphs", sections, subtitle=f"{count}. {note}")


class _RawHtml(NamedTuple):
    """Existing HTML as a block."""

    text: str

    def html(self) -> str:
        """The text itself."""
        return self.text


def _cells(row: Row) -> str:
    nodes = [row.graph.op(node) for node in row.graph]
    numbers = (len(nodes), sum(not op.is_leaf for op in nodes), _cycles(row.graph))
    links = [Link(name.rpartition(".")[2], name).html() for name in row.files]
    return (
        f"<td>{escape(row.name)}</td>"
        + "".join(f'<td class="number">{cell(number)}</td>' for number in numbers)
        + f'<td>{escape(_changes(row))}</td><td class="files">{" ".join(links)}</td>'
    )


def _cycles(graph: GraphReader) -> int | None:
    """Simulated cycles on the context's chip; ``None`` if a user's operator has no valid cost."""
    try:
        return cycles(graph, get_context("chip"))
    except Exception as error:
        reraise_handler_error(error)
        return None


def _changes(row: Row) -> str:
    """Counts of added, removed and rewired nodes, and of the rules that changed them."""
    if row.before is None:
        return ""
    changes = zip(changed_nodes(row.before, row.graph), ("added", "removed", "rewired"), strict=True)
    counts = ", ".join(f"{len(nodes)} {status}" for nodes, status in changes if nodes) or "only inside bodies"
    rewrites = {rule: stats.rewrites for rule, stats in row.rules.items()}
    rules = ", ".join(f"{rule} ×{count}" for rule, count in rewrites.items() if count)
    return f"{counts} ({rules})" if rules else counts


def shorten(text: str) -> str:
    """A text truncated for the page."""
    lines = text.splitlines(keepends=True)
    omitted = f"... {len(lines) - MAX_LINES:,} more lines\n"
    return text if len(lines) <= MAX_LINES else "".join((*lines[:MAX_LINES], omitted))


def _details(row: Row) -> str:
    """The stage's text, collapsed."""
    kind = "changes" if row.text.startswith("---") else "the graph"
    return f"<details><summary>{escape(row.name)}: {kind}</summary>{diff_html(row.text)}</details>"


def diff_html(text: str) -> str:
    """A unified diff as HTML, with added and removed lines marked by sign and colour.

    >>> diff_html("+ new")
    '<pre class="diff" tabindex="0"><ins>+ new</ins></pre>'
    """
    lines = []
    for number, line in enumerate(text.splitlines()):
        is_file_name = number < 2 and line.startswith(("--- ", "+++ "))
        kind = "span" if is_file_name else {"+": "ins", "-": "del"}.get(line[:1], "span")
        lines.append(f"<{kind}>{escape(line)}</{kind}>")
    return '<pre class="diff" tabindex="0">' + "\n".join(lines) + "</pre>"
