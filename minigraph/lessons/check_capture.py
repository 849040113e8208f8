"""The checkers of the lessons on what is captured when."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Mapping
from typing import Any

from minigraph.compilation import jit
from minigraph.core.errors import CaptureError, TraceError
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.lessons.told import NotYet, lines_printed, listed, named, numbers, operators


def check_predictions(program: Callable[..., Any], answers: Mapping[str, Any]) -> None:
    """Values: how often Python printed. Structure: operators in the graph. Cost: compilations."""
    missing = [name for name, answer in answers.items() if answer is None]
    if missing:
        raise NotYet(f"no prediction yet for {', '.join(missing)}: write a number for each")
    inputs = [numbers(0, 2), numbers(1, 2), numbers(2, 3)]
    compiled = jit(program, capture_mode="trace")
    with contextlib.redirect_stdout(io.StringIO()):  # it is captured once more
        graph = compiled.graph(inputs[0], pipeline=())
    truth = {
        "eager_prints": lines_printed(program, inputs),
        "jit_prints": lines_printed(compiled, inputs),
        "graph_operators": len(operators(graph)),
        "compiles": compiled.cache_info().misses,
    }
    why = {
        "eager_prints": "Python runs the function at every call",
        "jit_prints": "Python runs only while the graph is captured",
        "graph_operators": f"the loop was unrolled into {listed(graph, operators(graph))}",
        "compiles": "; ".join(compiled.cache_info().reasons),
    }
    for name, found in truth.items():
        if answers[name] != found:
            raise NotYet(f"{name}: you said {answers[name]}, it was {found}: {why[name]}")
    print(f"Right: {truth}")


PAIRS = ((12, 18), (35, 64), (270, 192), (7, 0), (1071, 462))


def check_gcd(gcd: Callable[..., Any]) -> None:
    """Values: five pairs, eagerly and captured. Structure: one loop node. Cost: one capture for all pairs."""
    if gcd(Tensor(12), Tensor(18)) is None:
        raise NotYet("gcd returns nothing yet: a `while` that asks whether b is 0, and one line in it")
    compiled = jit(gcd)
    try:
        graph = compiled.graph(Tensor(12), Tensor(18), pipeline=())
        found = [int(compiled(Tensor(a), Tensor(b))) for a, b in PAIRS]
    except TraceError as error:
        raise NotYet(f"{error}; it has to be a loop that asks the tensors itself") from None
    except CaptureError as error:
        raise NotYet(str(error)) from None
    loops = [node for node in operators(graph) if graph.regions(node)]
    for (a, b), value in zip(PAIRS, found, strict=True):
        if value != math.gcd(a, b):
            raise NotYet(f"gcd({a}, {b}) is {math.gcd(a, b)}, not {value}: {_why_wrong(graph, loops, value)}")
    if not loops:
        raise NotYet(f"no loop node: {listed(graph, operators(graph))}; a `while` that asks b would be one")
    if compiled.cache_info().misses > 1:
        raise NotYet(f"captured {compiled.cache_info().misses} times: {'; '.join(compiled.cache_info().reasons)}")
    print(f"Right: {len(PAIRS)} pairs, one capture, and {named(graph, loops[0])} holds the loop.")


def _why_wrong(graph: Graph, loops: list[int], value: int) -> str:
    if not loops:
        return f"the loop went round a fixed number of times, into {listed(graph, operators(graph))}"
    if value == 0:
        return "which of the two holds the answer when the loop ends?"
    return "do both change at the same moment? Say it in one assignment, a, b = ..., ..."
