"""Helpers for checkers: the error for wrong answers, nodes as text, random inputs."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.errors import MinigraphError
from minigraph.core.output import call_printing_to
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph

MAX_LISTED = 3  # nodes


class WrongAnswerError(MinigraphError):
    """The answer to an exercise is missing or wrong; the message says why, and at which node.

    Example: ``%3 = tanh (net.py:4) computes tanh a second time: use out``.
    Fix: follow the message; ``minigraph learn hint`` shows hints.
    """


def numbers(seed: int, *shape: int) -> Tensor:
    """A tensor of normally distributed float32 numbers, reproducible by seed."""
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def operators(graph: Graph) -> list[int]:
    """The nodes that compute something: all except inputs, constants and Parameters."""
    return [node for node in graph.topological() if not graph.op(node).is_leaf]


def node_text(graph: Graph, node: int) -> str:
    """A node as text: ``%3 = matmul (net.py:7)``."""
    loc = graph.loc(node)
    return f"%{node} = {graph.op(node).label_of(graph.attrs(node))}" + (f" ({loc[0]})" if loc else "")


def nodes_text(graph: Graph, nodes: Iterable[int]) -> str:
    """Several nodes as text; at most three are listed."""
    ordered = sorted(nodes)
    suffix = f" and {len(ordered) - MAX_LISTED} more" if len(ordered) > MAX_LISTED else ""
    return ", ".join(node_text(graph, node) for node in ordered[:MAX_LISTED]) + suffix


def is_bitwise_equal(before: Graph, after: Graph, inputs: Iterable[Tensor]) -> bool:
    """Whether two graphs compute bitwise equal results from the same inputs."""
    arrays = [x.asnumpy() for x in inputs]
    pairs = zip(compile_graph(before)(*arrays), compile_graph(after)(*arrays), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


def count_printed_lines(function: Function, inputs: Iterable[Tensor]) -> int:
    """The number of lines that a function prints when called once per input."""
    out = StringIO()
    for x in inputs:
        call_printing_to(out, function, x)
    return len(out.getvalue().splitlines())
