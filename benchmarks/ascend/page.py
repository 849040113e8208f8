"""The validation page: every published row, a scatter plot, rank orders, and the two engines."""

from benchmarks.ascend.compare import agreement, compared, ladders, spread
from benchmarks.ascend.published import FITTED, MISSED
from minigraph.npu.chips.registry import CHIPS, chip_named
from viz import Dot, scatter_svg

GRADES = "D vendor document, S vendor source, M measured by the vendor, P measured by others, F fitted, U unverified"
HEAD = """# The Ascend simulator against published measurements

Written by `python -m benchmarks.ascend`; a test keeps it in step with the code. Nothing here was measured by us: each
figure was published by the source named in `benchmarks/ascend/measurements.csv` under the row's id. A row is *fitted*
when it was looked at to choose a figure of a chip file, and *held out* otherwise. Blocks, buffers and dtypes of each
kernel are those its source or its document states; they were read there, for held-out rows too, after a first
comparison had shown which guesses were wrong, while no figure of a chip was touched. Grades: {grades}.

![published against predicted times](ascend_validation.svg)
"""


def page():
    """The page as Markdown."""
    rows = compared()
    sections = [_summary(rows), _ladders(), _rows(rows), _not_modelled(rows), _figures(), _engines()]
    return "\n".join([HEAD.format(grades=GRADES), *sections])


def picture():
    """The scatter plot of all rows that are times, as SVG."""
    dots = [
        Dot(row.id, row.published, row.ours, row.role)
        for row in compared()
        if row.ours is not None and row.row["unit"] in ("us", "ms")
    ]
    return scatter_svg(dots, "us, published against predicted (lines: equal, 30 % off)", "published", "predicted", 0.3)


def _summary(rows):
    modelled = [row for row in rows if row.error is not None]
    groups = [
        ("all rows the model can express", modelled),
        ("fitted: looked at to choose a figure", [row for row in modelled if row.role == "fitted"]),
        ("held out: never looked at for a figure", [row for row in modelled if row.role == "held out"]),
        ("held out, without the flagged", [row for row in modelled if row.role == "held out" and not row.note]),
        ("all, without the flagged", [row for row in modelled if not row.note]),
    ]
    lines = [(name, *_spread_cells(spread(group))) for name, group in groups]
    table = _table(("rows", "count", "median", "90th percentile", "worst"), lines)
    seen = sum(map(len, FITTED.values()))
    few = f"{len(FITTED)} figures or choices were made with {seen} rows in view; all others come from documents."
    left = f"{len(rows) - len(modelled)} of {len(rows)} rows are not modelled; they are listed with the reason."
    flags = f"Flagged are the {len(MISSED)} rows that are off by more than 30 %, each with the reason (why off)."
    return f"## In short\n\n{table}\n\nAbsolute errors. {flags} {few} {left}\n"


def _spread_cells(errors):
    return str(errors.count), f"{errors.median:.1%}", f"{errors.ninetieth:.1%}", f"{errors.worst:.1%}"


def _ladders():
    lines = [
        (" > ".join(order.ids), " > ".join(map(_number, order.published)), " > ".join(map(_number, order.ours)),
         "yes" if order.kept else "**no**")
        for order in ladders()
    ]  # fmt: skip
    return f"## Rank orders, slowest first\n\n{_table(('rows', 'published, us', 'predicted, us', 'kept'), lines)}\n"


def _rows(rows):
    columns = ("id", "device", "what", "figure", "published", "predicted", "error", "role", "grade", "ours", "why off")
    lines = [_row(row) for row in rows if row.error is not None]
    about = "In microseconds, but for `hit` rows (percent) and `e5` (TFLOP/s). Grade: of the measurement, and of ours."
    return f"## Every row\n\n{about}\n\n{_table(columns, lines)}\n"


def _row(row):
    role = f"fitted: {row.figure}" if row.figure else row.role
    figures = _number(row.published), _number(row.ours), f"{row.error:+.1%}"
    return row.id, row.row["device"], _what(row), row.row["metric"], *figures, role, row.grade, row.sure, row.note


def _what(row):
    return " ".join(row.row[column] for column in ("op", "shape", "dtype"))


def _not_modelled(rows):
    lines = [
        (row.id, row.row["device"], _what(row), f"{row.row['value']} {row.row['unit']}", row.note)
        for row in rows
        if row.error is None
    ]
    columns = ("id", "device", "what", "published", "why")
    return f"## Rows the model says nothing of\n\n{_table(columns, lines)}\n"


def _figures():
    lines = [(f"`{figure}`", ", ".join(names)) for figure, names in FITTED.items()]
    return f"## What was fitted, and with which rows\n\n{_table(('figure or choice', 'rows'), lines)}\n"


def _engines():
    chips = [chip_named(name) for name in sorted(CHIPS)]
    lines = [(case.kind, f"{case.difference:+.2%}", case.chip, case.job, str(case.count)) for case in agreement(chips)]
    about = "The closed forms against the event engine, without heads, over every chip: the worst case of each class."
    return f"## The two engines\n\n{about}\n\n{_table(('class', 'worst', 'chip', 'job', 'cases'), lines)}\n"


def _table(columns, rows):
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
