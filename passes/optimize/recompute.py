"""Rematerialization: cheap values are recomputed for the backward part instead of being kept in memory.

::

    %3 = gelu(%2)                              %3 = gelu(%2)
    %4 = matmul(%3, %1)            ->          %4 = matmul(%3, %1)
    ...                                        ...
    %9 = matmul(%8, %3)                        %10 = gelu(%2) after %7(effect)
                                               %9 = matmul(%8, %10)

Problem: lower the peak of memory by computing values again. Method: activation checkpointing (Chen et al. 2016, arXiv
1604.06174) for single values that are live but unused at the step of peak memory, and elementwise on operands that are
live later anyway; greedily, the largest first, until the peak no longer falls.

Invariants: a selection is applied only if it lowers the peak of a copy of the graph. Order edges keep the copy after
the peak and keep ``cse`` from merging it. The same operators run, so the pass keeps every bit. Not handled: an optimal
selection (an integer program, Jain et al. 2020, "Checkmate"), chains of recomputed values, and operators other than
elementwise ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from minigraph.ir.graph import Graph, Ref
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.buffer_assignment import LiveRanges

CHEAP_FAMILY = "elementwise"  # these operators cost little more than their memory traffic


class Candidate(NamedTuple):
    """A value to recompute: its node, and the users that take the copy."""

    node: int
    users: tuple[int, ...]


@graph_pass(bytes=0, max_iterations=32)
def recompute(graph: Graph, *, options: Options) -> None:
    """gelu(x), kept for backward -> gelu(x) twice: recomputes cheap values at the memory peak; keeps every bit.

    Lowers the peak to ``bytes`` (0: as far as possible), in at most ``max_iterations`` iterations.
    """
    ranges = LiveRanges(graph)
    for _ in range(options["max_iterations"]):
        peak, peak_step = ranges.peak()
        selection = [value for value in _select(ranges, peak_step) if should_rewrite(graph, "recompute", value.node)]
        if peak <= options["bytes"] or not selection or not _lowers_peak(graph, ranges, selection, peak_step, peak):
            return
        _rematerialize(graph, selection, ranges.order, peak_step)
        options.statistics["recompute"].rewrites += len(selection)
        ranges = LiveRanges(graph)


# ---- selection ---------------------------------------------------------------------------------------


def _select(ranges: LiveRanges, peak_step: int) -> list[Candidate]:
    """Values to drop before the peak, largest first; none depends on another dropped value."""
    step_of = {node: step for step, node in enumerate(ranges.order)}
    dropped: set[Ref] = set()
    kept_refs: set[Ref] = set()
    candidates = []
    for node in sorted(_idle_values(ranges, peak_step), key=lambda node: (-ranges.sizes[node], node)):
        users = tuple(user for user in ranges.graph.users(node) if step_of[user] > peak_step)
        sources = {ranges.root.get(ref, ref) for ref in ranges.graph.ins(node)}
        first_use = min(step_of[user] for user in users)
        is_possible = all(ranges.last.get(ref, first_use) >= first_use for ref in sources)  # leaves are always live
        if node not in kept_refs and not sources & dropped and is_possible:
            dropped.add(node)
            kept_refs |= sources
            candidates.append(Candidate(node, users))
    return candidates


def _idle_values(ranges: LiveRanges, peak_step: int) -> Iterator[int]:
    """Nodes whose one cheap value is live but unused at the peak and has no view before it."""
    graph = ranges.graph
    early = set(ranges.order[: peak_step + 1])
    viewed = {ranges.root[node] for node in early if ranges.root.get(node, node) != node}
    for node in ranges.order[:peak_step]:
        op, types = graph.op(node), graph.types(node)
        cheap = op.family == CHEAP_FAMILY and not op.effects and len(types) == 1 and types[0].size > 1
        idle = cheap and ranges.last[node] > peak_step and ranges.order[peak_step] not in graph.users(node)
        ordered = idle and (graph.before(node) or graph.after(node))
        if idle and not ordered and node not in viewed and not graph.is_out(node):
            yield node


def _lowers_peak(graph: Graph, ranges: LiveRanges, candidates: list[Candidate], peak_step: int, peak: int) -> bool:
    """Whether rematerialisation lowers the peak, tried on a copy of the graph."""
    trial = graph.clone()
    _rematerialize(trial, candidates, ranges.order, peak_step)
    return LiveRanges(trial).peak()[0] < peak


# ---- rewriting the graph ----------------------------------------------------------------------------------------


def _rematerialize(graph: Graph, candidates: list[Candidate], order: Sequence[int], peak_step: int) -> None:
    """Recompute values, each just before the first of its users after the peak; the users' order does not change.

    Ready nodes run in the order of their numbers, and a copy has a high number. So every later node that could run
    before the copy's user gets an order edge after it.
    """
    step_of = {node: step for step, node in enumerate(order)}
    before, start = order[peak_step], peak_step

    def first_use(candidate: Candidate) -> int:
        return min(step_of[user] for user in candidate.users)

    for first, group in groupby(sorted(candidates, key=first_use), key=first_use):  # one user may take several copies
        if start > peak_step:
            _delay(graph, before, order[start + 1 : first], step_of, start)
        for node, users in group:
            op, ins, attrs = graph.op(node), graph.ins(node), graph.attrs(node)
            copy = graph.emit(op, ins, attrs, graph.types(node), loc=graph.loc(node), sources=(node,))
            graph.order(before, copy, "effect")
            for user in users:
                graph.set_operands(user, [copy if ref == node else ref for ref in graph.ins(user)])
        before, start = order[first], first
    _delay(graph, before, order[start + 1 :], step_of, start)


def _delay(graph: Graph, before: int, nodes: Sequence[int], step_of: Mapping[int, int], start: int) -> None:
    """Order nodes after ``before`` that would otherwise be ready before step ``start``."""
    for node in nodes:
        if all(step_of.get(source, -1) < start for source in graph.predecessors(node)):
            graph.order(before, node, "effect")
