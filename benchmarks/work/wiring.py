"""Graphs as plain lists of operators and operands, so that every system builds the same graph.

Operands are chosen from the last few hundred values, as in programs; nothing here depends on a framework.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import networkx as nx

INPUTS = 4
NEAR = 200  # number of latest values from which operands are chosen
KINDS = ("add", "mul", "maximum")
COMMUTING = ("add", "mul")  # bitwise; the maximum of 0 and -0 depends on the order


class Wired(NamedTuple):
    """Operators in order, each a name and the numbers of its operands; values 0 to 3 are the inputs.

    ``left`` is the number of operators that the tested pass has to leave.
    """

    nodes: list[tuple[str, tuple[int, ...]]]
    outs: Sequence[int]
    left: int


class _Wiring:
    """A graph under construction."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.nodes: list[tuple[str, tuple[int, ...]]] = []
        self.values = list(range(INPUTS))

    def near(self, values: list[int]) -> int:
        return values[-1 - self.rng.randrange(min(len(values), NEAR))]

    def add(self, name: str, *ins: int) -> int:
        self.nodes.append((name, ins))
        return INPUTS + len(self.nodes) - 1

    def draw(self, values: list[int]) -> int:
        """Add an operator on two random values of these."""
        return self.add(self.rng.choice(KINDS), self.near(values), self.near(values))


def half_dead(count: int, outs: int = 10) -> Wired:
    """Every second operator has arbitrary operands, and no output depends on it."""
    wiring, anything = _Wiring(), list(range(INPUTS))
    while len(wiring.nodes) < count:
        live = wiring.add(wiring.rng.choice(KINDS), wiring.values[-1], wiring.near(wiring.values))
        wiring.values.append(live)
        anything += [live, wiring.draw(anything)]
    results = wiring.values[-outs:]
    return Wired(wiring.nodes, results, len(_live(wiring.nodes, results)))


def half_repeated(count: int, outs: int = 10) -> Wired:
    """Every second operator repeats a recent one."""
    wiring, before = _Wiring(), list[tuple[str, tuple[int, ...]]]()
    while len(wiring.nodes) < count:
        wiring.values.append(wiring.draw(wiring.values))
        before.append(wiring.nodes[-1])
        name, ins = before[-1 - wiring.rng.randrange(min(len(before), NEAR))]
        wiring.values.append(wiring.add(name, *ins))
    return Wired(wiring.nodes, wiring.values[-outs:], _distinct(wiring.nodes))


def pairs(count: int, outs: int = 10) -> Wired:
    """Two of every four operators are a multiplication and its only use, an addition, as either operand."""
    wiring = _Wiring()
    while len(wiring.nodes) < count:
        product = wiring.add("mul", wiring.near(wiring.values), wiring.near(wiring.values))
        both = [product, wiring.near(wiring.values)]
        wiring.values.append(wiring.add("add", *(both if wiring.rng.random() < 0.5 else both[::-1])))
        wiring.values += [wiring.add("sub", *(wiring.near(wiring.values) for _ in range(2))) for _ in range(2)]
    return Wired(wiring.nodes, wiring.values[-outs:], len(wiring.nodes) // 4 * 3)


def _live(nodes: list[tuple[str, tuple[int, ...]]], outs: Sequence[int]) -> set[int]:
    live = set(outs)
    for k in range(len(nodes) - 1, -1, -1):
        if k + INPUTS in live:
            live.update(nodes[k][1])
    return {value for value in live if value >= INPUTS}


def _distinct(nodes: list[tuple[str, tuple[int, ...]]]) -> int:
    """The number of distinct operators, where the operands of commutative operators have no order."""
    first: dict[tuple[str, tuple[int, ...]], int] = {}
    same = list(range(INPUTS))
    for k, (name, ins) in enumerate(nodes):
        operands = tuple(same[i] for i in ins)
        key = name, tuple(sorted(operands)) if name in COMMUTING else operands
        same.append(first.setdefault(key, k + INPUTS))
    return len(first)


# ---- the yardstick -------------------------------------------------------------------------------------


def in_networkx(wired: Wired) -> nx.MultiDiGraph:
    """The graph as in networkx's tutorial: one node and one edge at a time, their data as keywords."""
    graph = nx.MultiDiGraph()
    for k in range(INPUTS):
        graph.add_node(k, op="input", attrs={}, types=())
    for k, (name, ins) in enumerate(wired.nodes, INPUTS):
        graph.add_node(k, op=name, attrs={}, types=())
        for position, source in enumerate(ins):
            graph.add_edge(source, k, operand=position, result=0, kind="data")
    return graph


def with_collector(build: Callable[[], Any]) -> Any:
    """The result of ``build`` with Python's garbage collector on, as users run it in a process of its own.

    The frequency of full collections depends on the number of old objects, so all existing objects are frozen;
    ``harness.measure`` unfreezes them when it is done.
    """
    gc.freeze()
    gc.collect()  # resets the collector's count of old objects
    gc.enable()
    try:
        return build()
    finally:
        gc.disable()
