"""Graphs as plain lists, so that every system is given the same: which operator takes which values.

Operands are drawn from the last few hundred values, as programs take them; nothing here knows any framework.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import networkx as nx

INPUTS = 4
NEAR = 200  # values that an operand may be one of
KINDS = ("add", "mul", "maximum")
COMMUTING = ("add", "mul")  # bit for bit; the larger of 0 and -0 depends on the order


class Wired(NamedTuple):
    """Operators in order, each a name and the numbers of its operands; values 0 to 3 are the inputs.

    ``left`` is how many operators the pass that the graph is made for has to leave.
    """

    nodes: list[tuple[str, tuple[int, ...]]]
    outs: Sequence[int]
    left: int


class _Wiring:
    """A graph while it is drawn up."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.nodes: list[tuple[str, tuple[int, ...]]] = []
        self.values = list(range(INPUTS))

    def near(self, values: list[int]) -> int:
        return values[-1 - self.rng.randrange(min(len(values), NEAR))]

    def add(self, name: str, *ins: int) -> int:
        self.nodes.append((name, ins))
        return INPUTS + len(self.nodes) - 1

    def drawn(self, values: list[int]) -> int:
        """An operator on two of these values."""
        return self.add(self.rng.choice(KINDS), self.near(values), self.near(values))


def half_dead(count: int, outs: int = 10) -> Wired:
    """Every second operator reads what it likes, but no output needs it."""
    wiring, anything = _Wiring(), list(range(INPUTS))
    while len(wiring.nodes) < count:
        live = wiring.add(wiring.rng.choice(KINDS), wiring.values[-1], wiring.near(wiring.values))
        wiring.values.append(live)
        anything += [live, wiring.drawn(anything)]
    found = wiring.values[-outs:]
    return Wired(wiring.nodes, found, len(_needed(wiring.nodes, found)))


def half_repeated(count: int, outs: int = 10) -> Wired:
    """Every second operator is one of the near ones once more."""
    wiring, before = _Wiring(), list[tuple[str, tuple[int, ...]]]()
    while len(wiring.nodes) < count:
        wiring.values.append(wiring.drawn(wiring.values))
        before.append(wiring.nodes[-1])
        name, ins = before[-1 - wiring.rng.randrange(min(len(before), NEAR))]
        wiring.values.append(wiring.add(name, *ins))
    return Wired(wiring.nodes, wiring.values[-outs:], _distinct(wiring.nodes))


def pairs(count: int, outs: int = 10) -> Wired:
    """Of every four operators a multiplication and the addition that alone reads it, on either side."""
    wiring = _Wiring()
    while len(wiring.nodes) < count:
        product = wiring.add("mul", wiring.near(wiring.values), wiring.near(wiring.values))
        both = [product, wiring.near(wiring.values)]
        wiring.values.append(wiring.add("add", *(both if wiring.rng.random() < 0.5 else both[::-1])))
        wiring.values += [wiring.add("sub", *(wiring.near(wiring.values) for _ in range(2))) for _ in range(2)]
    return Wired(wiring.nodes, wiring.values[-outs:], len(wiring.nodes) // 4 * 3)


def _needed(nodes: list[tuple[str, tuple[int, ...]]], outs: Sequence[int]) -> set[int]:
    found = set(outs)
    for k in range(len(nodes) - 1, -1, -1):
        if k + INPUTS in found:
            found.update(nodes[k][1])
    return {value for value in found if value >= INPUTS}


def _distinct(nodes: list[tuple[str, tuple[int, ...]]]) -> int:
    """How many operators there are when equal ones are one, in either order of operands if they commute."""
    first: dict[tuple[str, tuple[int, ...]], int] = {}
    same = list(range(INPUTS))
    for k, (name, ins) in enumerate(nodes):
        taken = tuple(same[i] for i in ins)
        key = name, tuple(sorted(taken)) if name in COMMUTING else taken
        same.append(first.setdefault(key, k + INPUTS))
    return len(first)


# ---- the yardstick -------------------------------------------------------------------------------------


def in_networkx(wired: Wired) -> nx.MultiDiGraph:
    """The graph as networkx's textbook has it: a node and an edge at a time, their data as keywords."""
    graph = nx.MultiDiGraph()
    for k in range(INPUTS):
        graph.add_node(k, op="input", attrs={}, types=())
    for k, (name, ins) in enumerate(wired.nodes, INPUTS):
        graph.add_node(k, op=name, attrs={}, types=())
        for position, source in enumerate(ins):
            graph.add_edge(source, k, operand=position, result=0, kind="data")
    return graph


def with_collector(build: Callable[[], Any]) -> Any:
    """What ``build`` makes with Python's collector on, as in a process that does nothing else: that is how it is used.

    How often the collector looks at everything depends on what there is, so everything else is put out of its sight,
    where ``harness.measure`` leaves it until it is done.
    """
    gc.freeze()
    gc.collect()  # of nothing: it then knows of no old objects, and counts from there
    gc.enable()
    try:
        return build()
    finally:
        gc.disable()
