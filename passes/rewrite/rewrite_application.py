"""Replacing one match, checked before anything changes: uses, order, convexity, types, effects, memory order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, NoReturn

from minigraph.core.errors import RuleError
from minigraph.core.fields import Work
from minigraph.core.op import Op
from minigraph.ir.convexity import Places
from minigraph.ir.graph import Graph, Ref, producer, reference
from passes.rewrite.match import Match
from passes.rewrite.replacement import Builder, Refs
from passes.rewrite.rule_spec import RuleSpec

ORDER, CYCLE, MEMORY, OTHER_USES = "order", "cycle", "memory order", "other uses"
MAX_NEARBY_NODES = 32  # nodes below a node that are looked at before a path is searched


class Rewrite(NamedTuple):
    """What one rewrite did: ids of new nodes, users that take other values now, operands that lost a user."""

    made: range
    users: Collection[int]
    freed: Collection[int]
    added: Work | None


def apply_rewrite(rule: RuleSpec, build: Builder, match: Match, places: Places) -> Rewrite | str | None:
    """Replace a match, or say in a word why not (``None``: the rule itself has nothing to say here).

    Raises ``RuleError`` naming the rule, with the graph as it was, when a computed rule gives values of other
    types or none at all, erases an effect, or leaves nodes behind; what its function raises gets a note.
    """
    graph = match.graph
    dying = _nodes_to_erase(rule, match)
    if dying is None:
        return OTHER_USES
    ordered = [node for node in dying if graph.before(node) or graph.after(node)] if graph.has_order else []
    leaving = match.results > 1 or (ordered and any(graph.after(node) for node in ordered if node not in match.roots))
    if leaving and places.path_back(set(dying)) is not None:
        return CYCLE
    first_new = graph.next_id
    new = _call_builder(rule, build, match)
    made = range(first_new, graph.next_id)
    if new is None or isinstance(new, str):
        return _check_nothing_emitted(rule, match, new, made)
    old: Refs = match.roots
    if not match.values:  # computed; a template is typed before it is emitted, and what it takes is below the roots
        old = _results(match)
        _check_results(rule, match, old, new, made)
        _check_acyclic(rule, match, new, made)
    mapping: dict[Ref, Ref] = dict(zip(old, new, strict=True))
    reason = "" if all(map(made.__contains__, new)) else _refusal_reason(rule, graph, mapping, made, ordered)
    if reason:
        _undo(graph, made)
        return reason
    return _replace_match(rule, match, mapping, dying, ordered, made)


def _nodes_to_erase(rule: RuleSpec, match: Match) -> tuple[int, ...] | None:
    """The nodes that go; ``None`` when one of them is still needed."""
    nodes = match.nodes
    if len(nodes) == 1:
        return nodes
    if rule.recompute:
        return match.dying({producer(ref) for ref in match.refs()})
    inside = set(nodes)
    for ref in match.refs():
        if (ref if ref.__class__ is int else ref[0]) in inside:  # type: ignore[index]
            return None
    return nodes


def _results(match: Match) -> Refs:
    """What is replaced: the single result of every root, or all results of the node of a computed rule."""
    types = match.graph.types(match.root)
    return match.roots if len(types) == 1 else tuple(reference(match.root, r) for r in range(len(types)))


def _call_builder(rule: RuleSpec, build: Builder, match: Match) -> Refs | str | None:
    """What ``build`` makes; where it raises, nothing stays of it, and the error says in which rule and where."""
    first_new = match.graph.next_id
    try:
        return build(match)
    except Exception as error:
        _undo(match.graph, range(first_new, match.graph.next_id))
        error.add_note(f"in {rule.at} at {match.place}")
        raise


# ---- checks ----------------------------------------------------------------------------------------


def _check_nothing_emitted(rule: RuleSpec, match: Match, reason: str | None, made: range) -> str | None:
    if made:
        _undo(match.graph, made)
        raise RuleError(
            f"{rule.at}: it emitted nodes at {match.place} and then did not use them; return before emitting"
        )
    return reason


def _check_results(rule: RuleSpec, match: Match, old: Refs, new: Refs, made: range) -> None:
    """The results are as many and of the same types, and no effect goes; else nothing stays of the rewrite."""
    graph = match.graph
    if len(old) != len(new):
        _refuse(rule, match, made, f"it gives {len(new)} values for {len(old)} results of {match.place}")
    for ref in new:
        if not _is_value(graph, ref):
            _refuse(rule, match, made, f"it gives {ref!r:.40} for {match.place}, which is no value of the graph")
    for before, after in zip(old, new, strict=True):
        if graph.type(before) != graph.type(after):
            what = f"{graph.type(before)} of {match.place} would become {graph.type(after)}"
            _refuse(rule, match, made, what)
    if graph.keep_effects and any(map(graph.writes, match.roots)) and not any(map(graph.writes, made)):
        _refuse(rule, match, made, f"it would erase the effect of {match.place}")


def _is_value(graph: Graph, ref: object) -> bool:
    parts = ref if isinstance(ref, tuple) else (ref, 0)
    if len(parts) != 2 or not all(isinstance(part, int) for part in parts) or parts[0] not in graph:
        return False
    return 0 <= parts[1] < len(graph.types(parts[0]))


def _check_acyclic(rule: RuleSpec, match: Match, new: Refs, made: range) -> None:
    """What replaces a node is not made of that node; only new nodes may stand on top of it.

    Asked of computed rules: what a pattern finds is below its roots.
    """
    graph, root = match.graph, match.root
    taken = {producer(ref) for ref in new} | {source for node in made for source in graph.predecessors(node)}
    for node in taken.difference(made, (root,)):
        if not _is_near_ancestor(graph, node, root) and _has_path(graph, root, node):
            _refuse(rule, match, made, f"%{node}, which it gives, is made of {match.place} itself")


def _is_near_ancestor(graph: Graph, node: int, root: int) -> bool:
    """Whether a node is one of the nearest that ``root`` is made of: nearly always, and found without a search."""
    near = [root]
    for user in near:  # grows while it is walked
        if len(near) > MAX_NEARBY_NODES:
            break
        near += graph.predecessors(user)
    return node in near


def _has_path(graph: Graph, first: int, last: int) -> bool:
    stack, seen, succ = [first], {first}, graph.succ_map()
    while stack:
        users = succ[stack.pop()]
        if last in users:
            return True
        fresh = [user for user in users if user not in seen]
        seen.update(fresh)
        stack += fresh
    return False


def _refuse(rule: RuleSpec, match: Match, made: range, what: str) -> NoReturn:
    _undo(match.graph, made)
    raise RuleError(f"{rule.at}: {what}; correct its replacement or add where=")


def _undo(graph: Graph, made: range) -> None:
    for node in reversed(made):
        if node in graph:
            graph.discard(node)


def _refusal_reason(rule: RuleSpec, graph: Graph, mapping: dict[Ref, Ref], made: range, ordered: list[int]) -> str:
    """Why values that are there already cannot stand for the old ones; "" when nobody can tell."""
    waiting = any(map(graph.before, ordered))
    for old, new in mapping.items():
        if producer(new) not in made:
            if not (rule.same_memory or is_interchangeable(graph, producer(old), producer(new))):
                return MEMORY
            if waiting and graph.is_out(producer(old)):
                return ORDER
    return ""


def has_c_order_result(op: Op) -> bool:
    """Whether an operator's result is a fresh array in C order: what takes ``out=`` does so, and reductions do."""
    return (op.into and not op.view) or op.family == "reduction"


def is_interchangeable(graph: Graph, old: int, new: int) -> bool:
    """Whether nobody can tell two equal arrays apart by their memory.

    Elementwise operators and reductions do not care for their operands' order; a matrix product may round
    differently on a transposed view, and a caller may write into an output.
    """
    if has_c_order_result(graph.op(new)):
        return True
    users = (graph.op(user).family for user in graph.users(old))
    return not graph.is_out(old) and all(family in ("elementwise", "reduction") for family in users)


# ---- the edit --------------------------------------------------------------------------------------


def _replace_match(
    rule: RuleSpec, match: Match, mapping: dict[Ref, Ref], dying: tuple[int, ...], ordered: list[int], made: range
) -> Rewrite:
    graph = match.graph
    succ, pred = graph.succ_map(), graph.pred_map()
    if not match.values and any(match.root in pred[node] for node in made):
        dying = ()  # a computed rule that puts something on top of its node
    if ordered:
        _move_order_edges(graph, match.roots, ordered, set(dying), tuple(mapping.values()), made)
    staying = [node for node in match.nodes if node not in dying] if rule.recompute else []
    added = sum((graph.work(node) for node in staying), Work()) if staying else None
    users = [user for ref in mapping for user in succ[producer(ref)] if user not in dying and user not in made]
    freed = {source for node in dying for source in pred[node] if source not in dying}
    if match.values and not ordered and _is_one_for_one(graph, mapping, users, made):
        graph.supersede(match.root, *mapping.values())  # type: ignore[arg-type]
        graph.discard_all(dying)
    else:
        graph.replace_uses(mapping, keep=(*dying, *made))
        for node in dying:
            graph.discard(node)
    return Rewrite(made, users, freed, added)


def _is_one_for_one(graph: Graph, mapping: Mapping[Ref, Ref], users: Collection[int], made: range) -> bool:
    """Whether one node is replaced by a new one that nobody uses, and all its uses go on: nearly always."""
    if len(mapping) != 1:
        return False
    ((old, new),), succ = mapping.items(), graph.succ_map()
    return new in made and not succ[producer(new)] and len(users) == len(succ[producer(old)])


def _move_order_edges(
    graph: Graph, roots: Iterable[int], ordered: list[int], dying: set[int], new: Refs, made: range
) -> None:
    """What ran before the old nodes runs before the new ones, or before the users when there are none; and after."""
    firsts = [(first, graph.order_kind(first, n)) for n in ordered for first in graph.before(n) if first not in dying]
    lasts = [(last, graph.order_kind(n, last)) for n in ordered for last in graph.after(n) if last not in dying]
    computing = [node for node in made if not graph.op(node).is_leaf]
    targets = computing or [user for root in roots for user in graph.users(root)]
    heirs = [node for node in dict.fromkeys(map(producer, new)) if not graph.op(node).is_leaf]
    for first, kind in firsts:
        for target in targets:
            graph.order(first, target, kind)
    for last, kind in lasts:
        for before in (*heirs, *(() if computing else (first for first, _ in firsts))):
            graph.order(before, last, kind)
