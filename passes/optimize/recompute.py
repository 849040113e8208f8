"""Cheap values are computed anew where the backward part needs them, instead of being kept that long.

::

    %3 = gelu(%2)                              %3 = gelu(%2)
    %4 = matmul(%3, %1)            ->          %4 = matmul(%3, %1)
    ...                                        ...
    %9 = matmul(%8, %3)                        %10 = gelu(%2) after %7(effect)
                                               %9 = matmul(%8, %10)

Activation checkpointing (Chen et al. 2016, arXiv 1604.06174), value by value: what is alive where memory is fullest,
is not used there, and is made element by element of values that are kept anyway. Order edges keep the copy where it
is needed, behind the fullest place, and keep ``cse`` from merging it. The same operators run, so every bit stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from minigraph.ir.graph import Graph, Ref
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.buffer_assignment import LiveRanges

CHEAP_FAMILY = "elementwise"  # the family whose operators cost little more than reading and writing


class Candidate(NamedTuple):
    """A value to compute anew: its node, and the users that take the copy."""

    node: int
    users: tuple[int, ...]


@graph_pass(bytes=0, rounds=32)
def recompute(graph: Graph, *, options: Options) -> None:
    """gelu(x), kept for backward -> gelu(x) twice: cheap values computed anew where memory is fullest; keeps every bit.

    Lowers the peak to ``bytes`` (0: as far as it goes), in at most so many ``rounds``.
    """
    lives = LiveRanges(graph)
    for _ in range(options["rounds"]):
        peak, full = lives.fullest()
        chosen = [late for late in _select(lives, full) if should_rewrite(graph, "recompute", late.node)]
        if peak <= options["bytes"] or not chosen or not _lowers_peak(graph, lives, chosen, full, peak):
            return
        _rematerialize(graph, chosen, lives.order, full)
        options.tally["recompute"].rewrites += len(chosen)
        lives = LiveRanges(graph)


# ---- what is worth it --------------------------------------------------------------------------------


def _select(lives: LiveRanges, full: int) -> list[Candidate]:
    """Values to drop before the fullest step, large ones first; none is made of another that is dropped."""
    place = {node: step for step, node in enumerate(lives.order)}
    dropped: set[Ref] = set()
    kept: set[Ref] = set()
    found = []
    for node in sorted(_idle_values(lives, full), key=lambda node: (-lives.sizes[node], node)):
        late = tuple(user for user in lives.graph.users(node) if place[user] > full)
        sources = {lives.root.get(ref, ref) for ref in lives.graph.ins(node)}
        again = min(place[user] for user in late)
        if node not in kept and not sources & dropped and all(_is_available(lives, ref, again) for ref in sources):
            dropped.add(node)
            kept |= sources
            found.append(Candidate(node, late))
    return found


def _idle_values(lives: LiveRanges, full: int) -> Iterator[int]:
    """Nodes of one cheap value that is only waiting at the fullest step, and is shown by no view made before it."""
    graph = lives.graph
    early = set(lives.order[: full + 1])
    shown = {lives.root[node] for node in early if lives.root.get(node, node) != node}
    for node in lives.order[:full]:
        op, types = graph.op(node), graph.types(node)
        cheap = op.family == CHEAP_FAMILY and not op.effects and len(types) == 1 and types[0].size > 1
        waiting = cheap and lives.last[node] > full and lives.order[full] not in graph.users(node)
        ordered = waiting and (graph.before(node) or graph.after(node))
        if waiting and not ordered and node not in shown and not graph.is_out(node):
            yield node


def _is_available(lives: LiveRanges, root: Ref, step: int) -> bool:
    """Whether a value is kept up to a step anyway: a leaf is."""
    return root not in lives.last or lives.last[root] >= step


def _lowers_peak(graph: Graph, lives: LiveRanges, chosen: list[Candidate], full: int, peak: int) -> bool:
    """Whether the peak gets lower, tried on a copy of the graph."""
    trial = graph.clone()
    _rematerialize(trial, chosen, lives.order, full)
    return LiveRanges(trial).fullest()[0] < peak


# ---- the edit ----------------------------------------------------------------------------------------


def _rematerialize(graph: Graph, chosen: list[Candidate], order: Sequence[int], full: int) -> None:
    """Compute values once more, each just before the first of its late users, whose order stays what it was.

    Ready nodes run in the order of their numbers, and a copy has a high one. So whatever came behind the user, and
    could run before it, waits for it now.
    """
    place = {node: step for step, node in enumerate(order)}
    before, start = order[full], full

    def first_step(late: Candidate) -> int:
        return min(place[user] for user in late.users)

    for first, lates in groupby(sorted(chosen, key=first_step), key=first_step):  # one user may take several copies
        if start > full:
            _delay(graph, before, order[start + 1 : first], place, start)
        for late in lates:
            twin = graph.emit(graph.op(late.node), graph.ins(late.node), graph.attrs(late.node), graph.types(late.node),
                              loc=graph.loc(late.node), sources=(late.node,))  # fmt: skip
            graph.order(before, twin, "effect")
            for user in late.users:
                graph.set_operands(user, [twin if ref == late.node else ref for ref in graph.ins(user)])
        before, start = order[first], first
    _delay(graph, before, order[start + 1 :], place, start)


def _delay(graph: Graph, before: int, nodes: Sequence[int], place: Mapping[int, int], start: int) -> None:
    """Let those nodes wait that would be ready before a step."""
    for node in nodes:
        if all(place.get(source, -1) < start for source in graph.predecessors(node)):
            graph.order(before, node, "effect")
