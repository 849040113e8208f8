"""The validation page: every published row, a scatter plot, rank orders, and the agreement of the two engines."""

from benchmarks.ascend.compare import agreement, comparisons, rank_orders, spread
from benchmarks.ascend.published import FITTED, LARGE_ERRORS
from minigraph.npu.chips.registry import CHIPS, chip_named
from viz import Dot, scatter_svg

GRADES = "D vendor document, S vendor source, M measured by the vendor, P measured by others, F fitted, U unverified"
HEAD = """# The Ascend simulator compared with published measurements

Written by `python -m benchmarks.ascend`; a test compares this page with the code. Nothing here was measured by us: each
value was published by the source named in `benchmarks/ascend/measurements.csv` under the row's id. A row is *fitted* if
it was used to choose a figure of a chip file, and *held out* otherwise. Blocks, buffers and dtypes of each kernel are
those in its source or documentation. They were read there, for held-out rows too, after a first comparison had shown
which assumptions were wrong; no figure of a chip was changed then. Grades: {grades}.

![published and predicted times](ascend_validation.svg)
"""


def page():
    """The page as Markdown."""
    rows = comparisons()
    sections = [_summary(rows), _rank_orders(), _rows(rows), _omitted_rows(rows), _figures(), _engines()]
    return "\n".join([HEAD.format(grades=GRADES), *sections])


def picture():
    """The scatter of all rows that are times, as SVG."""
    dots = [
        Dot(row.id, row.published, row.estimate, row.role)
        for row in comparisons()
        if row.estimate is not None and row.row["unit"] in ("us", "ms")
    ]
    return scatter_svg(dots, "published and predicted times, us (lines: equal, ± 30 %)", "published", "predicted", 0.3)


def _summary(rows):
    modelled = [row for row in rows if row.error is not None]
    groups = [
        ("all modelled rows", modelled),
        ("fitted: used to choose a figure", [row for row in modelled if row.role == "fitted"]),
        ("held out: never used to choose a figure", [row for row in modelled if row.role == "held out"]),
        ("held out, without flagged rows", [row for row in modelled if row.role == "held out" and not row.note]),
        ("all, without flagged rows", [row for row in modelled if not row.note]),
    ]
    lines = [(name, *_spread_cells(spread(group))) for name, group in groups]
    table = _table(("rows", "count", "median", "90th percentile", "worst"), lines)
    fitted_rows = sum(map(len, FITTED.values()))
    fitting = f"{len(FITTED)} figures or choices are fitted to {fitted_rows} rows; all others come from documents."
    omitted = f"{len(rows) - len(modelled)} of {len(rows)} rows are not modelled; they are listed with the reason."
    flagged = f"The {len(LARGE_ERRORS)} rows with errors above 30 % are flagged, each with the reason."
    return f"## Summary\n\n{table}\n\nAbsolute errors. {flagged} {fitting} {omitted}\n"


def _spread_cells(errors):
    return str(errors.count), f"{errors.median:.1%}", f"{errors.ninetieth:.1%}", f"{errors.worst:.1%}"


def _rank_orders():
    lines = [
        (" > ".join(one.ids), " > ".join(map(_number, one.published)), " > ".join(map(_number, one.estimate)),
         "yes" if one.is_kept else "**no**")
        for one in rank_orders()
    ]  # fmt: skip
    return f"## Rank orders, slowest first\n\n{_table(('rows', 'published, us', 'predicted, us', 'kept'), lines)}\n"


def _rows(rows):
    columns = ("id", "device", "kernel", "metric", "published", "predicted", "error", "role", "grade", "ours", "reason")
    lines = [_row(row) for row in rows if row.error is not None]
    units = "In microseconds; `hit` rows in percent, `e5` in TFLOP/s. Grades of the measurement and of our prediction."
    return f"## Every row\n\n{units}\n\n{_table(columns, lines)}\n"


def _row(row):
    role = f"fitted: {row.figure}" if row.figure else row.role
    values = _number(row.published), _number(row.estimate), f"{row.error:+.1%}", role, row.grade, row.estimate_grade
    return row.id, row.row["device"], _kernel(row), row.row["metric"], *values, row.note


def _kernel(row):
    return " ".join(row.row[column] for column in ("op", "shape", "dtype"))


def _omitted_rows(rows):
    lines = [
        (row.id, row.row["device"], _kernel(row), f"{row.row['value']} {row.row['unit']}", row.note)
        for row in rows
        if row.error is None
    ]
    columns = ("id", "device", "kernel", "published", "reason")
    return f"## Rows that are not modelled\n\n{_table(columns, lines)}\n"


def _figures():
    lines = [(f"`{figure}`", ", ".join(names)) for figure, names in FITTED.items()]
    return f"## Fitted figures and their rows\n\n{_table(('figure or choice', 'rows'), lines)}\n"


def _engines():
    chips = [chip_named(name) for name in sorted(CHIPS)]
    lines = [(one.kind, f"{one.difference:+.2%}", one.chip, one.job, str(one.count)) for one in agreement(chips)]
    text = "Analytic over event engine, without head overheads: the largest difference of each class over all chips."
    return f"## The two engines\n\n{text}\n\n{_table(('class', 'largest', 'chip', 'job', 'cases'), lines)}\n"


def _table(columns, rows):
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
