import re
from itertools import pairwise

import pytest

from minigraph import jit
from minigraph.examples import digits
from tests.viz.drawing.test_layout import scenes
from tests.viz.graphs import SVG, classes, fused_step, parse_svg, texts
from viz.common.backends import graphviz_bytes
from viz.drawing.dot import dot_of
from viz.drawing.layout import Layout, Rectangle, layout_of
from viz.drawing.routes import LABEL_CHARACTER_WIDTH, Knot, LabelPlacer, route_of
from viz.drawing.scene import Arrow, Box, Group, Scene, scene_of
from viz.drawing.svg import svg_of


def digits_scenes():
    train = jit(digits.train_step)
    return [scene_of(train.graph(*digits.example_inputs(), **options)) for options in ({"pipeline": ()}, {})]


def nested_scene():
    """Arrows into, out of and between nested groups, past boxes of other rows, and one against the others."""
    scene = Scene(groups={"g": Group("g", "outer", "fused"), "h": Group("h", "a long title", "fused", parent="g")})
    parents = {"a": "", "b": "g", "c": "h", "d": "h", "e": "g", "f": ""}
    scene.boxes = {key: Box(key, (key * 5,), "vector", parent=parent) for key, parent in parents.items()}
    for tail, head in ("ab", "bc", "cd", "de", "ef", "ad", "bf", "ae", "cf", "ac", "fc"):
        scene.add(Arrow(tail, head))
    return scene


def curve_points(knots, count=24):
    """Points of the drawn curve: each piece is vertical at both ends."""
    for (x0, y0, *_), (x1, y1, *_) in pairwise(knots):
        for k in range(count + 1):
            t, rest = k / count, 1 - k / count
            x = x0 * rest**2 * (1 + 2 * t) + x1 * t**2 * (3 - 2 * t)
            yield x, y0 * rest**3 + 3 * t * rest * (y0 + y1) / 2 + y1 * t**3


def is_within(point, area: Rectangle, margin=1.0):
    x, y = point
    is_between = area.left + margin < x < area.left + area.width - margin
    return is_between and area.top + margin < y < area.bottom - margin


def crossed(points, obstacles):
    return [key for key, area in obstacles.items() if any(is_within(point, area) for point in points)]


def crossings(scene: Scene, layout: Layout):
    """What each arrow crosses: boxes other than its own, titles, and groups that contain neither end."""
    for key in scene.arrows:
        groups = {*scene.groups_around(key[0]), *scene.groups_around(key[1])}
        obstacles = {f"title of {name}": area for name, area in layout.titles.items()}
        obstacles |= {name: layout.areas[name] for name in (*scene.boxes, *scene.groups)}
        for group in (*key[:2], *groups):
            del obstacles[group]
        yield key, crossed(list(curve_points(route_of(scene, layout, key))), obstacles)


def test_no_arrow_crosses_a_box_a_title_or_another_group():
    for scene in (*scenes(), *digits_scenes(), nested_scene()):
        for key, crossed in crossings(scene, layout_of(scene)):
            assert not crossed, (scene.title, key, crossed)


def test_a_straight_line_would_cross_boxes_and_titles():
    scene = nested_scene()
    layout = layout_of(scene)
    ends = [(layout.areas[tail], layout.areas[head]) for tail, head, _ in scene.arrows]
    lines = [curve_points([(source.center_x, source.bottom), (target.center_x, target.top)]) for source, target in ends]
    assert sum(bool(crossed(list(line), layout.titles)) for line in lines) >= 1


@pytest.mark.skipif(graphviz_bytes("digraph {}", "svg") is None, reason="no Graphviz here")
def test_graphviz_leads_edges_past_the_titles_of_groups():
    for scene in (scene_of(fused_step()), digits_scenes()[1], nested_scene()):
        picture = parse_svg(graphviz_bytes(dot_of(scene).source, "svg").decode())
        titles = {group.title: group for group in scene.groups.values()}
        areas = {}
        for text in (
            element for element in picture.iter(f"{SVG}text") if (element.text or "").replace("\xa0", " ") in titles
        ):
            width = len(text.text) * LABEL_CHARACTER_WIDTH - 8
            areas[text.text] = Rectangle(float(text.get("x")) - width / 2, float(text.get("y")) - 7, width, 6)
        assert len(areas) == len({*titles})
        for edge in (element for element in picture.iter(f"{SVG}g") if element.get("class", "").startswith("edge")):
            numbers = [float(text) for text in re.findall(r"-?[\d.]+", next(edge.iter(f"{SVG}path")).get("d"))]
            assert not crossed(list(bezier_points([*zip(numbers[::2], numbers[1::2], strict=True)])), areas)


def bezier_points(controls, count=24):
    for k in range(0, len(controls) - 1, 3):
        for t in (step / count for step in range(count + 1)):
            weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
            points = [*zip(weights, controls[k : k + 4], strict=True)]
            yield sum(weight * x for weight, (x, _) in points), sum(weight * y for weight, (_, y) in points)


def test_arrows_enter_a_group_side_by_side():
    scene = nested_scene()
    layout = layout_of(scene)
    entries = sorted(xs[0] for (_, group), xs in layout.entries.items() if group == "g")
    assert len(entries) == 5 and all(right - left >= 10 for left, right in pairwise(entries))


def test_labels_do_not_overlap_and_those_without_place_are_tooltips():
    placer, knots = LabelPlacer(), [Knot(0.0, 0.0), Knot(0.0, 30.0)]
    taken = [placer.place("f32[2,3]", knots) for _ in range(6)]
    placed = [place for place in taken if place]
    assert 1 <= len(placed) < 6 and taken[-1] is None
    assert all(abs(first[1] - second[1]) >= 9 for first, second in pairwise(sorted(placed, key=lambda place: place[1])))
    scene = Scene(boxes={key: Box(key, (key,), "vector") for key in "ab"})
    for kind in ("data", "effect", "depend", "body", "x", "y"):
        scene.add(Arrow("a", "b", f"label {kind}", kind))
    picture = svg_of(scene)
    titles = [element.text for element in parse_svg(picture).iter(f"{SVG}title")]
    assert titles and {*titles, *texts(picture)} >= {arrow.text for arrow in scene.arrows.values()}
    assert sum("edge" in names for names in classes(picture)) == 6
