"""Loop-invariant code motion: nodes that compute the same value in every iteration move out of the loop.

::

    %2 = while_loop(%0, %1) {carries=1}                %3 = matmul(%1, %1)
      (body: (x, w) -> x + w @ w)             ->       %4 = while_loop(%0, %1, %3) {carries=1}
                                                         (body: (x, w, h) -> x + h)

A ``while_loop`` may have no iteration, so only operators that cannot fail are hoisted from it (speculation safety):
elementwise, reductions, products, views. The same operators run on the same values, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.outline import set_regions
from minigraph.ir.structural_ops import INPUT
from minigraph.operators.regions import SCAN, WHILE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

NEVER_FAILING_FAMILIES = ("elementwise", "reduction", "view")  # families of operators that are defined for all values


@graph_pass
def hoist_invariants(graph: Graph, *, options: Options) -> None:
    """while: x + w @ w -> h = w @ w; while: x + h: loop-invariant nodes move out of loops; keeps every bit.

    For ``while_loop`` and ``scan``; operands that no body uses any more are removed.
    """
    for node in [node for node in graph.topological() if graph.op(node) in (WHILE, SCAN)]:
        hoisted = sum(_hoist_from(graph, node, k) for k in range(len(graph.regions(node))))
        if hoisted:
            _drop_unused(graph, node)
            options.statistics["hoist"].rewrites += hoisted


def _varying_count(graph: Graph, node: int) -> int:
    """The number of inputs of a body that change between iterations: the carried values and slices; they come first."""
    attrs = graph.attrs(node)
    return int(attrs["carries"] + attrs.get("rows", 0))


# ---- invariance --------------------------------------------------------------------------------------


def _hoist_from(graph: Graph, node: int, region: int) -> int:
    """Hoist from one body of a loop; returns the number of hoisted nodes."""
    body = graph.regions(node)[region]
    assert isinstance(body, Graph)
    invariant = _invariant_nodes(body, body.inputs[_varying_count(graph, node) :], graph.op(node) is SCAN)
    hoisted = [inner for inner in invariant if not body.op(inner).is_leaf]
    if not hoisted or not should_rewrite(graph, "hoist", node):
        return 0
    outside: dict[Ref, Ref] = dict(zip(body.inputs, graph.ins(node), strict=True))
    values = _emit_outside(graph, node, body, invariant, outside)
    outputs = [ref for inner in hoisted for ref in _results_used_by_rest(body, inner, set(hoisted))]
    _add_inputs(graph, node, region, outputs, [values[ref] for ref in outputs])
    return len(hoisted)


def _invariant_nodes(body: Graph, inputs: list[int], always_runs: bool) -> list[int]:
    """The nodes that depend on invariant inputs and constants only, in order, with the constants that they use.

    Nodes that depend on constants only are left to constant folding. ``always_runs``: the body runs at least once, so
    nodes that may fail can be hoisted, too.
    """
    invariant, from_inputs, nodes = set(inputs), set(inputs), set[int]()
    for inner in body.topological():
        op, sources = body.op(inner), set(map(producer, body.ins(inner)))
        if op.role == "const":
            invariant.add(inner)
        elif sources and sources <= invariant and sources & from_inputs and _can_hoist(body, inner, always_runs):
            invariant.add(inner)
            from_inputs.add(inner)
            nodes.add(inner)
    with_constants = nodes | {producer(ref) for inner in nodes for ref in body.ins(inner)}
    return [inner for inner in body.topological() if inner in with_constants.difference(body.inputs)]


def _can_hoist(body: Graph, inner: int, always_runs: bool) -> bool:
    op = body.op(inner)
    is_pure = op.role == "compute" and not op.effects and not body.regions(inner)
    is_ordered = bool(body.before(inner) or body.after(inner))
    can_speculate = op.family in NEVER_FAILING_FAMILIES or op.unit == "cube"
    return is_pure and not is_ordered and (always_runs or can_speculate)


def _results_used_by_rest(body: Graph, inner: int, hoisted: set[int]) -> list[Ref]:
    """The results of a hoisted node that nodes left in the body, or its outputs, use."""
    remaining = [user for user in body.users(inner) if user not in hoisted]
    used_refs = [ref for user in remaining for ref in body.ins(user)] + list(body.outs)
    return [ref for r in range(len(body.types(inner))) if (ref := reference(inner, r)) in used_refs]


# ---- rewriting the loop ----------------------------------------------------------------------------------------


def _emit_outside(graph: Graph, loop: int, body: Graph, nodes: list[int], values: dict[Ref, Ref]) -> dict[Ref, Ref]:
    """Copy nodes of a body to before the loop; ``values`` maps values of the body to copies, and is extended."""
    for inner in nodes:
        ins = tuple(values[ref] for ref in body.ins(inner))
        new_node = graph.graft(body.op(inner), ins, body.attrs(inner), body.types(inner), loc=body.loc(inner),
                           sources=(loop,))  # fmt: skip
        values.update((reference(inner, r), reference(new_node, r)) for r in range(len(body.types(inner))))
    return values


def _add_inputs(graph: Graph, node: int, region: int, inside: list[Ref], outside: list[Ref]) -> None:
    """Pass the values to all bodies as new inputs; in body ``region`` they replace the hoisted nodes."""
    bodies, source = [], graph.regions(node)[region]
    for k, old in enumerate(graph.regions(node)):
        body = old.clone()
        body.by = graph.by
        for ref in inside:
            name, loc = f"h{len(body.inputs)}", source.loc(producer(ref))
            new = body.graft(INPUT, (), {"name": name}, (source.type(ref),), loc=loc)
            body.inputs.append(new)
            if k == region:
                body.replace_uses({ref: new})
        if k == region:
            body.erase(_dead_nodes(body, [producer(ref) for ref in inside]))
        bodies.append(body)
    set_regions(graph, node, tuple(bodies))
    graph.set_operands(node, (*graph.ins(node), *outside))


def _dead_nodes(body: Graph, roots: list[int]) -> set[int]:
    """The replaced nodes and the nodes that only they used."""
    dead: set[int] = set()
    stack = list(dict.fromkeys(roots))
    while stack:
        inner = stack.pop()
        is_live = inner in body.inputs or body.is_out(inner) or not dead.issuperset(body.users(inner))
        if inner not in dead and not is_live:
            dead.add(inner)
            stack += map(producer, body.ins(inner))
    return dead


def _drop_unused(graph: Graph, node: int) -> None:
    """Remove the invariant operands that no body uses."""
    bodies = graph.regions(node)
    first, count = _varying_count(graph, node), len(graph.ins(node))
    unused = {k for k in range(first, count) if all(not body.use_count(body.inputs[k]) for body in bodies)}
    if unused:
        for body in bodies:
            assert isinstance(body, Graph)
            erased = [body.inputs[k] for k in unused]
            body.inputs = [inner for inner in body.inputs if inner not in erased]
            body.erase(erased)
        graph.set_operands(node, [ref for k, ref in enumerate(graph.ins(node)) if k not in unused])
