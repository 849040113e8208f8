import re

import pytest

from minigraph.ir.graph import Graph
from tests.viz.graphs import HOSTILE, SVG, chain, classes, fused_step, hostile, missed_match, parse_svg, step, texts
from viz.common.elements import escape
from viz.common.style import CHANGE_STYLES, NODE_STYLES, WAIT
from viz.drawing.diff import diff
from viz.drawing.layout import Rectangle
from viz.drawing.partial_match import partial_match_scene
from viz.drawing.scene import Arrow, Scene, scene_of
from viz.drawing.summary import summary_of
from viz.drawing.svg import shape, svg_of

SCENES = {
    "step": scene_of(step()),
    "fused": scene_of(fused_step()),
    "hostile": scene_of(hostile()),
    "nothing": Scene(),
    "empty": scene_of(Graph()),
    "diff": diff(step(), fused_step()).scene,
    "summary": summary_of(chain(1000)),
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_it_is_well_formed_and_shows_every_text(scene):
    shown = texts(svg_of(scene))
    for line in (line for box in scene.boxes.values() for line in box.lines[1:]):
        assert parse_svg(f"<a>{escape(line)}</a>").text in shown
    assert len(shown) >= sum(len(box.lines) for box in scene.boxes.values())


def test_boxes_arrows_and_groups_have_the_classes_of_the_style_sheet():
    groups = classes(svg_of(scene_of(fused_step())))
    for class_set in ({"node", "k-cube"}, {"cluster", "k-fused"}, {"edge"}, {"edge", "order"}):
        assert class_set in groups


def test_changes_have_class_glyph_and_dash():
    picture = svg_of(diff(step(), fused_step()).scene)
    groups = classes(picture) + classes(svg_of(partial_match_scene(missed_match())))
    assert all(any({"node", status} <= group for group in groups) for status in CHANGE_STYLES)
    assert "− %4 add" in texts(picture)
    assert "~ %9 reshape" in texts(picture)
    assert f'stroke-dasharray="{CHANGE_STYLES["removed"].dash}"' in picture


def test_order_edges_are_dashed_and_hovering_shows_the_users_line():
    picture = parse_svg(svg_of(scene_of(step())))
    order = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "edge order"]
    assert len(order) == 2
    assert all(group.find(f"{SVG}path").get("stroke-dasharray") for group in order)
    titles = [title.text for title in picture.iter(f"{SVG}title")]
    assert any(title.startswith("%3 = matmul(%0, %1)") and "graphs.py:" in title for title in titles)


def test_user_text_never_becomes_markup():
    picture = svg_of(scene_of(hostile()))
    tags = {element.tag.removeprefix(SVG) for element in parse_svg(picture).iter()}
    assert tags <= {"svg", "g", "polygon", "path", "rect", "text", "title"}
    assert "<script" not in picture
    assert not re.search(r'(href|src|style|on\w+)="', picture)
    assert any(line.startswith("<script>") for line in texts(picture))
    assert HOSTILE[:8] == "<script>"


def test_the_note_is_shown_a_highlighted_box_has_a_heavier_outline_and_cycles_are_drawn_too():
    scene = scene_of(step(), highlight={4})
    scene.title, scene.note = "a title", "what is not drawn"
    assert texts(svg_of(scene))[:2] == ["a title", "what is not drawn"]
    assert svg_of(scene).count('stroke-width="2.6"') == 1
    assert svg_of(scene_of(step())).count('stroke-width="2.6"') == 0
    scene = summary_of(chain(3))
    for source, target in (("s0", "s1"), ("s1", "s0")):
        scene.add(Arrow(source, target, "back"))
    assert "back" in texts(svg_of(scene))


def test_everything_lies_inside_the_picture():
    root = parse_svg(svg_of(diff(step(), fused_step()).scene))
    width, height = float(root.get("width")), float(root.get("height"))
    moved = next(group for group in root.iter(f"{SVG}g") if group.get("transform"))
    dx, dy = map(float, re.findall(r"[\d.]+", moved.get("transform")))
    for rect in moved.iter(f"{SVG}rect"):
        assert 0 <= float(rect.get("x")) + dx <= width - float(rect.get("width"))
        assert 0 <= float(rect.get("y")) + dy <= height - float(rect.get("height"))


@pytest.mark.parametrize("kind", sorted({base.shape for base in NODE_STYLES.values()}))
def test_every_shape_is_drawn_differently(kind):
    area = Rectangle(1, 2, 30, 20)
    others = {base.shape for base in NODE_STYLES.values()} - {kind}
    assert all(shape(kind, area, WAIT) != shape(other, area, WAIT) for other in others)
    assert WAIT.fill in shape(kind, area, WAIT)
