"""The single rewrites of a run: which edits belong to which rule at which node, as steps that can be replayed.

Rules that replace are applied one after the other, so that the journal's own order tells them apart. Rules that
fuse, and passes that merge or fold, first choose all places and edit then: there an edit belongs to the rewrite
whose nodes it adds or erases, and the operands of one user may change in several steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from minigraph.ir.reading import Ref, producer
from viz.explore.journal import RecordingJournal, WiringEdit, Wiring

OUTS = -1  # stands for the node that takes what the graph returns


class Change(NamedTuple):
    """A node's wiring from here on; ``None``: the node is gone."""

    node: int
    wiring: Wiring | None


class _Operand(NamedTuple):
    """One operand that becomes another value."""

    node: int
    position: int
    ref: Ref


@dataclass
class Step:
    """One step to look at: a pass (``rule`` empty) or a single rewrite of it, with what it changes.

    ``node`` is where the rule matched, ``lines`` the user's lines of that, ``loc`` the rule's file:line. ``record`` is
    the position of its pass.
    """

    by: str
    record: int
    rule: str = ""
    loc: str = ""
    node: int = -1
    lines: tuple[str, ...] = ()
    changes: list[Change] = field(default_factory=list)


def steps_of(film: RecordingJournal, records: Sequence[Any]) -> list[Step]:
    """The steps of all passes that changed something, in order; ``records`` are those of the record_run run."""
    state = dict(film.first)
    state[OUTS] = Wiring(film.outs)
    at = len(film) - sum(len(record.edits) for record in records)
    for shot in film.wiring_edits[:at]:  # what happened before the first pass belongs to the first graph
        _apply(state, [_change_of(shot)])
    film.first = {node: wiring for node, wiring in state.items() if node != OUTS}
    film.outs = state[OUTS].ins
    steps: list[Step] = []
    for number, record in enumerate(records):
        shots = film.wiring_edits[at : at + len(record.edits)]
        at += len(record.edits)
        steps += _steps_of_pass(film, number, record, shots, state)
    return steps


def _steps_of_pass(
    film: RecordingJournal, number: int, record: Any, shots: Sequence[WiringEdit], state: dict[int, Wiring]
) -> Iterator[Step]:
    """The steps of one pass, which are also applied to ``state``."""
    taken = [one for one in getattr(record, "rewrites", ()) if one.rule]
    chosen = [(start, list(group)) for start, group in groupby(taken, key=lambda one: int(one.start))]
    if not chosen or chosen[0][0]:
        chosen = [(0, []), *chosen]
    ends = [start for start, _ in chosen[1:]] + [len(shots)]
    for (start, rewrites), end in zip(chosen, ends, strict=True):
        if start == end:
            continue
        plain = [Step(record.name, number, one.rule, one.loc, one.node, one.lines) for one in rewrites]
        if len(plain) > 1:
            yield from _split(film, plain, shots[start:end], state)
        else:
            step = plain[0] if plain else Step(record.name, number)
            step.changes = _net_changes(shots[start:end], state)
            _apply(state, step.changes)
            yield step


def _net_changes(shots: Iterable[WiringEdit], state: dict[int, Wiring]) -> list[Change]:
    """The changes that shots make together: per node the last, those without effect left out."""
    last = {change.node: change for change in map(_change_of, shots)}
    return [change for change in last.values() if state.get(change.node) != change.wiring]


def _change_of(shot: WiringEdit) -> Change:
    if shot.verb == "outs":
        return Change(OUTS, shot.wiring)
    return Change(shot.node, None if shot.verb == "erase" else shot.wiring)


def _apply(state: dict[int, Wiring], changes: Iterable[Change]) -> None:
    for node, wiring in changes:
        if wiring is None:
            state.pop(node, None)
        else:
            state[node] = wiring


# ---- many rewrites, edited together ------------------------------------------------------------------


class _DisjointSets:
    """Nodes that belong together, by union and find."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self.parent = {node: node for node in nodes}

    def find(self, node: int) -> int | None:
        """The representative of a node's set; ``None`` for a node that is in none."""
        if node not in self.parent:
            return None
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, one: int, other: int) -> None:
        """Make the sets of two nodes one, if both are in a set."""
        first, second = self.find(one), self.find(other)
        if first is not None and second is not None:
            self.parent[second] = first


def _split(film: RecordingJournal, steps: list[Step], shots: Sequence[WiringEdit], state: dict[int, Wiring]) -> Iterator[Step]:
    """The steps, each with the part of the shots that concerns its nodes."""
    changes = _net_changes(shots, state)
    sets = _node_sets(film, changes, state)
    owner = {sets.find(step.node): step for step in reversed(steps)}
    parts: dict[int, list[Change | _Operand]] = {id(step): [] for step in steps}
    for change in changes:
        for part, of in _split_change(change, sets, state):
            parts[id(owner.get(sets.find(of), steps[-1]))].append(part)
    for step in steps:
        step.changes = [_updated_change(part, state) for part in parts[id(step)]]
        _apply(state, step.changes)
        if step.changes:
            yield step


def _node_sets(film: RecordingJournal, changes: Sequence[Change], state: dict[int, Wiring]) -> _DisjointSets:
    """New nodes with the erased ones they stand for."""
    touched = [node for node, wiring in changes if wiring is None or node not in state]
    sets = _DisjointSets(node for node in touched if node != OUTS)
    for node, wiring in changes:
        if wiring is not None and node not in state:
            for source in film.nodes[node]["prov"].sources:
                sets.join(source, node)
        if wiring is not None and node in state:
            for old, new in zip(state[node].ins, wiring.ins, strict=False):
                sets.join(producer(old), producer(new))
    return sets


def _split_change(change: Change, sets: _DisjointSets, state: dict[int, Wiring]) -> Iterator[tuple[Change | _Operand, int]]:
    """A change cut into one part per operand that differs, each with the node that says whose it is."""
    old, new = state.get(change.node), change.wiring
    whole = old is None or new is None or len(old.ins) != len(new.ins) or old.before != new.before
    if whole or old is None or new is None:
        yield change, change.node if sets.find(change.node) is not None else _cause(new, sets)
        return
    for k, (was, now) in enumerate(zip(old.ins, new.ins, strict=True)):
        if was != now:
            cause = producer(was) if sets.find(producer(was)) is not None else producer(now)
            yield _Operand(change.node, k, now), cause


def _cause(wiring: Wiring | None, sets: _DisjointSets) -> int:
    """A node of a set that the wiring leads to."""
    nodes = [producer(ref) for ref in wiring.ins] + [node for node, _ in wiring.before] if wiring else []
    return next((node for node in nodes if sets.find(node) is not None), -2)


def _updated_change(part: Change | _Operand, state: dict[int, Wiring]) -> Change:
    """The change with the operand it concerns put into the wiring as it is now; that becomes the state."""
    if isinstance(part, Change):
        return part
    now = state[part.node]
    state[part.node] = now._replace(ins=(*now.ins[: part.position], part.ref, *now.ins[part.position + 1 :]))
    return Change(part.node, state[part.node])
