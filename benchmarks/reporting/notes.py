"""What the figures say, in sentences that are filled in from the run, so that they cannot go stale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.cases.eager import bytes_per_operator
from benchmarks.measuring.harness import Result, Table
from benchmarks.reporting.goals import CALL, EAGER, JIT
from benchmarks.reporting.report import figure

WITHIN = 4  # bare numpy calls that an eager operator may cost
BARE_JIT = "minigraph jit, no passes"


def notes(tables: Sequence[Table]) -> list[str]:
    """One sentence or two per table; only about what was measured."""
    results = {result.title: result for table in tables for result in table.results}
    eager = [r for title, r in results.items() if title.startswith("eager ")]
    passes = [r for title, r in results.items() if title.startswith("passes")]
    told = [
        *_of(results, _operator, "forward", "forward + backward"),
        *_of(results, _short_call, CALL),
        *([_operators(eager)] if eager else []),
        *_mindspore(results),
        *_of(results, _step, "digits training step"),
        *([_passes(passes)] if passes else []),
        *_of(results, _first_call, "first call, 200 operators"),
    ]
    return told


def _of(results: Mapping[str, Result], sentence: Callable[..., str], *titles: str) -> list[str]:
    """A sentence about some rows, if this run has them."""
    return [sentence(*(results[title] for title in titles))] if results.keys() >= {*titles} else []


def _operator(forward: Result, both: Result) -> str:
    door = forward.per_work(EAGER) - forward.per_work("numpy")
    return (
        f"An eager operator costs {figure(door)} µs more than numpy's own {figure(forward.per_work('numpy'))} µs; with "
        f"its share of the backward pass {figure(both.per_work(EAGER))} µs. The tape holds "
        f"{bytes_per_operator():,.0f} bytes per recorded operator, its result included (goal: 500). "
        f"Compiled, the same operators run at {figure(forward.speed[JIT])} and {figure(both.speed[JIT])} of numpy."
    )


def _short_call(result: Result) -> str:
    return (
        f"A compiled call of one tiny operator takes {figure(result.seconds[JIT] * 1e6)} µs, nearly all of it keys, "
        f"guards and wrapping; numpy alone takes {figure(result.seconds['numpy'] * 1e6)} µs."
    )


def _operators(results: Sequence[Result]) -> str:
    within = [result for result in results if result.speed[EAGER] >= 1 / WITHIN]
    beyond = [
        f"{r.title} ({figure(r.per_work(EAGER))} µs, numpy {figure(r.per_work('numpy'))})"
        for r in results
        if r not in within
    ]
    rest = f"; beyond that {'is' if len(beyond) == 1 else 'are'} {', '.join(beyond)}" if beyond else ""
    most = f"cost at most {WITHIN} bare numpy calls on four floats"
    return f"{len(within)} of {len(results)} eager operators {most}{rest}."


def _mindspore(results: Mapping[str, Result]) -> list[str]:
    """Beside MindSpore, if it took part: an operator, a compiled call, a training step."""
    rows = (
        ("eager add", "mindspore pynative", EAGER, "an eager addition"),
        (CALL, "mindspore jit", JIT, "a compiled call"),
        ("digits training step", "mindspore jit", JIT, "a compiled training step"),
    )
    told = [
        f"{what} {figure(result.per_work(theirs))} µs, {figure(result.speed[ours] / result.speed[theirs])} times ours"
        for title, theirs, ours, what in rows
        if title in results and theirs in (result := results[title]).seconds
    ]
    return [f"MindSpore takes for {'; for '.join(told)}."] if told else []


def _step(result: Result) -> str:
    gain, beside = result.speed[JIT] / result.speed[EAGER], result.speed[JIT]
    passes = beside / result.speed[BARE_JIT]
    return (
        f"On the digits step the graph is {figure(gain)} times as fast as eager mode and {figure(beside)} of "
        f"hand-written numpy. The passes alone give a factor of {figure(passes)}: on numpy a fused node runs the same "
        "calls as its parts, so what fusion saves shows on the simulated chip, not here."
    )


def _passes(results: Sequence[Result]) -> str:
    parts = [f"{r.work:,} nodes {1 / r.seconds['default pipeline'] * r.work:,.0f}" for r in results]
    return f"The whole default pipeline, verified after every pass, handles per second: {'; '.join(parts)} nodes."


def _first_call(result: Result) -> str:
    rivals = [f"{name} {figure(result.per_work(name))}" for name in result.seconds if name not in ("numpy", JIT)]
    beside = f" ({', '.join(rivals)})" if rivals else ""
    return f"A new shape costs {figure(result.per_work(JIT))} µs per operator before the first result{beside}."
