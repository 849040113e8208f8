"""Injected faults: rules and passes that are wrong in various ways, and programs to which they apply."""

from typing import Any

import numpy as np

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType
from minigraph.ir.graph import Edit, Graph, Ref
from passes import rule

X = Tensor(np.array([[0.5, -1.5], [2.0, 0.25]], np.float32))


@rule
def wrong_value(x: Any) -> Any:
    """tanh is not the sigmoid."""
    return apply("tanh", x), apply("sigmoid", x)


@rule
def wrong_gradient(x: Any) -> Any:
    """The values stay, the gradient does not."""
    return apply("square", x), x * apply("stop_gradient", x)


@rule(recompute=True, where=lambda m: True)  # without where=, the definition would be an error
def swap_forever(x: Any, y: Any) -> Any:
    """Swaps the operands of a sum for ever."""
    return x + y, y + x


@rule(root=op_named("assign"))
def erase_write(graph: Graph, node: int) -> Ref | None:
    """Replaces an assignment by the value."""
    return graph.ins(node)[1]


@rule(root=op_named("exp"))
def make_cycle(graph: Graph, node: int) -> Ref | None:
    """Replaces a node by one of its users."""
    return next((user for user in graph.users(node) if graph.types(user) == graph.types(node)), None)


@rule(root=op_named("tanh"))
def another_type(graph: Graph, node: int) -> Ref | None:
    """A result of another shape."""
    return graph.emit(op_named("sum"), graph.ins(node), {"axis": (0, 1), "keepdims": False})


def program() -> Graph:
    """A program with arithmetic, an assignment, prints and dead code."""
    total = Parameter(Tensor(np.zeros((2, 2), np.float32)), name="total")

    def step(x: Any, y: Any) -> Any:
        high = ops.exp(ops.square(x))
        ops.Print()(high)
        now = ops.assign(total, total + ops.tanh(y))
        ops.Print()(now)
        _ = ops.square(high) + y
        return ops.tanh(high) + now, ops.exp(y) * (x + y)

    return trace(step, X, X)


def lose_print(graph: Graph) -> None:
    """Erases a print that has an effect."""
    node = next(node for node in graph if graph.op(node).writes and not graph.users(node))
    for first in graph.before(node):
        for last in graph.after(node):
            graph.order(first, last, "effect")
    graph.discard(node)


def lose_order(graph: Graph) -> None:
    """Removes the order of two prints."""
    graph.keep_effects = False
    for node in graph:
        for source in graph.before(node):
            forget_order(graph, source, node)


def forget_order(graph: Graph, first: int, last: int) -> None:
    """Remove an order edge, which no graph primitive does, and record it."""
    with graph.unsafe():
        graph.remove_edge(first, last, next(key for key in graph[first][last] if not isinstance(key, int)))
    if graph.journal is not None:
        graph.journal.append(Edit("order", last, graph.by))


def swap_operands(graph: Graph) -> None:
    """Replaces the operand of an exponential by an input."""
    node = next(node for node in graph if str(graph.op(node)) == "exp")
    graph.set_operands(node, (graph.inputs[0],))


def read_stale_value(graph: Graph) -> None:
    """Reads the Parameter as it was before it was assigned."""
    stored = next(node for node in graph if graph.op(node).stores)
    graph.replace_uses({stored: graph.ins(stored)[0]}, keep=(stored,))


def cyclic(graph: Graph) -> None:
    """Makes a node its own ancestor."""
    node = next(node for node in graph if str(graph.op(node)) == "exp")
    graph.set_operands(node, (next(user for user in graph.users(node) if graph.types(user)),))


def declare_wrong_type(graph: Graph) -> None:
    """Declares a wrong type of a result."""
    node = next(node for node in graph if str(graph.op(node)) == "tanh")
    graph.nodes[node]["types"] = (TensorType((9,), graph.type(node).dtype),)
    graph.set_operands(node, graph.ins(node))


DAMAGING_RULES = (erase_write, make_cycle, another_type)  # the graph would not be well formed
WRONG_PASSES = (lose_print, lose_order, swap_operands, read_stale_value)  # well formed afterwards, yet wrong
BROKEN_PASSES = (cyclic, declare_wrong_type)
