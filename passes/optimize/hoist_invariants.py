"""What a loop computes again and again from values that do not change is computed once, before it.

::

    %2 = while_loop(%0, %1) {carries=1}                %3 = matmul(%1, %1)
      (body: (x, w) -> x + w @ w)             ->       %4 = while_loop(%0, %1, %3) {carries=1}
                                                         (body: (x, w, h) -> x + h)

The loop may not run at all, so from a ``while_loop`` only what can never fail is hoisted: element by element,
reductions, products, views. The same operators run on the same values, so every bit stays.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.outline import set_regions
from minigraph.ir.records import INPUT
from minigraph.operators.regions import SCAN, WHILE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

NEVER_FAILING_FAMILIES = ("elementwise", "reduction", "view")  # families whose operators compute something of any values


@graph_pass
def hoist_invariants(graph: Graph, *, options: Options) -> None:
    """while: x + w @ w -> h = w @ w; while: x + h: what never changes in a loop moves out; keeps every bit.

    Out of ``while_loop`` and ``scan``; operands that no body uses then are dropped.
    """
    for node in [node for node in graph.topological() if graph.op(node) in (WHILE, SCAN)]:
        moved = sum(_hoist_from(graph, node, k) for k in range(len(graph.regions(node))))
        if moved:
            _drop_unused(graph, node)
            options.tally["hoist"].rewrites += moved


def _varying_count(graph: Graph, node: int) -> int:
    """How many of the first inputs of the bodies change from round to round."""
    attrs = graph.attrs(node)
    return int(attrs["carries"] + attrs.get("rows", 0))


# ---- what is invariant -------------------------------------------------------------------------------


def _hoist_from(graph: Graph, node: int, which: int) -> int:
    """Hoist from one body of a loop; returns how many nodes left it."""
    body = graph.regions(node)[which]
    assert isinstance(body, Graph)
    invariant = _invariant_nodes(body, body.inputs[_varying_count(graph, node) :], graph.op(node) is SCAN)
    computing = [inner for inner in invariant if not body.op(inner).is_leaf]
    if not computing or not should_rewrite(graph, "hoist", node):
        return 0
    outside: dict[Ref, Ref] = dict(zip(body.inputs, graph.ins(node), strict=True))
    values = _emit_outside(graph, node, body, invariant, outside)
    leaving = [ref for inner in computing for ref in _results_used_by_rest(body, inner, set(computing))]
    _add_inputs(graph, node, which, leaving, [values[ref] for ref in leaving])
    return len(computing)


def _invariant_nodes(body: Graph, given: list[int], runs: bool) -> list[int]:
    """The nodes made of unchanging inputs and constants alone, in order; those of constants alone are left to folding.

    ``runs``: the body is run at least once, so what may fail may be run before it.
    """
    known, rooted, found = set(given), set(given), set[int]()
    for inner in body.topological():
        op, sources = body.op(inner), set(map(producer, body.ins(inner)))
        if op.role == "const":
            known.add(inner)
        elif sources and sources <= known and sources & rooted and _can_hoist(body, inner, runs):
            known.add(inner)
            rooted.add(inner)
            found.add(inner)
    taken = found | {producer(ref) for inner in found for ref in body.ins(inner)}
    return [inner for inner in body.topological() if inner in taken.difference(body.inputs)]


def _can_hoist(body: Graph, inner: int, runs: bool) -> bool:
    op = body.op(inner)
    pure = op.role == "compute" and not op.effects and not body.regions(inner) and not body.before(inner)
    return pure and not body.after(inner) and (runs or op.family in NEVER_FAILING_FAMILIES or op.unit == "cube")


def _results_used_by_rest(body: Graph, inner: int, moved: set[int]) -> list[Ref]:
    """The results of a moved node that nodes that stay, or the outputs, take."""
    staying = [user for user in body.users(inner) if user not in moved]
    taken = [ref for user in staying for ref in body.ins(user)] + list(body.outs)
    return [ref for r in range(len(body.types(inner))) if (ref := reference(inner, r)) in taken]


# ---- the edit ----------------------------------------------------------------------------------------


def _emit_outside(graph: Graph, loop: int, body: Graph, nodes: list[int], values: dict[Ref, Ref]) -> dict[Ref, Ref]:
    """The nodes of a body, emitted around it on these values."""
    for inner in nodes:
        ins = tuple(values[ref] for ref in body.ins(inner))
        twin = graph.graft(body.op(inner), ins, body.attrs(inner), body.types(inner), loc=body.loc(inner),
                           sources=(loop,))  # fmt: skip
        values.update((reference(inner, r), reference(twin, r)) for r in range(len(body.types(inner))))
    return values


def _add_inputs(graph: Graph, node: int, which: int, inside: list[Ref], outside: list[Ref]) -> None:
    """Give the values to all bodies as further inputs; in one of them they replace what computed them."""
    bodies, source = [], graph.regions(node)[which]
    for k, old in enumerate(graph.regions(node)):
        body = old.clone()
        body.by = graph.by
        for ref in inside:
            name, loc = f"h{len(body.inputs)}", source.loc(producer(ref))
            new = body.graft(INPUT, (), {"name": name}, (source.type(ref),), loc=loc)
            body.inputs.append(new)
            if k == which:
                body.replace_uses({ref: new})
        if k == which:
            body.erase(_dead_nodes(body, [producer(ref) for ref in inside]))
        bodies.append(body)
    set_regions(graph, node, tuple(bodies))
    graph.set_operands(node, (*graph.ins(node), *outside))


def _dead_nodes(body: Graph, roots: list[int]) -> set[int]:
    """The replaced nodes and what only they needed."""
    gone: set[int] = set()
    stack = list(dict.fromkeys(roots))
    while stack:
        inner = stack.pop()
        needed = inner in body.inputs or body.is_out(inner) or not gone.issuperset(body.users(inner))
        if inner not in gone and not needed:
            gone.add(inner)
            stack += map(producer, body.ins(inner))
    return gone


def _drop_unused(graph: Graph, node: int) -> None:
    """Take away the unchanging operands that no body uses."""
    bodies = graph.regions(node)
    first, count = _varying_count(graph, node), len(graph.ins(node))
    unused = {k for k in range(first, count) if all(not body.use_count(body.inputs[k]) for body in bodies)}
    if unused:
        for body in bodies:
            assert isinstance(body, Graph)
            gone = [body.inputs[k] for k in unused]
            body.inputs = [inner for inner in body.inputs if inner not in gone]
            body.erase(gone)
        graph.set_operands(node, [ref for k, ref in enumerate(graph.ins(node)) if k not in unused])
