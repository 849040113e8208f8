"""What every checker uses: the error that says what an answer lacks, nodes in words, numbers to try it on."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minigraph.core.errors import MinigraphError
from minigraph.core.tensor import Tensor
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph

SHOWN = 3  # nodes that are listed one by one


class NotYet(MinigraphError):
    """The answer to an exercise is missing or wrong; the text says what, and at which node.

    Example: ``%3 = tanh (net.py:4) computes tanh a second time: it stands in out``.
    Fix: the text is a hint; ``minigraph learn hint`` has more.
    """


def numbers(seed: int, *shape: int) -> Tensor:
    """Random float32 numbers around zero, the same for the same seed."""
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def operators(graph: Graph) -> list[int]:
    """The nodes that compute: no inputs, constants or Parameters."""
    return [node for node in graph.topological() if not graph.op(node).is_leaf]


def named(graph: Graph, node: int) -> str:
    """A node in words: ``%3 = matmul (net.py:7)``."""
    loc = graph.loc(node)
    return f"%{node} = {graph.op(node).label_of(graph.attrs(node))}" + (f" ({loc[0]})" if loc else "")


def listed(graph: Graph, nodes: Iterable[int]) -> str:
    """Several nodes in words, the first three of them."""
    chosen = sorted(nodes)
    rest = f" and {len(chosen) - SHOWN} more" if len(chosen) > SHOWN else ""
    return ", ".join(named(graph, node) for node in chosen[:SHOWN]) + rest


def same_bits(before: Graph, after: Graph, inputs: Iterable[Tensor]) -> bool:
    """Whether two graphs compute the same from the same inputs, in every bit."""
    arrays = [x.asnumpy() for x in inputs]
    pairs = zip(compile_graph(before)(*arrays), compile_graph(after)(*arrays), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


def lines_printed(function: Callable[..., Any], inputs: Iterable[Tensor]) -> int:
    """How many lines a function prints when it is called with each input."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for x in inputs:
            function(x)
    return len(out.getvalue().splitlines())
