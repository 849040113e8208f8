"""Pictures of graphs, of what passes did to them, and of simulated time; files and one offline page.

>>> from minigraph.ir.graph import Graph
>>> svg(Graph())[:4]
'<svg'
"""

from viz.dot import Picture, dot
from viz.render import render, save, svg

__all__ = ["Picture", "dot", "render", "save", "svg"]
