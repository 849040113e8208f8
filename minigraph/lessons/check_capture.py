"""The checkers of the lessons on what is captured when."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from typing import Any

from minigraph.jit import jit
from minigraph.lessons.told import NotYet, lines_printed, listed, numbers, operators


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
