"""HTML tables, which notebooks show for objects without a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigraph.core.op import Op


def table_html(title: object, rows: Iterable[Sequence[object]], columns: Sequence[str] = ()) -> str:
    """Rows of text as an HTML table under a title; all text is escaped.

    >>> table_html("<b>", [("unit", "cube")])
    '<table><caption>&lt;b&gt;</caption><tbody><tr><td>unit</td><td>cube</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    heading = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f"<table><caption>{escape(str(title))}</caption>{heading}<tbody>{body}</tbody></table>"


def properties_html(title: object, properties: Iterable[tuple[str, object]]) -> str:
    """The properties of one object as a table, a row each; empty properties are left out.

    >>> properties_html("relu", [("unit", "vector"), ("effects", "")])
    '<table><caption>relu</caption><tbody><tr><td>unit</td><td>vector</td></tr></tbody></table>'
    """
    return table_html(title, [(name, value) for name, value in properties if value not in ("", None, ())])


def operator_html(op: Op) -> str:
    """The properties of an operator record."""
    gradient = "yes" if op.vjp or op.expand else "no"
    properties = [("description", op.doc), ("unit", op.unit), ("family", op.family), ("gradient", gradient)]
    return properties_html(f"operator {op.name}", [*properties, ("effects", ", ".join(op.effects))])
