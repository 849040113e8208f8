"""Pictures of graphs, of what passes did to them, and of simulated time; files and one offline page.

>>> from minigraph.ir.graph import Graph
>>> svg(Graph())[:4]
'<svg'
"""

from viz.animation import animation
from viz.blocks import Bars, Block, Drawing, Figures, Files, Link, Note, Section, Sliders, Table, Text
from viz.charts import Dot, occupancy_svg, roofline_svg, scatter_svg
from viz.diff import Diff, diff
from viz.dot import Picture, dot
from viz.dump import save_stages
from viz.explore import Explorer, explorer
from viz.film import film
from viz.ir_text import ir_text
from viz.launches import launches
from viz.memory import memory_plan
from viz.miss import miss
from viz.page import page, save_page
from viz.render import gif, pdf, png, render, save, svg
from viz.tape import tape
from viz.timeline import timeline

__all__ = [
    "Bars", "Block", "Diff", "Dot", "Drawing", "Explorer", "Figures", "Files", "Link", "Note", "Picture", "Section",
    "Sliders", "Table", "Text", "animation", "diff", "dot", "explorer", "film", "gif", "ir_text", "launches",
    "memory_plan", "miss", "occupancy_svg", "page", "pdf", "png", "render", "roofline_svg", "save", "save_page",
    "save_stages", "scatter_svg", "svg", "tape", "timeline",
]  # fmt: skip
