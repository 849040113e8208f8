"""The checkers of the lessons on the simulated chip: tiles, launches, and what a chip would have to be."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.compilation import jit
from minigraph.core.errors import ChipError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import producer
from minigraph.lessons.told import NotYet, listed, named, operators
from minigraph.npu import Chip, Report, Schedule, cycles, simulate


def check_projections(slow: Callable[..., Any], fast: Callable[..., Any], x: Tensor, weights: list[Tensor]) -> None:
    """The three results agree, one product computes them, and the chip needs at most half of the cycles."""
    together = ops.concat(weights, 1)
    results = fast(x, together)
    if results is None:
        raise NotYet("fast returns nothing yet: return the three products of x, made with one matmul")
    before, after = jit(slow).graph(x, *weights), jit(fast).graph(x, together)
    for i, (want, got) in enumerate(zip(slow(x, *weights), results, strict=True)):
        if want.shape != got.shape or not np.allclose(want.asnumpy(), got.asnumpy(), atol=1e-3):
            node = named(after, producer(after.outs[i]))
            raise NotYet(f"result {i}, {node}, is {got.type} but not x @ weights[{i}], which is {want.type}")
    products = [node for node in operators(after) if after.work(node).macs]
    if len(products) != 1:
        raise NotYet(
            f"right values, but {len(products)} products: {listed(after, products)}; the cube should work once"
        )
    costs = cycles(before), cycles(after)
    if costs[1] > costs[0] / 2:
        extra = [node for node in operators(after) if node not in products]
        raise NotYet(f"{costs[1]:,} cycles of {costs[0]:,}: besides the product there is {listed(after, extra)}")
    print(f"Right: the same three results, one product, {costs[0]:,} cycles became {costs[1]:,}.")


# ---- a schedule ------------------------------------------------------------------------------------------

SLACK = 1.05  # of the cycles of the tool's own choice


def check_schedule(product: Callable[..., Any], inputs: Sequence[Tensor], schedule: Schedule | None) -> None:
    """It fits, and the cycles are close to those of the tool's own choice."""
    if schedule is None:
        raise NotYet("SCHEDULE is None: write Schedule(base=(m, n, k), buffers=...)")
    if schedule.base is None:
        raise NotYet("without a base the tool chooses it; say base=(m, n, k)")
    best = simulate(product, *inputs)
    try:
        report = simulate(product, *inputs, schedule=schedule)
    except UsageError as error:
        raise NotYet(str(error)) from None
    if report.cycles > SLACK * best.cycles:
        raise NotYet(f"{report.cycles:,} cycles, {best.cycles:,} are possible: {_why_slow(report, schedule)}")
    print(f"Right: {report.cycles:,} cycles with {schedule.base}; the tool itself finds {best.cycles:,}.")


def _why_slow(report: Report, schedule: Schedule) -> str:
    busy = {queue: account.busy for (core, queue), account in report.queues.items() if core == "aic" and queue != "S"}
    first = max(busy, key=busy.__getitem__)
    if schedule.buffers == 1:
        return f"with one buffer {first} waits for whoever uses it; two let both work"
    share = busy[first] / report.cycles
    return f"tiles are small: {first} is busy {share:.0%} of the time, because every number is loaded again and again"


# ---- a chip ----------------------------------------------------------------------------------------------

SHARE = 0.55  # of the time on the base
FIGURES = 2  # may differ


def check_chip(figures: str | None, variant: Callable[[str], Chip], large: Tensor) -> None:
    """The file is good, at most two figures differ, and a ReLU takes at most 55 % of the time."""
    if figures is None:
        raise NotYet("FIGURES is None: a section and what differs in it, as text")
    try:
        given = tomllib.loads(figures)
        chip = variant(figures)
    except (ChipError, tomllib.TOMLDecodeError) as error:
        raise NotYet(f"{error}") from None
    told = [f"{section}.{name} of {one['v']}" for section, rest in given.items() for name, one in rest.items()]
    if len(told) > FIGURES:
        raise NotYet(f"{len(told)} figures differ: {', '.join(told)}; {FIGURES} are enough")
    before, after = simulate(ops.relu, large), simulate(ops.relu, large, chip=chip)
    share = after.us / before.us
    if share > SHARE:
        how = "is on the right way; further" if share < 0.98 else f"the ReLU still waits for memory ({_waits(after)})"
        raise NotYet(f"with {', '.join(told)}, it takes {share:.0%} of the time: {how}")
    print(f"Right: with {', '.join(told)}, a ReLU takes {after.us:.0f} instead of {before.us:.0f} us.")


def _waits(report: Report) -> str:
    cause, taken = next(iter(report.critical.items()))
    return f"{taken / report.cycles:.0%} of its way is {cause}"
