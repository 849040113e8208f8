"""The graph interpreter: calls every node through ``apply``, so it runs eagerly, on a tape, or inside a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import UsageError
from minigraph.core.op import NO_ATTRS, Op, active_observers, apply, is_eager, op_named
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.tensor.tensor import set_array
from minigraph.ir.graph import Graph, Ref, reference

CONTROL_FLOW: dict[Op, Function] = {}  # runs bodies by ``interpret``: a tape records what it records in eager mode


def interpret(graph: Graph, *args: Tensor, constants: Mapping[Any, Tensor] = NO_ATTRS) -> tuple[Tensor, ...]:
    """The outputs of ``graph`` for these inputs, with every node called as an operator.

    The calls go to the current interpreter and observers. So this executes a graph in eager mode, differentiates it
    (``grad(lambda *a: interpret(graph, *a))``) and inlines it into a trace. Effects take place in order; Parameters are
    assigned at once. ``constants``, by node, replace the graph's. Raises ``UsageError`` for too few or many arguments.

    >>> from minigraph import Tensor
    >>> from minigraph.capture.trace import trace
    >>> graph = trace(lambda x: x * x + x, Tensor(1.0))
    >>> [print(out) for out in interpret(graph, Tensor(3.0))]
    12.0
    [None]
    """
    if len(args) != len(graph.inputs):
        raise UsageError(f"graph '{graph.title}' takes {len(graph.inputs)} inputs, got {len(args)}")
    values: dict[Ref, Any] = {**constants, **dict(zip(graph.inputs, args, strict=True))}
    locating = [tape.locate for tape in active_observers() if hasattr(tape, "locate")]
    for node in graph.topological():
        role = graph.op(node).role
        if role == "input" or node in constants:
            continue
        if role == "const":
            values[node] = wrap(a if (a := graph.attrs(node)["value"].array).shape else a.copy())  # may be written to
        elif role == "parameter":
            # an alias: a later assignment to the Parameter must not change the value read here
            values[node] = apply(op_named("identity"), graph.params[graph.attrs(node)["name"]])
        else:
            operands = [values[ref] for ref in graph.ins(node)]
            run = CONTROL_FLOW.get(graph.op(node)) if locating and is_eager() else None
            results = run(*operands, **graph.call_attrs(node)) if run else _call_node(graph, node, operands)
            values.update((reference(node, r), result) for r, result in enumerate(results))
            for locate in locating if run is None else ():
                locate(results, graph.loc(node))
    return tuple(values[ref] for ref in graph.outs)


def interpret_atomically(
    graph: Graph, *args: Tensor, constants: Mapping[Any, Tensor] = NO_ATTRS
) -> tuple[Tensor, ...]:  # fmt: skip
    """``interpret``, but after an error all Parameters are restored, as in a compiled program."""
    before = [(parameter, parameter.array) for parameter in graph.params.values()]
    try:
        return interpret(graph, *args, constants=constants)
    except BaseException:
        for parameter, array in before:
            set_array(parameter, array)
        raise


def _call_node(graph: Graph, node: int, operands: list[Tensor]) -> tuple[Tensor, ...]:
    op, attrs = graph.op(node), graph.call_attrs(node)
    if op.role == "fused":
        return interpret(graph.regions(node)[0], *operands)
    if op.stores:
        operands[0] = graph.params[attrs["name"]]
    out = apply(op, *operands, **attrs)
    return out if isinstance(out, tuple) else (out,)
