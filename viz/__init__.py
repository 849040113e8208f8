"""Pictures of graphs, of what passes did to them, and of simulated time; files and one offline page.

>>> from minigraph.ir.graph import Graph
>>> svg(Graph())[:4]
'<svg'
"""

from viz.drawing.diff import Diff, diff
from viz.drawing.dot import Picture, dot
from viz.drawing.film import film
from viz.drawing.miss import miss
from viz.drawing.tape import tape
from viz.explore import Explorer, explorer
from viz.machine.animation import animation
from viz.machine.charts import Dot, occupancy_svg, roofline_svg, scatter_svg
from viz.machine.launches import launches
from viz.machine.memory import memory_plan
from viz.machine.timeline import timeline
from viz.pages.blocks import Bars, Block, Drawing, Figures, Files, Link, Note, Section, Sliders, Table, Text
from viz.pages.page import page, save_page
from viz.render import gif, pdf, png, render, save, svg
from viz.saved.dump import save_stages
from viz.saved.ir_text import ir_text

__all__ = [
    "Bars", "Block", "Diff", "Dot", "Drawing", "Explorer", "Figures", "Files", "Link", "Note", "Picture", "Section",
    "Sliders", "Table", "Text", "animation", "diff", "dot", "explorer", "film", "gif", "ir_text", "launches",
    "memory_plan", "miss", "occupancy_svg", "page", "pdf", "png", "render", "roofline_svg", "save", "save_page",
    "save_stages", "scatter_svg", "svg", "tape", "timeline",
]  # fmt: skip
