from tests.viz.graphs import chain, fused_step, hostile, random_dag, step
from viz.drawing.diff import diff
from viz.drawing.layout import GROUP_PADDING, Rectangle, box_size, layout_of
from viz.drawing.scene import Arrow, Box, Group, Scene, scene_of


def sides(area):
    return area.left, area.top, area.left + area.width, area.bottom


def is_inside(inner, outer):
    (left, top, right, bottom), (x0, y0, x1, y1) = sides(inner), sides(outer)
    return x0 <= left and right <= x1 + 1e-6 and y0 <= top and bottom <= y1 + 1e-6


def are_disjoint(box, reference):
    (left, top, right, bottom), (x0, y0, x1, y1) = sides(box), sides(reference)
    return right <= x0 or x1 <= left or bottom <= y0 or y1 <= top


def scenes():
    graphs = step(), fused_step(), random_dag(80), hostile()
    return [*map(scene_of, graphs), diff(step(), fused_step()).scene]


def test_every_box_lies_in_its_group_and_in_the_picture():
    for scene in scenes():
        layout = layout_of(scene)
        picture = Rectangle(-1e-6, -1e-6, layout.width + 1e-5, layout.height + 1e-5)
        for part in scene.boxes_and_groups():
            assert is_inside(layout.areas[part.key], layout.areas[part.parent] if part.parent else picture)


def test_boxes_never_overlap():
    for scene in scenes():
        layout = layout_of(scene)
        areas = [layout.areas[key] for key in scene.boxes]
        assert all(are_disjoint(area, previous) for i, area in enumerate(areas) for previous in areas[:i])


def test_no_other_box_lies_inside_a_group():
    scene = scene_of(fused_step())
    layout = layout_of(scene)
    frame = layout.areas["n14g0"]
    outside = [key for key, box in scene.boxes.items() if box.parent != "n14g0"]
    assert all(are_disjoint(layout.areas[key], frame) for key in outside)


def test_users_are_below_their_operands():
    scene = scene_of(step())
    areas = layout_of(scene).areas
    assert all(areas[arrow.tail].bottom < areas[arrow.head].top for arrow in scene.arrows.values())


def test_a_box_is_as_wide_as_its_longest_line():
    narrow, wide = Box("a", ("x",), "vector"), Box("b", ("x", "a much longer second line"), "vector")
    assert box_size(wide)[0] > box_size(narrow)[0]
    assert box_size(wide)[1] > box_size(narrow)[1]
    assert box_size(Box("c", ("x" * 30,), "vector", status="added")) > box_size(Box("c", ("x" * 30,), "vector"))


def test_groups_in_groups_and_arrows_across_them():
    scene = Scene()
    scene.groups = {"g": Group("g", "outer", "fused"), "h": Group("h", "inner", "fused", parent="g")}
    scene.boxes = {
        key: Box(key, (key,), "vector", parent=parent) for key, parent in (("a", ""), ("b", "g"), ("c", "h"), ("d", ""))
    }
    for tail, head in ("ab", "bc", "cd", "ad"):
        scene.add(Arrow(tail, head))
    layout = layout_of(scene)
    assert is_inside(layout.areas["c"], layout.areas["h"])
    assert is_inside(layout.areas["h"], layout.areas["g"])
    assert layout.areas["h"].top - layout.areas["g"].top >= GROUP_PADDING[1]
    assert layout.areas["a"].bottom < layout.areas["g"].top
    assert layout.areas["g"].bottom < layout.areas["d"].top
    assert set(layout.bends) == set(scene.arrows)


def test_empty_groups_and_scenes_are_laid_out():
    scene = Scene(groups={"g": Group("g", "nothing inside", "fused")})
    assert layout_of(scene).areas["g"].width > 0
    assert layout_of(Scene()).areas == {}


def test_layout_is_deterministic_and_handles_long_chains():
    scene = scene_of(random_dag(200))
    assert layout_of(scene) == layout_of(scene)
    assert len(layout_of(scene_of(chain(20_000))).areas) == 20_002
