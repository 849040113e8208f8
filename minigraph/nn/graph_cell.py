"""A loaded graph as a Cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.core.aliases import PyTree
from minigraph.core.errors import ArgTypeError
from minigraph.nn.cell import Cell


class GraphCell(Cell):
    """A network that ``ms.load`` returned, as a Cell to call; raises ``TypeError`` for what cannot be called.

    >>> print(GraphCell(lambda x: x + 1)(2))
    3
    """

    def __init__(self, graph: Callable[..., Any], params_init: object = None, obf_random_seed: None = None) -> None:
        super().__init__(auto_prefix=False)
        if not callable(graph):
            raise ArgTypeError(f"For 'GraphCell', the 'graph' must be what ms.load returns, but got {graph!r}.")
        self.graph = graph

    def construct(self, *inputs: PyTree, **named: PyTree) -> PyTree:
        """The result of the graph."""
        return self.graph(*inputs, **named)
