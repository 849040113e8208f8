"""The base class of graphs: ``networkx.MultiDiGraph``, imported when the first graph is created.

Eager programs create no graph, and networkx takes longer to import than numpy. So graph classes are derived from a
placeholder, which is replaced by networkx's class when the first of them is instantiated. Every graph is an instance
of networkx's class; only ``issubclass`` shows the difference, before the first graph exists.

>>> import networkx
>>> from minigraph.ir.graph import Graph
>>> isinstance(Graph(), networkx.MultiDiGraph)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigraph.core.context import resolve

__all__ = ["MultiDiGraph"]

if TYPE_CHECKING:
    from networkx import MultiDiGraph
else:

    class MultiDiGraph:
        """The placeholder of ``networkx.MultiDiGraph`` until the first graph is created."""

        def __new__(cls, *args: object, **kwargs: object) -> MultiDiGraph:
            """Create the first graph, after networkx's class has become the base class."""
            base = resolve("networkx:MultiDiGraph")
            for reader in MultiDiGraph.__subclasses__():
                reader.__bases__ = (base,)
                if base.__new__ is object.__new__:  # networkx before 3.6
                    reader.__new__ = staticmethod(_new_graph)
            return cls.__new__(cls, *args, **kwargs)

    def _new_graph(cls: type, *args: object, **kwargs: object) -> object:
        """A new object: ``object.__new__`` refuses arguments for ``__init__`` once a base class had another."""
        return object.__new__(cls)
