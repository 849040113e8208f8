"""Graphs as plain lists of operators and operands, so that every system builds the same graph.

Operands are chosen from the last few hundred values, as in programs; nothing here depends on a framework.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import networkx as nx

INPUT_COUNT = 4  # number of inputs of every graph
OPERAND_WINDOW = 200  # number of latest values from which operands are chosen
OPERATORS = ("add", "mul", "maximum")
COMMUTATIVE = ("add", "mul")  # bitwise; the maximum of 0 and -0 depends on the order


class GraphSpec(NamedTuple):
    """Operators in order, each a name and the numbers of its operands; values 0 to 3 are the inputs.

    ``remaining`` is the number of operators after the tested pass.
    """

    nodes: list[tuple[str, tuple[int, ...]]]
    outs: Sequence[int]
    remaining: int


class _SpecBuilder:
    """Builds the list of operators of a graph; ``values`` are the numbers of its live values."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.nodes: list[tuple[str, tuple[int, ...]]] = []
        self.values = list(range(INPUT_COUNT))

    def choose_recent(self, values: list[int]) -> int:
        """A random one of the last ``OPERAND_WINDOW`` values."""
        return values[-1 - self.rng.randrange(min(len(values), OPERAND_WINDOW))]

    def add(self, name: str, *ins: int) -> int:
        """Append an operator; returns the number of its result."""
        self.nodes.append((name, ins))
        return INPUT_COUNT + len(self.nodes) - 1

    def add_random(self, values: list[int]) -> int:
        """Add a random operator on two random recent values of these; returns the number of its result."""
        return self.add(self.rng.choice(OPERATORS), self.choose_recent(values), self.choose_recent(values))


def half_dead_graph(count: int, outs: int = 10) -> GraphSpec:
    """A graph in which every second operator has random operands and is dead: no output depends on it."""
    builder, all_values = _SpecBuilder(), list(range(INPUT_COUNT))
    while len(builder.nodes) < count:
        live = builder.add(builder.rng.choice(OPERATORS), builder.values[-1], builder.choose_recent(builder.values))
        builder.values.append(live)
        all_values += [live, builder.add_random(all_values)]
    results = builder.values[-outs:]
    return GraphSpec(builder.nodes, results, len(_live_nodes(builder.nodes, results)))


def half_repeated_graph(count: int, outs: int = 10) -> GraphSpec:
    """A graph in which every second operator repeats a recent one."""
    builder, originals = _SpecBuilder(), list[tuple[str, tuple[int, ...]]]()
    while len(builder.nodes) < count:
        builder.values.append(builder.add_random(builder.values))
        originals.append(builder.nodes[-1])
        name, ins = originals[-1 - builder.rng.randrange(min(len(originals), OPERAND_WINDOW))]
        builder.values.append(builder.add(name, *ins))
    return GraphSpec(builder.nodes, builder.values[-outs:], _count_distinct(builder.nodes))


def multiply_add_graph(count: int, outs: int = 10) -> GraphSpec:
    """A graph in which two of every four operators are a multiplication and an addition, its only user."""
    builder = _SpecBuilder()
    while len(builder.nodes) < count:
        product = builder.add("mul", builder.choose_recent(builder.values), builder.choose_recent(builder.values))
        operands = [product, builder.choose_recent(builder.values)]
        builder.values.append(builder.add("add", *(operands if builder.rng.random() < 0.5 else operands[::-1])))
        builder.values += [
            builder.add("sub", *(builder.choose_recent(builder.values) for _ in range(2))) for _ in range(2)
        ]
    return GraphSpec(builder.nodes, builder.values[-outs:], len(builder.nodes) // 4 * 3)


def _live_nodes(nodes: list[tuple[str, tuple[int, ...]]], outs: Sequence[int]) -> set[int]:
    """The values of operators that an output depends on, by one backward sweep."""
    live = set(outs)
    for k in range(len(nodes) - 1, -1, -1):
        if k + INPUT_COUNT in live:
            live.update(nodes[k][1])
    return {value for value in live if value >= INPUT_COUNT}


def _count_distinct(nodes: list[tuple[str, tuple[int, ...]]]) -> int:
    """The number of distinct operators by value numbering; operands of commutative operators have no order."""
    number_of_key: dict[tuple[str, tuple[int, ...]], int] = {}
    value_numbers = list(range(INPUT_COUNT))
    for k, (name, ins) in enumerate(nodes):
        operands = tuple(value_numbers[i] for i in ins)
        key = name, tuple(sorted(operands)) if name in COMMUTATIVE else operands
        value_numbers.append(number_of_key.setdefault(key, k + INPUT_COUNT))
    return len(number_of_key)


# ---- the baseline -------------------------------------------------------------------------------------


def build_networkx_graph(spec: GraphSpec) -> nx.MultiDiGraph:
    """The graph as in networkx's tutorial: one node and one edge at a time, their data as keywords."""
    graph = nx.MultiDiGraph()
    for k in range(INPUT_COUNT):
        graph.add_node(k, op="input", attrs={}, types=())
    for k, (name, ins) in enumerate(spec.nodes, INPUT_COUNT):
        graph.add_node(k, op=name, attrs={}, types=())
        for position, source in enumerate(ins):
            graph.add_edge(source, k, operand=position, result=0, kind="data")
    return graph


def call_with_garbage_collector(build: Callable[[], Any]) -> Any:
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
