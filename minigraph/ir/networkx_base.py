"""What graphs inherit: ``networkx.MultiDiGraph``, from the first graph on.

Eager programs make no graph, and networkx takes longer to import than numpy. So the classes of graphs are written
upon a stand-in, which gives its place to networkx's class as soon as one of them is asked for an instance. Whoever
has a graph never sees the difference; ``issubclass`` does, before there is one.

>>> import networkx
>>> from minigraph.ir.graph import Graph
>>> isinstance(Graph(), networkx.MultiDiGraph)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minigraph.core.context import resolve

__all__ = ["MultiDiGraph"]

if TYPE_CHECKING:
    from networkx import MultiDiGraph
else:

    class MultiDiGraph:
        """Stands for ``networkx.MultiDiGraph`` until there is a graph."""

        def __new__(cls, *args: Any, **kwargs: Any) -> MultiDiGraph:
            """The first graph, made once networkx's class is the one inherited."""
            networks = resolve("networkx:MultiDiGraph")
            for reader in MultiDiGraph.__subclasses__():
                reader.__bases__ = (networks,)
            return cls.__new__(cls, *args, **kwargs)
