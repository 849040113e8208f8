"""The validation page: every published row, a scatter plot, rank orders, and the agreement of the two engines."""

import tomllib
from dataclasses import replace

from benchmarks.ascend.bands import MIN_CLASS_ROWS, bands, cross_validated_hits, rows_in_band
from benchmarks.ascend.caches import ATTENTION, KERNEL_BENCH
from benchmarks.ascend.compare import agreement, comparisons, rank_orders, spread, spread_of
from benchmarks.ascend.jobs import published_values
from benchmarks.ascend.network_pages import networks_section
from benchmarks.ascend.pairs import pairs, public_call_pairs
from benchmarks.ascend.published import FITTED, LARGE_ERRORS, SOURCE_ROWS
from benchmarks.ascend.source_pages import cross_validation_errors, rows_without_fit, source_page
from benchmarks.ascend.tables import SPREAD_COLUMNS, kernel_text, markdown_table, number_text, spread_cells
from benchmarks.ascend.users import COMPONENT_CALLS, USER_CALLS, component_us, predicted_us, user_errors
from minigraph.npu.chips.registry import CHIPS, chip_named
from viz import ScatterPoint, scatter_svg

GRADES = "D vendor document, S vendor source, M measured by the vendor, P measured by others, F fitted, U unverified"
# names of the parameters in the table of fitted ones
LISTED_PARAMETERS = {name for parameter in (*FITTED, *SOURCE_ROWS) for name in parameter.split(", ")}
PARAMETERS_IN_FILE = {  # by chip: the parameters in its own file, not taken from the file that it is based on
    name: {f"{section}.{key}" for section, table in tomllib.loads(path.read_text("utf-8")).items()
           if isinstance(table, dict) for key in table}
    for name, path in CHIPS.items()
}  # fmt: skip
HEAD = """# The Ascend simulator compared with published measurements

Not modelled: communication between chips, the order of cores that read the same addresses, cores that run different
programs, and energy, as no published value gives joules per operation or byte of these chips. Only estimated, by bytes
and documented instructions: sorting, top-k and prefix sums. Without any row: gathers, scatters, transpositions,
pooling, depthwise convolutions, kernels that convert unaligned operands first, bfloat16, and the vector work of chips
with coupled cores (310, 310P3, 910A). Attention rests on four rows of one head of depth 128, convolution on three of
one chip. The host is a time per launch. Chips other than 910B1, 910B4 and 950 have few rows of kernels or none; whole
networks are compared on 310, 310P3 and 910A, and one on 910B1. Not all pairs of published kernels are distinguished:
see the pairwise comparisons. The time that device memory loses with small transfers is fitted to one step of one
kernel, and which kernels alternate loads and stores was chosen with the published step in view.

Written by `python -m benchmarks.ascend`; a test compares this page with the code. Nothing here was measured by us: each
value was published by the source named in `benchmarks/ascend/measurements.csv` or `measurements_2.csv` under the row's
id. Blocks, buffers and dtypes of each kernel are those in its source or documentation, most of them read after a first
comparison, and starting values of the model were chosen with eight rows in view: a *fitted* row was used to choose a
parameter, but no row is unseen. The honest errors are therefore those of the cross-validation. Grades: {grades}.

![published and predicted times](ascend_validation.svg)
"""


def page():
    """The page as Markdown."""
    rows = comparisons()
    summaries = [
        _cross_validation(),
        _summary(rows),
        _users(rows),
        _bands(),
        _pairs(),
        networks_section(rows),
        _rank_orders(),
    ]
    sections = [*summaries, _rows(rows), _omitted_rows(rows), _parameters(), _engines()]
    return "\n".join([HEAD.format(grades=GRADES), *sections])


def scatter_plot():
    """The scatter of all rows that are times, as SVG."""
    points = [
        ScatterPoint(row.id, row.published, row.estimate, row.role)
        for row in comparisons()
        if row.estimate is not None and row.row["unit"] in ("us", "ms")
    ]
    title = "published and predicted times, us (lines: equal, ± 30 %)"
    return scatter_svg(points, title, "published", "predicted", 0.3)


def _cross_validation():
    errors = cross_validation_errors()
    count = len({source_page(name) for name in errors})
    cells = spread_cells(spread_of(errors.values()))
    above_goal = ", ".join(f"{name} {error:+.0%}" for name, error in errors.items() if abs(error) > 0.4)
    without_fit = ", ".join(rows_without_fit())
    text = f"""Each of {count} source pages is predicted with the parameters refitted to the rows of all others, or with
a documented value where no row is left (`source_pages.py` lists both). Not refitted are two choices of tiles ("large
blocks", from kb2, and "cores per strip", from kb47) and two parameters read off rows that are not predicted. Not
counted, as nothing is left to fit their parameter to and no document states it: {without_fit}. Goal: median 15 %, 90th
percentile 40 %. Above 40 %: {above_goal}."""
    spreads = markdown_table(SPREAD_COLUMNS, [("all times but those without a fit", *cells)])
    return f"## Leave-one-group-out cross-validation\n\n{spreads}\n\n{text}\n"


def _users(rows):
    by_id, errors = {row.id: row for row in rows}, user_errors()
    predicted = {name: (call, predicted_us(call)) for name, call in USER_CALLS.items()}
    predicted |= {name: (parts[0], component_us(*parts)) for name, parts in COMPONENT_CALLS.items()}
    lines = [_user_row(by_id[name], call, time_us, errors[name]) for name, (call, time_us) in predicted.items()]
    columns = (
        "id",
        "kernel",
        "metric",
        "stated schedule",
        "pipeline, L2",
        "published",
        "predicted",
        "error",
        "by hand",
    )
    groups = {"written by users": errors, "times of tasks": USER_CALLS, "busy times of queues": COMPONENT_CALLS}
    spreads = markdown_table(
        SPREAD_COLUMNS,
        [(title, *spread_cells(spread_of(errors[name] for name in names))) for title, names in groups.items()],
    )
    text = (
        "Goal: a median of 10 % and a 90th percentile of 30 %. Prefix sums and top-k are estimates from bandwidth and "
        "documented instructions; the tanh of kb88t is a generated kernel's; tn5 contradicts tn3; tn18 and ct7 are "
        "unoptimised steps whose blocks and buffers their rows do not state, so that better ones are chosen. "
        "The Norm template, the default of the vendor's high-level API, whose pages tn18 and tn20 are from, stands for "
        "one base block per load, and no operand that stays in L1. mo8 is written as the kernel of gg1, whose "
        "shapes it has."
    )
    intro = (
        "Operators and `simulate(..., schedule=, pipeline=)`, with the part of a schedule that the source states. "
        f"No source states these choices: one slot or two for the rows of the Norm template; {_choices(errors)}. "
        f"L2 is cold unless a source states earlier runs (kb: {KERNEL_BENCH}; pf: {ATTENTION}). "
        'Busy times of queues are read as `report.queues["aic", "MTE2"].busy`.'
    )
    return f"## With public calls\n\n{intro} {text}\n\n{spreads}\n\n{markdown_table(columns, lines)}\n"


def _choices(errors):
    """Choices of ours in the calls, each with the errors of its row with and without it."""
    others = {
        "add2_mte2": "loads and stores that alternate", "add3_mte2": "the same",
        "kb100": "one kernel, where `cann` has several",
    }  # fmt: skip
    changed = {"kb100": predicted_us(replace(USER_CALLS["kb100"], pipeline="cann"))}
    for name in ("add2_mte2", "add3_mte2"):
        call, *queue = COMPONENT_CALLS[name]
        changed[name] = component_us(replace(call, schedule=replace(call.schedule, alternate=False)), *queue)
    without = {name: time_us / published_values()[name] - 1 for name, time_us in changed.items()}
    return "; ".join(f"{name}: {others[name]} ({errors[name]:+.0%}, without {without[name]:+.0%})" for name in others)


def _user_row(row, call, time_us, error):
    memory = f"{call.pipeline}, {'warm' if call.earlier_runs else 'cold'}"
    row_error = "" if row.error is None else f"{row.error:+.1%}"
    values = number_text(row.published), number_text(time_us), f"{error:+.1%}", row_error
    return row.id, kernel_text(row), row.row["metric"], call.stated_schedule, memory, *values


def _bands():
    lines = [
        (band.kernel, str(band.rows), f"{band.lo:.2f} to {band.hi:.2f}", f"{band.hi / band.lo:.2f}",
         f"{len(rows_in_band()[band.kernel])} of {band.rows}")
        for band in bands()
    ]  # fmt: skip
    hits, count = cross_validated_hits()
    total, inside = sum(band.rows for band in bands()), sum(map(len, rows_in_band().values()))
    min_rows = MIN_CLASS_ROWS
    text = f"""What published kernels took, as a share of the prediction; reports show it with each task as "band us".
A band reaches from the 10th to the 90th percentile of a class's rows above, and a tenth further; classes with fewer
than {min_rows} rows take the percentiles of all. *Held*: rows in the band fitted to all other source pages, {inside} of
{total} in all. Of {count} task times predicted by parameters refitted without their page, {hits} lie in their class's
band. Estimates, data movement and chips with coupled cores have no band. Goals: 80 % held, no wider than a factor 2."""
    columns = ("class of kernels", "rows", "published / predicted", "width", "held")
    return f"## Efficiency bands of library kernels\n\n{text}\n\n{markdown_table(columns, lines)}\n"


def _pairs():
    compared = pairs()
    written = public_call_pairs(compared)
    by_calls = {(pair.slower, pair.faster): (f"{pair.predicted:.2f}", pair.verdict) for pair in written}
    lines = [(f"{pair.slower} over {pair.faster}", f"{pair.published:.2f}", f"{pair.predicted:.2f}", pair.verdict,
              *by_calls.get((pair.slower, pair.faster), ("", ""))) for pair in compared]  # fmt: skip
    (distinguished, wrong), (distinguished_calls, wrong_calls) = map(_verdict_counts, (compared, written))
    text = f"""All pairs of modelled times of one source page, chip and metric that differ by more than 5 % and in one
thing: an option of the kernel (its description, split at commas and brackets), the shape or the dtype (`pairs.py`; none
is chosen by hand). Distinguished: the predicted ratio is at least half of the published one in logarithm.
With the hand-set schedules, {distinguished} of {len(compared)} ({distinguished / len(compared):.0%}) are distinguished
and {wrong} have the wrong direction (goals: 85 %, none). {len(written)} of them can be written with public calls:
{distinguished_calls} ({distinguished_calls / len(written):.0%}) are distinguished, {wrong_calls} have the wrong
direction."""
    for group, count, wrong_count in (
        ("", distinguished, wrong),
        (" by public calls", distinguished_calls, wrong_calls),
    ):
        if wrong_count or count < 0.85 * len(written if group else compared):
            text += f" **The goals are not met{group}.**"
    columns = ("pair", "published", "predicted", "verdict", "by public calls", "verdict")
    return f"## Pairwise comparisons\n\n{text}\n\n{markdown_table(columns, lines)}\n"


def _verdict_counts(compared):
    verdicts = [pair.verdict for pair in compared]
    return verdicts.count("distinguished"), verdicts.count("wrong")


def _summary(rows):
    modeled = [row for row in rows if row.error is not None]
    groups = [
        ("all modelled rows", modeled),
        ("fitted: used to choose a parameter", [row for row in modeled if row.role == "fitted"]),
        ("held out: never used to choose a parameter", [row for row in modeled if row.role == "held out"]),
        ("held out, without flagged rows", [row for row in modeled if row.role == "held out" and not row.note]),
        ("all, without flagged rows", [row for row in modeled if not row.note]),
    ]
    lines = [(name, *spread_cells(spread(group))) for name, group in groups]
    spreads = markdown_table(SPREAD_COLUMNS, lines)
    fitted_rows = sum(map(len, FITTED.values()))
    fitting = f"{len(FITTED)} parameters or choices are fitted to {fitted_rows} rows."
    omitted = f"{len(rows) - len(modeled)} of {len(rows)} rows are not modelled; they are listed with the reason."
    flagged = f"The {len(LARGE_ERRORS)} rows with errors above 30 % are flagged, each with the reason."
    return f"## Summary\n\n{spreads}\n\nAbsolute errors. {flagged} {fitting} {omitted}\n"


def _rank_orders():
    lines = [
        (" > ".join(order.ids),
         " > ".join(map(number_text, order.published)), " > ".join(map(number_text, order.estimate)),
         "yes" * order.is_kept + "**no**" * (not order.is_kept)
         + "".join(f", but {a} and {b} are predicted equal" for a, b in order.ties))
        for order in rank_orders()
    ]  # fmt: skip
    columns = ("rows", "published, us", "predicted, us", "kept")
    return f"## Rank orders, slowest first\n\n{markdown_table(columns, lines)}\n"


def _rows(rows):
    columns = ("id", "device", "kernel", "metric", "published", "predicted", "error", "role", "grade", "ours", "reason")
    lines = [_row(row) for row in rows if row.error is not None]
    units = "In microseconds; `hit` rows in percent, `e5` in TFLOP/s. Grades of the measurement and of our prediction."
    return f"## Every row\n\n{units}\n\n{markdown_table(columns, lines)}\n"


def _row(row):
    role = f"fitted: {row.parameter}" if row.parameter else row.role
    values = (
        number_text(row.published),
        number_text(row.estimate),
        f"{row.error:+.1%}",
        role,
        row.grade,
        row.estimate_grade,
    )
    return row.id, row.row["device"], kernel_text(row), row.row["metric"], *values, row.note


def _omitted_rows(rows):
    lines = [
        (row.id, row.row["device"], kernel_text(row), f"{row.row['value']} {row.row['unit']}", row.note)
        for row in rows
        if row.error is None
    ]
    columns = ("id", "device", "kernel", "published", "reason")
    return f"## Rows that are not modelled\n\n{markdown_table(columns, lines)}\n"


def _parameters():
    lines = [(f"`{parameter}`", ", ".join(names)) for parameter, names in FITTED.items()]
    lines += [(f"`{parameter}`", f"{name} (read off; not predicted)") for parameter, name in SOURCE_ROWS.items()]
    derived = sorted(
        f"{name} {key}" for name in CHIPS for key, parameter in chip_named(name).parameters.items()
        if parameter.grade == "F" and key not in LISTED_PARAMETERS and not parameter.src.startswith("taken from")
        and key in PARAMETERS_IN_FILE[name]
    )  # fmt: skip
    text = f"Further parameters of grade F are derived from documents or from other chips: {', '.join(derived)}."
    return (
        f"## Fitted parameters and their rows\n\n{markdown_table(('parameter or choice', 'rows'), lines)}\n\n{text}\n"
    )


def _engines():
    chips = [chip_named(name) for name in sorted(CHIPS)]
    lines = [(row.kind, f"{row.difference:+.2%}", row.chip, row.job, str(row.count)) for row in agreement(chips)]
    text = "Analytic over event engine, without head overheads: the largest difference of each class over all chips."
    return f"## The two engines\n\n{text}\n\n{markdown_table(('class', 'largest', 'chip', 'job', 'cases'), lines)}\n"
