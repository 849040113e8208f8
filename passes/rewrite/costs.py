"""Cost functions by name, for ``fuse{cost=...}``: registered functions, and one for every simulated chip."""

from __future__ import annotations

from collections.abc import Callable

from minigraph.core.context import cycle_cost
from minigraph.core.errors import DuplicateNameError, UsageError
from minigraph.ir.graph import Graph

Cost = Callable[[Graph], int]
COST_FUNCTIONS: dict[str, Cost] = {}


def add_cost(name: str, cost: Cost) -> Cost:
    """Register a cost function of a graph under a name, for ``fuse{cost=name}``; returns the function.

    Raises ``DuplicateNameError`` when the name is in use, ``UsageError`` for a value that is not callable.

    >>> count = add_cost("nodes", len)
    >>> cost_named("nodes") is count is COST_FUNCTIONS.pop("nodes")
    True
    """
    if not callable(cost):
        raise UsageError(f"add_cost '{name}': {cost!r:.60} is not a function; give a function of a graph")
    if name in COST_FUNCTIONS:
        raise DuplicateNameError(f"cost '{name}' is already registered; choose another name")
    COST_FUNCTIONS[name] = cost
    return cost


def cost_named(name: str) -> Cost | None:
    """The cost function of that name, else the cycles on the chip of that name; ``None`` for an empty name.

    Raises ``UnknownNameError`` with the most similar chip name.
    """
    if not name:
        return None
    return COST_FUNCTIONS[name] if name in COST_FUNCTIONS else cycle_cost(name)
