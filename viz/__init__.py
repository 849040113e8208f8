"""Pictures of graphs, of passes and of simulated time; files and self-contained HTML pages.

>>> import viz
>>> from minigraph.ir.graph import Graph
>>> viz.svg(Graph())[:4]
'<svg'
"""

from typing import TYPE_CHECKING

from minigraph.core.lazy import attach

if TYPE_CHECKING:
    from viz.drawing.diff import Diff, Diffs, diff
    from viz.drawing.dot import Picture, dot
    from viz.drawing.partial_match import partial_match
    from viz.drawing.pass_animation import pass_animation
    from viz.drawing.tape import tape
    from viz.dump.ir_text import ir_text
    from viz.dump.stages import save_stages
    from viz.editor.server import serve
    from viz.editor.workbench import Workbench, workbench
    from viz.explore import Explorer, explorer
    from viz.machine.animation import animation
    from viz.machine.charts import ScatterPoint, occupancy_svg, roofline_svg, scatter_svg
    from viz.machine.landscape import landscape_svg
    from viz.machine.launches import launches
    from viz.machine.memory import memory_plan
    from viz.machine.timeline import timeline
    from viz.output.render import gif, pdf, png, render, save, svg
    from viz.pages.blocks import Bars, Block, Drawing, Figures, Files, Link, Note, Section, Sliders, Table, Text
    from viz.pages.page import page, save_page
else:
    __getattr__, __dir__ = attach(
        __name__,
        {
            "viz.drawing.diff": "Diff Diffs diff",
            "viz.drawing.dot": "Picture dot",
            "viz.drawing.pass_animation": "pass_animation",
            "viz.drawing.partial_match": "partial_match",
            "viz.drawing.tape": "tape",
            "viz.editor.server": "serve",
            "viz.editor.workbench": "Workbench workbench",
            "viz.explore": "Explorer explorer",
            "viz.machine.animation": "animation",
            "viz.machine.charts": "ScatterPoint occupancy_svg roofline_svg scatter_svg",
            "viz.machine.landscape": "landscape_svg",
            "viz.machine.launches": "launches",
            "viz.machine.memory": "memory_plan",
            "viz.machine.timeline": "timeline",
            "viz.output.render": "gif pdf png render save svg",
            "viz.pages.blocks": "Bars Block Drawing Figures Files Link Note Section Sliders Table Text",
            "viz.pages.page": "page save_page",
            "viz.dump.stages": "save_stages",
            "viz.dump.ir_text": "ir_text",
        },
        missing="minigraph.core.deprecated_names:viz_getattr",
    )

__all__ = [
    "Bars",
    "Block",
    "Diff",
    "Diffs",
    "Drawing",
    "Explorer",
    "Figures",
    "Files",
    "Link",
    "Note",
    "Picture",
    "ScatterPoint",
    "Section",
    "Sliders",
    "Table",
    "Text",
    "Workbench",
    "animation",
    "diff",
    "dot",
    "explorer",
    "gif",
    "ir_text",
    "landscape_svg",
    "launches",
    "memory_plan",
    "occupancy_svg",
    "page",
    "partial_match",
    "pass_animation",
    "pdf",
    "png",
    "render",
    "roofline_svg",
    "save",
    "save_page",
    "save_stages",
    "scatter_svg",
    "serve",
    "svg",
    "tape",
    "timeline",
    "workbench",
]  # fmt: skip
