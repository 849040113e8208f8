"""The checker of the lesson on your own kernel: a schedule that is faster than the default plan."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.aliases import Function
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from minigraph.lessons.answers import check_type, checker
from minigraph.lessons.feedback import WrongAnswerError
from minigraph.npu import Report, Schedule, simulate
from minigraph.npu.reports.tasks import imbalance, waves

MAX_SHARE = 0.92  # of the default plan's cycles


@checker
def check_kernel(product: Function, inputs: Sequence[Tensor], kernel: Schedule | None) -> None:
    """Check that a schedule of a product fits and needs at most 92 % of the cycles of the default plan."""
    if kernel is None:
        raise WrongAnswerError("KERNEL is None: write Schedule(base=(m, n, k))")
    check_type("KERNEL", kernel, Schedule, "write Schedule(base=(m, n, k))")
    default = simulate(product, *inputs)
    try:
        report = simulate(product, *inputs, schedule={default.rows[0].node: kernel})
    except UsageError as error:
        raise WrongAnswerError(str(error)) from None
    if report.cycles > MAX_SHARE * default.cycles:
        share = f"{report.cycles / default.cycles:.0%} of the default plan's {default.cycles:,} cycles"
        raise WrongAnswerError(f"{share}, but at most {MAX_SHARE:.0%} are allowed: {_reason(report)}")
    print(f"Right: {report.cycles:,} of {default.cycles:,} cycles, with {kernel}.")


def _reason(report: Report) -> str:
    """The tiles of the busiest core, and its busiest queue."""
    (row,) = report.rows
    (plan,) = row.cost.layout.cube
    queue, share = row.cost.busiest
    tiles = f"{plan.tiles} tiles on {plan.cores} of {row.chip.cores.aic} cores, {waves(row)} on the busiest"
    return f"{tiles} ({imbalance(row):.2f} times the mean); {queue} is busy {share:.0%} of the time"
