"""Draws the Parameters of a network: a tree of Cells with types, and bars for sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from minigraph.core.tensor import Parameter
from minigraph.nn import Cell
from viz.common.elements import document, element, label, rectangle, tooltip
from viz.common.labels import truncate
from viz.common.style import EDGE, NODE_STYLES, PAGE, WAIT

MAX_TEXT_LINES = 80  # a note counts the others
LINE_HEIGHT, INDENT, MARGIN = 18.0, 16.0, 14.0  # px
TYPE_X, SIZE_X, BAR_X, MAX_BAR_WIDTH = 300.0, 470.0, 482.0, 160.0  # px: columns, and the width of the longest bar


class Row(NamedTuple):
    """One line: a Cell or a Parameter; ``depth`` is the number of enclosing Cells."""

    depth: int
    text: str
    parameter: Parameter | None = None


def cell_svg(cell: Cell) -> str:
    """The picture of a Cell as SVG text; Parameters that are not trainable have grey bars."""
    rows = list(_rows(cell))
    visible_rows = rows[:MAX_TEXT_LINES]
    max_size = max((row.parameter.size for row in rows if row.parameter is not None), default=1)
    parts = [label(_caption(cell), MARGIN, MARGIN + 8, PAGE.text, size=13)]
    parts += [_line(row, MARGIN + 8 + LINE_HEIGHT * number + 4, max_size) for number, row in enumerate(visible_rows, 1)]
    omitted = len(rows) - len(visible_rows)
    if omitted:
        text = f"and {omitted:,} more lines; parameters_and_names() lists all"
        parts.append(label(text, MARGIN, MARGIN + 12 + LINE_HEIGHT * (len(visible_rows) + 1), EDGE.text))
    height = MARGIN * 2 + LINE_HEIGHT * (len(visible_rows) + 1 + bool(omitted))
    return document(BAR_X + MAX_BAR_WIDTH + MARGIN, height, parts)


def _rows(cell: Cell) -> Iterator[Row]:
    for path, inner in cell.cells_and_names():
        depth = path.count(".") + bool(path)
        if path:
            arguments = inner.extend_repr()
            name = f"{path.rpartition('.')[2]}: {type(inner).__name__}"
            yield Row(depth, truncate(f"{name}({arguments})" if arguments else name, 48 - 2 * min(depth, 12)))
        for name, parameter in inner.parameters_and_names(expand=False):
            yield Row(depth + 1, truncate(name, 32), parameter)


def _caption(cell: Cell) -> str:
    parameters = list(cell.get_parameters())
    total = sum(parameter.size for parameter in parameters)
    trainable = sum(parameter.size for parameter in parameters if parameter.requires_grad)
    trainable_text = f", {trainable:,} trainable" if trainable < total else ""
    return f"{type(cell).__name__}: {len(parameters):,} Parameters, {total:,} elements{trainable_text}"


def _line(row: Row, baseline: float, max_size: int) -> str:
    left = MARGIN + INDENT * min(row.depth - 1, 8)
    parameter = row.parameter
    if parameter is None:
        return label(row.text, left, baseline, PAGE.text)
    colors = NODE_STYLES["parameter"].light if parameter.requires_grad else WAIT
    width = max(MAX_BAR_WIDTH * parameter.size / max(max_size, 1), 1.0)
    return element(
        "g",
        tooltip(str(parameter))
        + label(row.text, left, baseline, EDGE.text)
        + label(str(parameter.type), TYPE_X, baseline, EDGE.text)
        + label(f"{parameter.size:,}", SIZE_X, baseline, EDGE.text, anchor="end")
        + rectangle(BAR_X, baseline - 9, width, 10, colors),
    )
