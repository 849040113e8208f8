"""Checkers of the lessons on tracing and source capture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from io import StringIO
from numbers import Number

from minigraph.compilation import jit
from minigraph.core.aliases import Function
from minigraph.core.errors import CaptureError, TraceError
from minigraph.core.output import call_printing_to
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from minigraph.lessons.answers import check_type, checker, result_of
from minigraph.lessons.feedback import WrongAnswerError, count_printed_lines, node_text, nodes_text, numbers, operators

QUESTIONS = ("eager_prints", "jit_prints", "graph_operators", "compiles")


@checker
def check_predictions(program: Function, answers: Mapping[str, object]) -> None:
    """Check predictions of printed lines, graph operators and compilations."""
    check_type("answers", answers, Mapping, "write a dictionary with a number for each question")
    missing = [name for name in QUESTIONS if answers.get(name) is None]
    if missing:
        raise WrongAnswerError(f"no prediction yet for {', '.join(missing)}: write a number for each")
    for name in QUESTIONS:
        check_type(name, answers[name], Number, "write a number")
    inputs = [numbers(0, 2), numbers(1, 2), numbers(2, 3)]
    compiled = jit(program, capture_mode="trace")
    graph = call_printing_to(StringIO(), compiled.graph, inputs[0], pipeline=())  # captures the function again
    results = {
        "eager_prints": count_printed_lines(program, inputs),
        "jit_prints": count_printed_lines(compiled, inputs),
        "graph_operators": len(operators(graph)),
        "compiles": compiled.cache_info().misses,
    }
    reasons = {
        "eager_prints": "Python runs the function at every call",
        "jit_prints": "Python runs the function only during capture",
        "graph_operators": f"the loop was unrolled into {nodes_text(graph, operators(graph))}",
        "compiles": "; ".join(compiled.cache_info().reasons),
    }
    for name, actual in results.items():
        if answers[name] != actual:
            raise WrongAnswerError(f"{name}: you predicted {answers[name]}, the result is {actual}: {reasons[name]}")
    print(f"Right: {results}")


GCD_PAIRS = ((12, 18), (35, 64), (270, 192), (7, 0), (1071, 462))


@checker
def check_gcd(gcd: Function) -> None:
    """Check the values of five pairs, that the graph has a loop node, and that one capture serves all pairs."""
    eager = [result_of(f"gcd({a}, {b})", gcd, Tensor(a), Tensor(b)) for a, b in GCD_PAIRS]
    if None in eager:
        raise WrongAnswerError(
            "gcd returns nothing yet: write a `while` loop with the condition b != 0 and one line in its body"
        )
    for result in eager:
        check_type("a result of gcd", result, (Tensor, int), "return one number")
    compiled = jit(gcd)
    try:
        graph = compiled.graph(Tensor(12), Tensor(18), pipeline=())
        results = [int(compiled(Tensor(a), Tensor(b))) for a, b in GCD_PAIRS]
    except TraceError as error:
        raise WrongAnswerError(f"{error}; the loop condition has to use the tensors themselves") from None
    except CaptureError as error:
        raise WrongAnswerError(str(error)) from None
    loops = [node for node in operators(graph) if graph.regions(node)]
    for (a, b), value in zip(GCD_PAIRS, results, strict=True):
        if value != math.gcd(a, b):
            raise WrongAnswerError(f"gcd({a}, {b}) is {math.gcd(a, b)}, not {value}: {_gcd_hint(graph, loops, value)}")
    if not loops:
        raise WrongAnswerError(
            f"no loop node: {nodes_text(graph, operators(graph))}; use a `while` with a condition on b"
        )
    if compiled.cache_info().misses > 1:
        raise WrongAnswerError(
            f"captured {compiled.cache_info().misses} times: {'; '.join(compiled.cache_info().reasons)}"
        )
    print(f"Right: {len(GCD_PAIRS)} pairs, one capture, and {node_text(graph, loops[0])} is the loop.")


def _gcd_hint(graph: Graph, loops: list[int], value: int) -> str:
    """A hint about the student's loop, derived from the wrong result."""
    if not loops:
        return f"the loop was unrolled a fixed number of times, into {nodes_text(graph, operators(graph))}"
    if value == 0:
        return "which of the two variables holds the result when the loop ends?"
    return "both variables must change at the same time: use one assignment, a, b = ..., ..."
