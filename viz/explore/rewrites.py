"""Divides the edits of a pass into single rewrites: which edit belongs to which rule at which node.

The problem: the explorer steps through rewrites, but the journal only lists edits. Rules that replace nodes are applied
one by one, so the order of the journal separates them. Fusion rules, and passes that merge or fold nodes, first select
all matches and then edit the graph. There the nodes that a rewrite adds and the nodes it erases are joined into one set
(union-find): by provenance, and by operands that changed from an erased to a new node. An edit belongs to the rewrite
whose set contains its node; the operands of one user may change in several steps.

Invariant: replaying the changes of all steps gives the optimised graph. An edit that cannot be assigned belongs to the
last rewrite of its group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from minigraph.ir.edges import Edit
from minigraph.ir.graph_reader import Ref, producer
from viz.explore.journal import InEdges, RecordingJournal

OUTPUT_NODE = -1  # the pseudo-node whose operands are the outputs of the graph
NO_NODE = -2  # a node id that is in no set

Change = tuple[int, InEdges | None]  # a node and its new incoming edges; ``None``: the node is erased


class _OperandChange(NamedTuple):
    """One replaced operand: a user, the operand's position, and the new operand."""

    node: int
    position: int
    ref: Ref


@dataclass(slots=True)
class Step:
    """One step: a pass (``rule`` is empty) or one of its rewrites, with its changes.

    ``pass_name`` names the pass or, for a tape, the phase. ``record`` is the position of its record, ``loc`` the rule's
    file:line, and ``node`` the root of the match.
    """

    pass_name: str
    record: int
    rule: str = ""
    loc: str = ""
    node: int = -1
    changes: list[Change] = field(default_factory=list)


def steps_of(journal: RecordingJournal, records: Sequence[Any]) -> list[Step]:
    """The steps of all passes that changed the graph, in order; ``records`` are the records of that run."""
    state = dict(journal.initial)
    state[OUTPUT_NODE] = journal.outs, ()
    changes = [_change_of(edit, in_edges) for edit, in_edges in zip(journal, journal.in_edges, strict=True)]
    start = len(journal) - sum(len(record.edits) for record in records)
    _apply_changes(state, changes[:start])  # edits before the first pass belong to the initial graph
    journal.initial = {node: in_edges for node, in_edges in state.items() if node != OUTPUT_NODE}
    journal.outs = state[OUTPUT_NODE][0]
    steps: list[Step] = []
    for number, record in enumerate(records):
        edits = changes[start : start + len(record.edits)]
        start += len(record.edits)
        steps += _steps_of_pass(journal, number, record, edits, state)
    return steps


def _steps_of_pass(
    journal: RecordingJournal, number: int, record: Any, edits: Sequence[Change], state: dict[int, InEdges]
) -> Iterator[Step]:
    """The steps of one pass; applies them to ``state``."""
    rewrites = [rewrite for rewrite in getattr(record, "rewrites", ()) if rewrite.rule]
    groups = [(start, list(group)) for start, group in groupby(rewrites, key=lambda rewrite: int(rewrite.first_edit))]
    if not groups or groups[0][0]:
        groups = [(0, []), *groups]
    ends = [start for start, _ in groups[1:]] + [len(edits)]
    for (start, group), end in zip(groups, ends, strict=True):
        if start == end:
            continue
        steps = [Step(record.name, number, r.rule, r.loc, r.node) for r in group]
        if len(steps) > 1:
            yield from _split_group(journal, steps, edits[start:end], state)
        else:
            step = steps[0] if steps else Step(record.name, number)
            step.changes = _net_changes(edits[start:end], state)
            _apply_changes(state, step.changes)
            yield step


def _net_changes(edits: Iterable[Change], state: dict[int, InEdges]) -> list[Change]:
    """The net effect of edits: the last change of each node, without those that change nothing."""
    return [(node, in_edges) for node, in_edges in dict(edits).items() if state.get(node) != in_edges]


def _change_of(edit: Edit, in_edges: InEdges) -> Change:
    """An edit as a change; ``in_edges`` are the incoming edges of its node after the edit."""
    if edit.verb == "outs":
        return OUTPUT_NODE, in_edges
    return edit.node, None if edit.verb == "erase" else in_edges


def _apply_changes(state: dict[int, InEdges], changes: Iterable[Change]) -> None:
    for node, in_edges in changes:
        if in_edges is None:
            state.pop(node, None)
        else:
            state[node] = in_edges


# ---- groups of rewrites ------------------------------------------------------------------------------


class _DisjointSets:
    """Disjoint sets of nodes (union-find with path halving)."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self.parent = {node: node for node in nodes}

    def find(self, node: int) -> int | None:
        """The representative of a node's set; ``None`` for an unknown node."""
        if node not in self.parent:
            return None
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, first: int, second: int) -> None:
        """Merge the sets of two nodes, if both are known."""
        root, other_root = self.find(first), self.find(second)
        if root is not None and other_root is not None:
            self.parent[other_root] = root


def _split_group(
    journal: RecordingJournal, steps: list[Step], edits: Sequence[Change], state: dict[int, InEdges]
) -> Iterator[Step]:
    """The steps of a group, each with the changes of its own set of nodes."""
    changes = _net_changes(edits, state)
    sets = _node_sets(journal, changes, state)
    owner = {sets.find(step.node): step for step in reversed(steps)}
    changes_of: dict[int, list[Change | _OperandChange]] = {id(step): [] for step in steps}
    for change in changes:
        for item, node in _split_change(change, sets, state):
            changes_of[id(owner.get(sets.find(node), steps[-1]))].append(item)
    for step in steps:
        step.changes = [_updated_change(item, state) for item in changes_of[id(step)]]
        _apply_changes(state, step.changes)
        if step.changes:
            yield step


def _node_sets(journal: RecordingJournal, changes: Sequence[Change], state: dict[int, InEdges]) -> _DisjointSets:
    """The sets of new nodes and the erased nodes they replace."""
    new_or_erased = [node for node, in_edges in changes if in_edges is None or node not in state]
    sets = _DisjointSets(node for node in new_or_erased if node != OUTPUT_NODE)
    for node, in_edges in changes:
        if in_edges is not None and node not in state:
            for source in journal.nodes[node]["prov"].sources:
                sets.join(source, node)
        if in_edges is not None and node in state:
            for old, new in zip(state[node][0], in_edges[0], strict=False):
                sets.join(producer(old), producer(new))
    return sets


def _split_change(
    change: Change, sets: _DisjointSets, state: dict[int, InEdges]
) -> Iterator[tuple[Change | _OperandChange, int]]:
    """A change divided into changed operands, each with a node of the set it belongs to."""
    node, new = change
    old = state.get(node)
    if old is None or new is None or len(old[0]) != len(new[0]) or old[1] != new[1]:
        yield change, node if sets.find(node) is not None else _cause(new, sets)
        return
    for k, (old_ref, new_ref) in enumerate(zip(old[0], new[0], strict=True)):
        if old_ref != new_ref:
            cause = producer(old_ref) if sets.find(producer(old_ref)) is not None else producer(new_ref)
            yield _OperandChange(node, k, new_ref), cause


def _cause(in_edges: InEdges | None, sets: _DisjointSets) -> int:
    """A predecessor by incoming edges that belongs to a set; ``NO_NODE`` if there is none."""
    nodes = [producer(ref) for ref in in_edges[0]] + [node for node, _ in in_edges[1]] if in_edges else []
    return next((node for node in nodes if sets.find(node) is not None), NO_NODE)


def _updated_change(item: Change | _OperandChange, state: dict[int, InEdges]) -> Change:
    """The change; for a replaced operand, the node's current incoming edges with it, which are stored in ``state``."""
    if not isinstance(item, _OperandChange):
        return item
    ins, before = state[item.node]
    state[item.node] = (*ins[: item.position], item.ref, *ins[item.position + 1 :]), before
    return item.node, state[item.node]
