"""The landscape of a schedule search: one cell per pair of sizes, coloured by time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from viz.common.elements import document, element, label, svg_or_error, tooltip
from viz.common.style import PAGE

CELL_WIDTH, CELL_HEIGHT = 52.0, 24.0  # px
LEFT, TOP, BOTTOM, MARGIN = 74.0, 34.0, 66.0, 16.0  # px: margins of the heat map, and of the picture
CHARACTER_WIDTH = 7.0  # px
DARKEST_RATIO = 3.0  # ratio to the fastest cell from which a cell has the darkest colour
FASTEST_RGB, SLOWEST_RGB = (222, 243, 232), (140, 74, 96)
LIGHT_TEXT_LUMINANCE = 0.179  # relative luminance: black and white have the same contrast with it, 4.6
BEST_COLOR, DEFAULT_COLOR = "#0a6ab4", "#b3541e"  # frames


def landscape_svg(tuning: object) -> str:
    """The times of a schedule search as a heat map; frames mark the default plan and the best schedule.

    ``tuning`` has ``title``, ``axes`` (names of columns and rows), ``landscape`` (microseconds by column and row),
    ``default`` and ``simulated``, whose first is the best (each with ``point``). Never raises: errors become a picture
    of text.
    """
    return svg_or_error(lambda: _draw(tuning))


def _draw(tuning: Any) -> str:
    times = tuning.landscape
    columns, rows = (sorted({point[axis] for point in times}) for axis in (0, 1))
    x_of = {size: LEFT + CELL_WIDTH * i for i, size in enumerate(columns)}
    y_of = {size: TOP + CELL_HEIGHT * i for i, size in enumerate(rows)}
    fastest, bottom = min(times.values(), default=1.0), TOP + CELL_HEIGHT * len(rows)
    parts = [label(tuning.title, MARGIN, 20, PAGE.text, size=13)]
    for (column, row), us in sorted(times.items()):
        name = f"{tuning.axes[1]} {row:,}, {tuning.axes[0]} {column:,}: {us:,.2f} us"
        parts.append(_cell(x_of[column], y_of[row], us / fastest, name))
    for trial, color, dash in ((tuning.simulated[0], BEST_COLOR, ""), (tuning.default, DEFAULT_COLOR, "4 3")):
        if trial.point in times:
            parts.append(_frame(x_of[trial.point[0]], y_of[trial.point[1]], color, dash))
    center, middle = CELL_WIDTH / 2, CELL_HEIGHT / 2 + 4
    parts += [label(f"{n:,}", x + center, bottom + 14, PAGE.text, size=10, anchor="middle") for n, x in x_of.items()]
    parts += [label(f"{n:,}", LEFT - 8, y + middle, PAGE.text, size=10, anchor="end") for n, y in y_of.items()]
    note = f"rows: {tuning.axes[1]}; columns: {tuning.axes[0]}; cells: time over the best (empty: does not fit)"
    parts.append(label(note, MARGIN, bottom + 34, PAGE.text, size=11))
    parts.append(label(f"frame: best, {_point_text(tuning.simulated[0])}", MARGIN, bottom + 52, BEST_COLOR, size=11))
    parts.append(
        label(f"dashed: default plan, {_point_text(tuning.default)}", MARGIN + 200, bottom + 52, DEFAULT_COLOR, size=11)
    )
    width = max(LEFT + CELL_WIDTH * len(columns) + MARGIN, CHARACTER_WIDTH * max(len(tuning.title), len(note)))
    return document(width, bottom + BOTTOM, parts)


def _frame(x: float, y: float, color: str, dash: str) -> str:
    size = {"width": CELL_WIDTH - 3, "height": CELL_HEIGHT - 3}
    return element("rect", x=x + 1, y=y + 1, **size, fill="none", stroke=color, stroke_width=2, stroke_dasharray=dash)


def _cell(x: float, y: float, ratio: float, name: str) -> str:
    share = min(1.0, math.log(ratio) / math.log(DARKEST_RATIO))
    rgb = [round(a + (b - a) * share) for a, b in zip(FASTEST_RGB, SLOWEST_RGB, strict=True)]
    box = element(
        "rect", x=x, y=y, width=CELL_WIDTH - 1, height=CELL_HEIGHT - 1, fill=f"rgb({','.join(map(str, rgb))})"
    )
    text_color = "#ffffff" if _luminance(rgb) < LIGHT_TEXT_LUMINANCE else "#000000"
    text = label(f"{ratio:.2f}", x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 4, text_color, size=10, anchor="middle")
    return element("g", tooltip(name) + box + text)


def _luminance(rgb: Sequence[int]) -> float:
    """The relative luminance of a colour by the definition of WCAG 2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _point_text(trial: Any) -> str:
    """The point of a trial, rows first."""
    return f"{trial.point[1]:,} x {trial.point[0]:,}" if trial.point else "not on the grid"
