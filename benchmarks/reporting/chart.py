"""A bar chart of all speeds relative to numpy, on a logarithmic scale: slower to the left of 1, faster to the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from benchmarks.measuring.harness import Result
from benchmarks.reporting.report import three_digits

BAR_PITCH, GROUP_GAP, LABEL_WIDTH, PLOT_WIDTH, RIGHT_MARGIN = 15, 26, 170, 560, 90  # px
MIN_SPEED, MAX_SPEED = 1e-4, 100.0  # relative to numpy; bars of other speeds end at the edge, their labels are exact
COLORS = {"minigraph": "#1f77b4", "mindspore": "#d62728"}
OTHER_COLOR = "#9aa5b1"
STYLE = (
    "svg{background:#fff}text{font:11px sans-serif;fill:#24292f}.title{font-weight:bold}.grid{stroke:#d0d7de}"
    ".baseline{stroke:#24292f}"
)


def speed_x(speed: float) -> float:
    """The x coordinate of a speed between the left edge (0) and the right edge (``PLOT_WIDTH``).

    >>> speed_x(MIN_SPEED), speed_x(MAX_SPEED), speed_x(1.0) == speed_x(MIN_SPEED) + PLOT_WIDTH * 4 / 6
    (0.0, 560.0, True)
    """
    low, high = math.log10(MIN_SPEED), math.log10(MAX_SPEED)
    return PLOT_WIDTH * (min(max(math.log10(speed), low), high) - low) / (high - low)


def bar_chart(results: Sequence[Result]) -> str:
    """The chart as SVG: one group of bars for each result whose baseline is numpy, one bar for each contender."""
    compared_results = [result for result in results if result.baseline == "numpy"]
    groups, y = [], GROUP_GAP
    for result in compared_results:
        groups += _group(result, y)
        y += GROUP_GAP + BAR_PITCH * len(result.seconds)
    size = f'width="{LABEL_WIDTH + PLOT_WIDTH + RIGHT_MARGIN}" height="{y}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>'
    return "\n".join([head, *_grid(y), *groups, "</svg>"]) + "\n"


def _grid(height: int) -> list[str]:
    lines = []
    for exponent in range(round(math.log10(MIN_SPEED)), round(math.log10(MAX_SPEED)) + 1):
        x = LABEL_WIDTH + speed_x(10.0**exponent)
        css_class = "grid" if exponent else "baseline"
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="14" y2="{height}" class="{css_class}"/>')
        lines.append(f'<text x="{x:.1f}" y="10" text-anchor="middle">{10.0**exponent:g}</text>')
    return lines


def _group(result: Result, y: int) -> list[str]:
    lines = [f'<text x="4" y="{y + 10}" class="title">{escape(result.title)}</text>']
    for i, (name, speed) in enumerate(result.speed.items()):
        top, x, baseline_x = y + BAR_PITCH * (i + 1), LABEL_WIDTH + speed_x(speed), LABEL_WIDTH + speed_x(1.0)
        width = max(abs(x - baseline_x), 1)
        box = f'x="{min(x, baseline_x):.1f}" y="{top + 2}" width="{width:.1f}" height="{BAR_PITCH - 4}"'
        lines += [
            f'<text x="{LABEL_WIDTH - 6}" y="{top + 10}" text-anchor="end">{escape(name)}</text>',
            f'<rect {box} fill="{COLORS.get(name.partition(" ")[0], OTHER_COLOR)}"/>',
            f'<text x="{max(x, baseline_x) + 4:.1f}" y="{top + 10}">{three_digits(speed)}</text>',
        ]
    return lines
