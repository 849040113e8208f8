"""The summary at the top of ``minigraph explain``: cost of a call, slowest parts, causes, possible savings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from minigraph.cli.formatting import count_text
from minigraph.cli.story import Story, Times
from minigraph.cli.timing import Spread
from minigraph.npu import Report
from minigraph.npu.report_rows import NodeRow

ANSWER_WIDTH = 80  # columns
MIN_MS = 100.0  # us; longer times are shown in ms
INDENT = 11  # columns of the first word
MAX_SLOWEST_OPERATORS = 3  # operators
NAME_WIDTH, SHORT_NAME_WIDTH, LINE_WIDTH = 21, 12, 16  # columns
MIN_NOTICEABLE_SAVING = 0.005  # share of the cycles that another pipeline has to save to be named
NOTHING_BETTER = "no other named pipeline saves more"
CLEAR_DIFFERENCE = 0.02  # a ratio whose range is this close to 1 shows no clear difference
CALL_COUNT_SPREAD = 1.5  # the number of calls that pay for compiling varies by about this factor between runs
CAUSES = {
    "head": "start-up", "bandwidth": "bandwidth", "S": "scalar unit", "issue": "issue rate",
    "flag": "synchronisation", "buffer": "full buffers", "other cores": "other cores", "M": "cube", "V": "vector unit",
    "MTE1": "L1 to L0 (MTE1)", "MTE2": "loads (MTE2)", "MTE3": "stores (MTE3)", "FIXP": "results (FIXP)",
}  # fmt: skip


def answer_lines(story: Story) -> list[str]:
    """At most ten lines of at most 80 columns: the cost, the slowest parts and their causes, and possible savings."""
    parts = {
        "costs": _costs(story),
        "slowest": _slowest_task(story.after),
        "bound by": _bound_by(story.after),
        "fusing": _fusion_lines(story),
        "passes": _passes(story),
        "graph mode": _graph_mode(story),
    }
    lines = [
        f"{word if number == 0 else '':<{INDENT}}{text}"
        for word, texts in parts.items()
        for number, text in enumerate(texts)
    ]
    return [_clip(line, ANSWER_WIDTH) for line in lines]


def _costs(story: Story) -> Iterator[str]:
    simulated, times = story.after.times["warm", "graph"], story.times
    chip, range_of_chip = _time_texts(simulated.us, simulated.lo, simulated.hi)
    yield f"{chip} per call on the simulated chip and host ({range_of_chip})"
    here, range_here = _time_texts(*(ms * 1e3 for ms in times.compiled))
    yield f"{here} here: numpy, median of {times.rounds} ({range_here}), {times.threads}"


def _slowest_task(report: Report) -> Iterator[str]:
    alike: dict[tuple[str, str], list[NodeRow]] = {}  # the slowest first
    for row in sorted(report.rows, key=lambda row: -row.us):
        alike.setdefault((row.name, row.loc), []).append(row)
    for rows in list(alike.values())[:MAX_SLOWEST_OPERATORS]:
        operators_and_line = (
            f"{_operators_text(rows):<{NAME_WIDTH}} {_clip_file(rows[0].loc, LINE_WIDTH):<{LINE_WIDTH}}"
        )
        yield f"{_number(rows[0].us):>5} us {operators_and_line} {_causes_text(rows[:1], 1)}"
    if not alike:
        yield "nothing runs on the device"


def _operators_text(rows: Sequence[NodeRow]) -> str:
    """The operator, or the operators of a fused kernel, and how many have the same name and line."""
    others = f" (1 of {len(rows)})" if len(rows) > 1 else ""
    names = ", ".join(dict.fromkeys(rows[0].originals)) or rows[0].name
    return _clip(names, NAME_WIDTH - len(others)) + others


def _bound_by(report: Report) -> Iterator[str]:
    if report.rows:
        kernels = count_text(len(report.rows), "kernel")
        yield f"{_causes_text(report.rows, 2)} of {_number(report.us)} us in {kernels}"


def _fusion_lines(story: Story) -> Iterator[str]:
    gain = next(iter(story.gains), None)
    if gain is None or gain.saved_us <= 0:
        yield "saves nothing more: no edge between two kernels is worth it"
        return
    locations = {row.node: row.loc for row in story.after.rows}
    edge = " and ".join(_clip(name, SHORT_NAME_WIDTH) for name in gain.names)
    saved = f"{_number(gain.saved_us)} us, {_share(gain.saved_us / story.after.us)}"
    yield f"{edge} saves {saved} ({_clip_file(locations.get(gain.after, ''), LINE_WIDTH)})"


def _passes(story: Story) -> Iterator[str]:
    before, after = story.before.cycles, story.after.cycles
    saved = f"saved {_share(1 - after / before)} of the device time" if before > after else "saved no device time"
    name, least = min(story.other_cycles.items(), key=lambda item: item[1], default=("", after))
    saves = least < after * (1 - MIN_NOTICEABLE_SAVING)
    better = f"'{name}' would save {_share(1 - least / after)} more" if saves else NOTHING_BETTER
    yield f"{saved}; {better}"


def _graph_mode(story: Story) -> Iterator[str]:
    times = story.times
    eager, graph = story.before.times["warm", "eager"], story.after.times["warm", "graph"]
    bounds = [eager_ms / graph_ms for eager_ms, graph_ms in zip(eager, graph, strict=True) if graph_ms]
    chip = Spread(bounds[0], min(bounds), max(bounds)) if bounds else Spread(1.0, 1.0, 1.0)
    yield f"{_verdict(chip)} on the chip: {_ratio(chip)} the speed of eager mode"
    yield f"{_verdict(times.speedup)} here: {_ratio(times.speedup)}{_break_even(times)}"


def _break_even(times: Times) -> str:
    """The number of calls after which graph mode has saved the compile time, as a range, because it varies."""
    saved = times.eager.median - times.compiled.median
    if times.speedup.low <= 1 + CLEAR_DIFFERENCE or saved <= 0:
        return ""
    calls = max(times.compilation / saved, 1.0)
    low, high = _steps_around(calls / CALL_COUNT_SPREAD, calls * CALL_COUNT_SPREAD)
    return f", after {low:,} to {high:,} calls"


def _steps_around(low: float, high: float) -> tuple[int, int]:
    """The nearest of 1, 2, 5, 10, 20 ... below the first number and above the second.

    >>> _steps_around(745, 1675), _steps_around(0.7, 2)
    ((500, 2000), (1, 2))
    """
    powers = range(max(math.ceil(math.log10(max(high, 1))), 0) + 1)
    steps = [factor * 10**power for power in powers for factor in (1, 2, 5)]
    return max([1, *(step for step in steps if step <= low)]), min(step for step in steps if step >= high)


def _verdict(ratio: Spread) -> str:
    if ratio.low > 1 + CLEAR_DIFFERENCE:
        return "pays"
    return "costs time" if ratio.high < 1 - CLEAR_DIFFERENCE else "no clear difference"


def _ratio(ratio: Spread) -> str:
    return f"{ratio.median:.1f}× ({ratio.low:.1f} to {ratio.high:.1f})"


def _causes_text(rows: Sequence[NodeRow], limit: int) -> str:
    """The causes that account for most of the time of some tasks, with their shares."""
    cycles: Counter[str] = Counter()
    for row in rows:
        cycles["head"] += row.head
        causes = row.cost.critical or {row.cost.busiest[0]: float(row.cost.cycles)}
        for cause, part in causes.items():
            cycles[cause] += round(part)
    total = max(sum(row.cycles for row in rows), 1)
    return ", ".join(f"{CAUSES.get(cause, cause)} {_share(part / total)}" for cause, part in cycles.most_common(limit))


def _share(part: float) -> str:
    return f"{part:.{1 if 0 < part < 0.01 else 0}%}".replace("%", " %")


def _time_texts(us: float, low: float, high: float) -> tuple[str, str]:
    """A time and its range in one unit.

    >>> _time_texts(2.24, 2.2, 2.31), _time_texts(216.0, 154.0, 494.0)
    (('2.24 us', '2.20 to 2.31'), ('0.216 ms', '0.154 to 0.494'))
    """
    unit, factor = ("us", 1.0) if us < MIN_MS else ("ms", 1e-3)
    return f"{_number(us * factor)} {unit}", f"{_number(low * factor)} to {_number(high * factor)}"


def _number(value: float) -> str:
    """A number with three digits.

    >>> _number(0.2294), _number(9.163), _number(1234.5)
    ('0.229', '9.16', '1,234')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _clip_file(location: str, width: int) -> str:
    """A location with its file name shortened, so that the line number stays visible.

    >>> _clip_file("<resnet18.onnx>:114", 16)
    '<resnet18.o…:114'
    """
    file, colon, line = location.rpartition(":")
    return _clip(file, width - len(colon + line)) + colon + line
