"""Checkers of the lessons on the simulated chip: launches, tiling, chip parameters."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence

import numpy as np

from minigraph import ops
from minigraph.compilation import jit
from minigraph.core.aliases import Function
from minigraph.core.errors import ChipError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import producer
from minigraph.lessons.answers import check_type, checker, result_of
from minigraph.lessons.feedback import WrongAnswerError, node_text, nodes_text, operators
from minigraph.npu import Chip, Report, Schedule, cycles, simulate


@checker
def check_projections(slow: Function, fast: Function, x: Tensor, weights: list[Tensor]) -> None:
    """Check that the three results are right, come from one matrix product, and need at most half of the cycles."""
    combined = ops.concat(weights, 1)
    results = result_of("fast(x, w)", fast, x, combined)
    if results is None:
        raise WrongAnswerError("fast returns nothing yet: return the three products of x, computed with one matmul")
    check_type("the result of fast", results, (tuple, list), "return the three products as a tuple")
    if len(results) != len(weights):
        raise WrongAnswerError(f"fast returns {len(results)} results, not one for each of the {len(weights)} weights")
    for result in results:
        check_type("a result of fast", result, Tensor, "return three tensors")
    before, after = jit(slow).graph(x, *weights), jit(fast).graph(x, combined)
    for i, (expected, actual) in enumerate(zip(slow(x, *weights), results, strict=True)):
        if expected.shape != actual.shape or not np.allclose(expected.asnumpy(), actual.asnumpy(), atol=1e-3):
            node = node_text(after, producer(after.outs[i]))
            raise WrongAnswerError(
                f"result {i}, {node}, is {actual.type} but not x @ weights[{i}], which is {expected.type}"
            )
    products = [node for node in operators(after) if after.work(node).macs]
    if len(products) != 1:
        raise WrongAnswerError(
            f"right values, but {len(products)} products: {nodes_text(after, products)}; use one matmul"
        )
    costs = cycles(before), cycles(after)
    if costs[1] > costs[0] / 2:
        extra = [node for node in operators(after) if node not in products]
        raise WrongAnswerError(
            f"{costs[1]:,} of {costs[0]:,} cycles: besides the product there is {nodes_text(after, extra)}"
        )
    print(f"Right: the same three results, one product, {costs[0]:,} cycles became {costs[1]:,}.")


# ---- a schedule ------------------------------------------------------------------------------------------

CUBE_SIDE = 16  # numbers
MAX_CYCLES_RATIO = 1.05  # to the schedule that the simulator chooses


@checker
def check_schedule(product: Function, inputs: Sequence[Tensor], schedule: Schedule | None) -> None:
    """Check that the tile fits and needs few more cycles than the schedule that the simulator chooses."""
    if schedule is None:
        raise WrongAnswerError("SCHEDULE is None: write Schedule(base=(m, n, k), buffers=...)")
    check_type("SCHEDULE", schedule, Schedule, "write Schedule(base=(m, n, k), buffers=...)")
    if schedule.base is None:
        raise WrongAnswerError("without a base the simulator chooses one; set base=(m, n, k)")
    best = simulate(product, *inputs)
    try:
        report = simulate(product, *inputs, schedule=schedule)
    except UsageError as error:
        raise WrongAnswerError(str(error)) from None
    if odd := [size for size in schedule.base if size % CUBE_SIDE]:
        raise WrongAnswerError(f"{odd[0]} is not a multiple of {CUBE_SIDE}: the cube multiplies blocks of 16×16×16")
    if report.cycles > MAX_CYCLES_RATIO * best.cycles:
        raise WrongAnswerError(f"{report.cycles:,} cycles, {best.cycles:,} are possible: {_why_slow(report, schedule)}")
    print(f"Right: {report.cycles:,} cycles with {schedule.base}; the simulator's own choice needs {best.cycles:,}.")


def _why_slow(report: Report, schedule: Schedule) -> str:
    busy = {queue: account.busy for (core, queue), account in report.queues.items() if core == "aic" and queue != "S"}
    first = max(busy, key=busy.__getitem__)
    if schedule.buffers == 1:
        return f"with one buffer, {first} waits for its consumer; with two (double buffering) both work at once"
    share = busy[first] / report.cycles
    return f"tiles are small: {first} is busy {share:.0%} of the time, because each element is loaded repeatedly"


# ---- a chip ----------------------------------------------------------------------------------------------

MAX_TIME_RATIO = 0.55  # to the base chip
MAX_CHANGES = 2  # chip parameters


@checker
def check_chip(parameters: str | None, variant: Callable[[str], Chip], large: Tensor) -> None:
    """Check that the file is valid, changes at most two parameters, and lets a ReLU take at most 55 % of the time."""
    if parameters is None:
        raise WrongAnswerError("PARAMETERS is None: write a TOML section with the parameters that change")
    check_type("PARAMETERS", parameters, str, "write a TOML section with the parameters that change, as a text")
    try:
        sections = tomllib.loads(parameters)
        chip = variant(parameters)
    except (ChipError, tomllib.TOMLDecodeError) as error:
        raise WrongAnswerError(f"{error}") from None
    changes = [
        f"{section}.{name} = {entry['v']}" for section, entries in sections.items() for name, entry in entries.items()
    ]
    if not changes:
        raise WrongAnswerError("PARAMETERS changes no parameter: write a TOML section with one or two of them")
    if len(changes) > MAX_CHANGES:
        raise WrongAnswerError(f"{len(changes)} parameters differ: {', '.join(changes)}; {MAX_CHANGES} are enough")
    before, after = simulate(ops.relu, large), simulate(ops.relu, large, chip=chip)
    ratio = after.us / before.us
    if ratio > MAX_TIME_RATIO:
        hint = "right direction, go further" if ratio < 0.98 else f"still memory-bound ({_bottleneck(after)})"
        raise WrongAnswerError(f"with {', '.join(changes)}, it takes {ratio:.0%} of the time: {hint}")
    print(f"Right: with {', '.join(changes)}, a ReLU takes {after.us:.0f} instead of {before.us:.0f} us.")


def _bottleneck(report: Report) -> str:
    cause, waited = next(iter(report.critical.items()))
    return f"{waited / report.cycles:.0%} of its critical path is {cause}"
