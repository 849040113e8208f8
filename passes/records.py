"""The list of what the passes of one run did, which shows itself as a table."""

from __future__ import annotations

from html import escape
from typing import Any

from minigraph.context import drawn

COLUMNS = ("pass", "nodes", "bytes", "rewrites", "ms", "")


class Records(list[Any]):
    """PassRecords in the order of the run; in a notebook a table, with a picture of every change.

    >>> print(Records())
    []
    """

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in COLUMNS)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, self))}</tbody></table>"


def _row(record: Any) -> str:
    old, new = record.counts_before, record.counts_after
    rewrites = sum(stats.rewrites for stats in record.rules.values())
    cells = [record.name, _change(old.nodes, new.nodes), _change(old.bytes, new.bytes), rewrites or ""]
    text = "".join(f"<td>{escape(str(cell))}</td>" for cell in (*cells, f"{record.seconds * 1e3:.2f}"))
    return f"<tr>{text}<td>{_picture(record)}</td></tr>"


def _change(old: int, new: int) -> str:
    return f"{old:,}" if old == new else f"{old:,} → {new:,}"


def _picture(record: Any) -> str:
    """What the pass did, folded; made without graphs, or without a change, it has none."""
    if not record.changed:
        return "nothing changed"
    picture = drawn(record) if record.before is not None and record.after is not None else None
    return f"<details><summary>what changed</summary>{picture}</details>" if picture else ""
