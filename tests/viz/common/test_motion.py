import pytest

import passes
import viz
from minigraph import Tensor, jit, ops, simulate
from tests.viz.graphs import Tags
from viz.common.motion import REDUCED_MOTION_CSS, Motion, reduced_motion_style
from viz.pages.page import stylesheet


def test_an_attribute_is_animated_through_its_values():
    motion = Motion(2.5, 0, "again").animate("opacity", [1, 0.2], [0, 1 / 3])
    ((_, attrs),) = Tags(motion).tags
    assert attrs["attributename"] == "opacity" and attrs["values"] == "1;0.2" and attrs["keytimes"] == "0;0.3333"
    assert attrs["dur"] == "2.5s" and attrs["begin"] == "0s;again.click" and attrs["repeatcount"] == "indefinite"
    assert 'repeatCount="3"' in Motion(1.0, 3, "again").animate("x", [0], [0])


@pytest.mark.parametrize("make", ["pass_animation", "animation"])
def test_animations_are_static_for_reduced_motion(make):
    graph = jit(lambda x: ops.tanh(ops.neg(ops.neg(x)))).graph(Tensor([1.0]), pipeline=())
    report = simulate(graph)
    records = passes.as_pipeline("default").run(graph, snapshots=True)
    picture = viz.animation(report) if make == "animation" else viz.pass_animation(records)
    assert "<animate " in picture and reduced_motion_style() in picture
    assert "prefers-reduced-motion: reduce" in REDUCED_MOTION_CSS
    classes = {name for _, attrs in Tags(picture).tags for name in attrs.get("class", "").split()}
    moving = classes & {"cover", "playhead", "glow", "frame"}
    assert moving and all(f".{name}" in REDUCED_MOTION_CSS for name in moving)


def test_a_page_has_the_style_once():
    drawing = viz.Drawing(f"<svg>{reduced_motion_style()}</svg>").html()
    assert "<style>" not in drawing and REDUCED_MOTION_CSS in stylesheet()
