"""Sentences about the results, generated from the measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.cases.eager import bytes_per_operator
from benchmarks.measuring.harness import Result, Table
from benchmarks.reporting.goals import CALL, EAGER, JIT
from benchmarks.reporting.report import three_digits

MAX_NUMPY_CALLS = 4  # numpy calls that an eager operator may cost
BARE_JIT = "minigraph jit, no passes"


def notes(tables: Sequence[Table]) -> list[str]:
    """One sentence or two per table; only about what was measured."""
    results = {result.title: result for table in tables for result in table.results}
    eager = [r for title, r in results.items() if title.startswith("eager ")]
    passes = [r for title, r in results.items() if title.startswith("passes")]
    return [
        *_note_on(results, _operator, "forward", "forward + backward"),
        *_note_on(results, _short_call, CALL),
        *([_operators(eager)] if eager else []),
        *_mindspore(results),
        *_note_on(results, _step, "digits training step"),
        *([_passes(passes)] if passes else []),
        *_note_on(results, _first_call, "first call, 200 operators"),
    ]


def _note_on(results: Mapping[str, Result], sentence: Callable[..., str], *titles: str) -> list[str]:
    """A sentence about some rows, if this run has all of them."""
    return [sentence(*(results[title] for title in titles))] if results.keys() >= {*titles} else []


def _operator(forward: Result, both: Result) -> str:
    overhead = forward.time_per_operator(EAGER) - forward.time_per_operator("numpy")
    return (
        f"The dispatch of an eager operator costs {three_digits(overhead)} µs in addition to numpy's "
        f"{three_digits(forward.time_per_operator('numpy'))} µs; forward and backward pass cost "
        f"{three_digits(both.time_per_operator(EAGER))} µs. "
        f"The tape holds {bytes_per_operator():,.0f} bytes per recorded operator, its result included (goal: 500). "
        f"Compiled, the two run at {three_digits(forward.speed[JIT])} and {three_digits(both.speed[JIT])} of numpy's "
        "speed."
    )


def _short_call(result: Result) -> str:
    return (
        f"A compiled call of one small operator takes {three_digits(result.seconds[JIT] * 1e6)} µs, nearly all of it "
        f"cache lookup, guards and wrapping; numpy alone takes {three_digits(result.seconds['numpy'] * 1e6)} µs."
    )


def _operators(results: Sequence[Result]) -> str:
    slower = [
        f"{r.title} ({three_digits(r.time_per_operator(EAGER))} µs, numpy {three_digits(r.time_per_operator('numpy'))})"
        for r in results
        if r.speed[EAGER] < 1 / MAX_NUMPY_CALLS
    ]
    suffix = f"; slower: {', '.join(slower)}" if slower else ""
    cost = f"cost at most {MAX_NUMPY_CALLS} numpy calls on four floats"
    return f"{len(results) - len(slower)} of {len(results)} eager operators {cost}{suffix}."


def _mindspore(results: Mapping[str, Result]) -> list[str]:
    """The comparison with MindSpore, if it took part: an operator, a compiled call, a training step."""
    rows = (
        ("eager add", "mindspore pynative", EAGER, "an eager addition"),
        (CALL, "mindspore jit", JIT, "a compiled call"),
        ("digits training step", "mindspore jit", JIT, "a compiled training step"),
    )
    parts = [
        f"{phrase} {three_digits(result.time_per_operator(theirs))} µs, "
        f"{three_digits(result.speed[ours] / result.speed[theirs])} times ours"
        for title, theirs, ours, phrase in rows
        if title in results and theirs in (result := results[title]).seconds
    ]
    return [f"MindSpore takes for {'; for '.join(parts)}."] if parts else []


def _step(result: Result) -> str:
    gain, passes = result.speed[JIT] / result.speed[EAGER], result.speed[JIT] / result.speed[BARE_JIT]
    return (
        f"The digits step in graph mode is {three_digits(gain)} times as fast as in eager mode, and runs at "
        f"{three_digits(result.speed[JIT])} of the speed of hand-written numpy. The passes alone give a factor of "
        f"{three_digits(passes)}: with numpy a fused node makes the same calls as its parts, so the gain of fusion "
        "shows on the simulated chip only."
    )


def _passes(results: Sequence[Result]) -> str:
    parts = [
        f"{1 / r.seconds['default pipeline'] * r.operator_count:,.0f} for {r.operator_count:,} nodes" for r in results
    ]
    return f"Nodes per second of the default pipeline, verified after every pass: {'; '.join(parts)}."


def _first_call(result: Result) -> str:
    others = [
        f"{name} {three_digits(result.time_per_operator(name))}"
        for name in result.seconds
        if name not in ("numpy", JIT)
    ]
    comparison = f" ({', '.join(others)})" if others else ""
    cost = three_digits(result.time_per_operator(JIT))
    return f"A new shape costs {cost} µs per operator before the first result{comparison}."
