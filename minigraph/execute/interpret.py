"""Running a graph through the door: eagerly, on a tape, or inside another trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.op import apply, op_named
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.tensor.tensor import give
from minigraph.ir.graph import Graph, Ref, reference


def interpret(graph: Graph, *args: Any) -> tuple[Any, ...]:
    """The outputs of ``graph`` for these inputs, every node called as an operator.

    Whoever interprets and listens now does so here as well: this is how a graph is differentiated
    (``grad(lambda *a: interpret(graph, *a))``) and inlined. Effects happen; Parameters are assigned at once.
    Raises ``UsageError`` for the wrong number of arguments.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> graph = trace(lambda x: x * x + x, Tensor(1.0))
    >>> [print(out) for out in interpret(graph, Tensor(3.0))]
    12.0
    [None]
    """
    if len(args) != len(graph.inputs):
        raise UsageError(f"graph '{graph.title}' takes {len(graph.inputs)} inputs, got {len(args)}")
    values: dict[Ref, Any] = dict(zip(graph.inputs, args, strict=True))
    identity = op_named("identity")
    for node in graph.topological():
        role = graph.op(node).role
        if role == "input":
            continue
        if role == "const":
            values[node] = wrap(graph.attrs(node)["value"].array)
        elif role == "parameter":
            # a copy of the reference: a later assignment must not change what was read here
            values[node] = apply(identity, graph.params[graph.attrs(node)["name"]])
        else:
            _keep(values, graph, node, _called(graph, node, [values[ref] for ref in graph.ins(node)]))
    return tuple(values[ref] for ref in graph.outs)


def interpret_whole(graph: Graph, *args: Any) -> tuple[Any, ...]:
    """``interpret``, but when an error breaks it off every Parameter has the value it had before, as in a program."""
    before = [(parameter, parameter.array) for parameter in graph.params.values()]
    try:
        return interpret(graph, *args)
    except BaseException:
        for parameter, array in before:
            give(parameter, array)
        raise


def _called(graph: Graph, node: int, operands: list[Any]) -> tuple[Any, ...]:
    op, attrs = graph.op(node), graph.call_attrs(node)
    if op.role == "fused":
        return interpret(graph.regions(node)[0], *operands)
    if op.stores:
        operands[0] = graph.params[attrs["name"]]
    out = apply(op, *operands, **attrs)
    return out if isinstance(out, tuple) else (out,)


def _keep(values: dict[Ref, Any], graph: Graph, node: int, results: Sequence[Tensor]) -> None:
    for r, result in enumerate(results):
        values[reference(node, r)] = result
