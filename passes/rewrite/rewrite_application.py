"""Applies a rule to one match: checks uses, order edges, convexity, types, effects and memory order, then replaces.

A rewrite is rejected, with the graph unchanged, if a node to be erased has other uses, if the result would have a
cycle, or if users could observe another memory order or a lost order edge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, NoReturn

from minigraph.core.errors import RuleError
from minigraph.core.op import Op
from minigraph.core.op_fields import Work
from minigraph.ir.convexity import TopologicalPositions
from minigraph.ir.graph import Graph, Ref, producer, reference
from passes.rewrite.match import Match
from passes.rewrite.replacement import Builder, Refs
from passes.rewrite.rule_spec import RuleSpec

ORDER, CYCLE, OTHER_MEMORY_ORDER, OTHER_USES = "order", "cycle", "memory order", "other uses"  # reasons for rejection
MAX_NEARBY_NODES = 32  # ancestors checked before a full path search


class Rewrite(NamedTuple):
    """The result of one rewrite: ids of new nodes, users whose operands changed, operands that lost a user.

    ``recomputed_work`` is the work of matched nodes that stay, and so are computed twice.
    """

    new_nodes: range
    users: Collection[int]
    released_operands: Collection[int]
    recomputed_work: Work | None


def apply_rewrite(
    rule: RuleSpec, build: Builder, match: Match, convexity: TopologicalPositions
) -> Rewrite | str | None:
    """Replace a match, or return the reason for rejecting it (``None``: the rule's function does not apply).

    Raises ``RuleError`` naming the rule, with the graph unchanged, if a computed rule returns values of other types or
    no values of the graph, erases an effect, or leaves nodes behind. Errors of its function get a note.
    """
    graph = match.graph
    erased = _nodes_to_erase(rule, match)
    if erased is None:
        return OTHER_USES
    ordered = [node for node in erased if graph.before(node) or graph.after(node)] if graph.has_order else []
    may_be_nonconvex = match.results > 1 or (
        ordered and any(graph.after(node) for node in ordered if node not in match.roots)
    )
    if may_be_nonconvex and convexity.find_reentry(set(erased)) is not None:
        return CYCLE
    first_new = graph.next_id
    new = _call_builder(rule, build, match)
    new_nodes = range(first_new, graph.next_id)
    if new is None or isinstance(new, str):
        return _check_nothing_emitted(rule, match, new, new_nodes)
    old: Refs = match.roots
    if not match.values:  # a computed rule; a template is typed before it is emitted and uses values below the roots
        old = _results(match)
        _check_results(rule, match, old, new, new_nodes)
        _check_acyclic(rule, match, new, new_nodes)
    mapping: dict[Ref, Ref] = dict(zip(old, new, strict=True))
    reason = (
        "" if all(map(new_nodes.__contains__, new)) else _rejection_reason(rule, graph, mapping, new_nodes, ordered)
    )
    if reason:
        _undo(graph, new_nodes)
        return reason
    return _replace_match(rule, match, mapping, erased, ordered, new_nodes)


def _nodes_to_erase(rule: RuleSpec, match: Match) -> tuple[int, ...] | None:
    """The matched nodes to erase; ``None`` if a variable of the pattern is one of them."""
    nodes = match.nodes
    if len(nodes) == 1:
        return nodes
    if rule.recompute:
        return match.removable_nodes({producer(ref) for ref in match.refs()})
    inside = set(nodes)
    for ref in match.refs():
        if (ref if ref.__class__ is int else ref[0]) in inside:  # type: ignore[index]
            return None
    return nodes


def _results(match: Match) -> Refs:
    """The values to replace: the result of each root, or all results of the node of a computed rule."""
    types = match.graph.types(match.root)
    return match.roots if len(types) == 1 else tuple(reference(match.root, r) for r in range(len(types)))


def _call_builder(rule: RuleSpec, build: Builder, match: Match) -> Refs | str | None:
    """Call ``build``; if it raises, undo its nodes and note the rule and the node in the error."""
    first_new = match.graph.next_id
    try:
        return build(match)
    except Exception as error:
        _undo(match.graph, range(first_new, match.graph.next_id))
        error.add_note(f"in {rule.label} at {match.location}")
        raise


# ---- checks ----------------------------------------------------------------------------------------


def _check_nothing_emitted(rule: RuleSpec, match: Match, reason: str | None, new_nodes: range) -> str | None:
    if new_nodes:
        _undo(match.graph, new_nodes)
        raise RuleError(
            f"{rule.label}: it emitted nodes at {match.location} and then did not use them; return before emitting"
        )
    return reason


def _check_results(rule: RuleSpec, match: Match, old: Refs, new: Refs, new_nodes: range) -> None:
    """Check that count and types of the results match and no effect is lost; else undo the rewrite and raise."""
    graph = match.graph
    if len(old) != len(new):
        _refuse(rule, match, new_nodes, f"it gives {len(new)} values for {len(old)} results of {match.location}")
    for ref in new:
        if not _is_value(graph, ref):
            _refuse(
                rule, match, new_nodes, f"it gives {ref!r:.40} for {match.location}, which is not a value of the graph"
            )
    for before, after in zip(old, new, strict=True):
        if graph.type(before) != graph.type(after):
            problem = f"{graph.type(before)} of {match.location} would become {graph.type(after)}"
            _refuse(rule, match, new_nodes, problem)
    if graph.keep_effects and any(map(graph.writes, match.roots)) and not any(map(graph.writes, new_nodes)):
        _refuse(rule, match, new_nodes, f"it would erase the effect of {match.location}")


def _is_value(graph: Graph, ref: object) -> bool:
    parts = ref if isinstance(ref, tuple) else (ref, 0)
    if len(parts) != 2 or not all(isinstance(part, int) for part in parts) or parts[0] not in graph:
        return False
    return 0 <= parts[1] < len(graph.types(parts[0]))


def _check_acyclic(rule: RuleSpec, match: Match, new: Refs, new_nodes: range) -> None:
    """Check that the replacement of a computed rule does not depend on the replaced node, except through new nodes.

    Values matched by a pattern are always below its roots.
    """
    graph, root = match.graph, match.root
    used_nodes = {producer(ref) for ref in new} | {source for node in new_nodes for source in graph.predecessors(node)}
    for node in used_nodes.difference(new_nodes, (root,)):
        if not _is_near_ancestor(graph, node, root) and _has_path(graph, root, node):
            _refuse(rule, match, new_nodes, f"its result %{node} depends on {match.location} itself")


def _is_near_ancestor(graph: Graph, node: int, root: int) -> bool:
    """Whether a node is one of the nearest ancestors of ``root``: the usual case, found without a full search."""
    ancestors = [root]
    for user in ancestors:  # grows during the loop
        if len(ancestors) > MAX_NEARBY_NODES:
            break
        ancestors += graph.predecessors(user)
    return node in ancestors


def _has_path(graph: Graph, first: int, last: int) -> bool:
    stack, seen, succ = [first], {first}, graph.succ_map()
    while stack:
        users = succ[stack.pop()]
        if last in users:
            return True
        unseen = [user for user in users if user not in seen]
        seen.update(unseen)
        stack += unseen
    return False


def _refuse(rule: RuleSpec, match: Match, new_nodes: range, problem: str) -> NoReturn:
    _undo(match.graph, new_nodes)
    raise RuleError(f"{rule.label}: {problem}; correct its replacement or add where=")


def _undo(graph: Graph, new_nodes: range) -> None:
    for node in reversed(new_nodes):
        if node in graph:
            graph.discard(node)


def _rejection_reason(
    rule: RuleSpec, graph: Graph, mapping: dict[Ref, Ref], new_nodes: range, ordered: list[int]
) -> str:
    """Why existing values cannot replace the old ones; "" if the difference is not observable."""
    has_predecessors = any(map(graph.before, ordered))
    for old, new in mapping.items():
        if producer(new) not in new_nodes:
            if not (rule.same_memory or is_interchangeable(graph, producer(old), producer(new))):
                return OTHER_MEMORY_ORDER
            if has_predecessors and graph.is_out(producer(old)):
                return ORDER
    return ""


def has_c_order_result(op: Op) -> bool:
    """Whether an operator returns a new array in C order: operators with ``out=`` and reductions do."""
    return (op.into and not op.view) or op.family == "reduction"


def is_interchangeable(graph: Graph, old: int, new: int) -> bool:
    """Whether no user can observe that ``new`` has another memory order, or other memory, than the equal ``old``.

    Elementwise operators and reductions do not depend on the memory order of operands. A matrix product may round
    differently on a transposed view, and a caller may write into an output.
    """
    if has_c_order_result(graph.op(new)):
        return True
    users = (graph.op(user).family for user in graph.users(old))
    return not graph.is_out(old) and all(family in ("elementwise", "reduction") for family in users)


# ---- replacing the match --------------------------------------------------------------------------------------


def _replace_match(
    rule: RuleSpec, match: Match, mapping: dict[Ref, Ref], erased: tuple[int, ...], ordered: list[int], new_nodes: range
) -> Rewrite:
    graph = match.graph
    succ, pred = graph.succ_map(), graph.pred_map()
    if not match.values and any(match.root in pred[node] for node in new_nodes):
        erased = ()  # the replacement of a computed rule uses the replaced node
    if ordered:
        _move_order_edges(graph, match.roots, ordered, set(erased), tuple(mapping.values()), new_nodes)
    recomputed = [node for node in match.nodes if node not in erased] if rule.recompute else []
    recomputed_work = sum((graph.work(node) for node in recomputed), Work()) if recomputed else None
    users = [user for ref in mapping for user in succ[producer(ref)] if user not in erased and user not in new_nodes]
    released_operands = {source for node in erased for source in pred[node] if source not in erased}
    if match.values and not ordered and _is_one_for_one(graph, mapping, users, new_nodes):
        graph.replace_node(match.root, *mapping.values())  # type: ignore[arg-type]
        graph.discard_all(erased)
    else:
        graph.replace_uses(mapping, keep=(*erased, *new_nodes))
        for node in erased:
            graph.discard(node)
    return Rewrite(new_nodes, users, released_operands, recomputed_work)


def _is_one_for_one(graph: Graph, mapping: Mapping[Ref, Ref], users: Collection[int], new_nodes: range) -> bool:
    """Whether one node is replaced by one new unused node that takes over all uses: the usual case."""
    if len(mapping) != 1:
        return False
    ((old, new),), succ = mapping.items(), graph.succ_map()
    return new in new_nodes and not succ[producer(new)] and len(users) == len(succ[producer(old)])


def _move_order_edges(
    graph: Graph, roots: Iterable[int], ordered: list[int], erased: set[int], new: Refs, new_nodes: range
) -> None:
    """Move order edges of the erased nodes to the new nodes, or to the users if there are no new nodes."""
    before_edges = [
        (first, graph.order_kind(first, n)) for n in ordered for first in graph.before(n) if first not in erased
    ]
    after_edges = [(last, graph.order_kind(n, last)) for n in ordered for last in graph.after(n) if last not in erased]
    computing = [node for node in new_nodes if not graph.op(node).is_leaf]
    targets = computing or [user for root in roots for user in graph.users(root)]
    results = [node for node in dict.fromkeys(map(producer, new)) if not graph.op(node).is_leaf]
    for first, kind in before_edges:
        for target in targets:
            graph.order(first, target, kind)
    for last, kind in after_edges:
        for before in (*results, *(() if computing else (first for first, _ in before_edges))):
            graph.order(before, last, kind)
