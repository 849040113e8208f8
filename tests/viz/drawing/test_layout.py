from tests.viz.graphs import chain, fused_step, hostile, random_dag, step
from viz.drawing.diff import diff
from viz.drawing.layout import GROUP_PADDING, Spot, box_size, layout_of
from viz.drawing.scene import Arrow, Box, Group, Scene, scene_of


def sides(spot):
    return spot.left, spot.top, spot.left + spot.width, spot.bottom


def inside(inner, outer):
    (left, top, right, bottom), (x0, y0, x1, y1) = sides(inner), sides(outer)
    return x0 <= left and right <= x1 + 1e-6 and y0 <= top and bottom <= y1 + 1e-6


def apart(one, other):
    (left, top, right, bottom), (x0, y0, x1, y1) = sides(one), sides(other)
    return right <= x0 or x1 <= left or bottom <= y0 or y1 <= top


def scenes():
    graphs = step(), fused_step(), random_dag(80), hostile()
    return [*map(scene_of, graphs), diff(step(), fused_step()).scene]


def test_every_box_lies_in_its_group_and_in_the_picture():
    for scene in scenes():
        layout = layout_of(scene)
        whole = Spot(-1e-6, -1e-6, layout.width + 1e-5, layout.height + 1e-5)
        for part in scene.boxes_and_groups():
            assert inside(layout.spots[part.key], layout.spots[part.parent] if part.parent else whole)


def test_boxes_never_overlap():
    for scene in scenes():
        layout = layout_of(scene)
        spots = [layout.spots[key] for key in scene.boxes]
        assert all(apart(one, other) for i, one in enumerate(spots) for other in spots[:i])


def test_no_other_box_lies_inside_a_group():
    scene = scene_of(fused_step())
    layout = layout_of(scene)
    frame = layout.spots["n14g0"]
    outside = [key for key, box in scene.boxes.items() if box.parent != "n14g0"]
    assert all(apart(layout.spots[key], frame) for key in outside)


def test_users_are_below_their_operands():
    scene = scene_of(step())
    spots = layout_of(scene).spots
    assert all(spots[arrow.tail].bottom < spots[arrow.head].top for arrow in scene.arrows.values())


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
    assert inside(layout.spots["c"], layout.spots["h"])
    assert inside(layout.spots["h"], layout.spots["g"])
    assert layout.spots["h"].top - layout.spots["g"].top >= GROUP_PADDING[1]
    assert layout.spots["a"].bottom < layout.spots["g"].top
    assert layout.spots["g"].bottom < layout.spots["d"].top
    assert set(layout.bends) == set(scene.arrows)


def test_empty_groups_and_scenes_are_laid_out():
    scene = Scene(groups={"g": Group("g", "nothing inside", "fused")})
    assert layout_of(scene).spots["g"].width > 0
    assert layout_of(Scene()).spots == {}


def test_layout_is_deterministic_and_handles_long_chains():
    scene = scene_of(random_dag(200))
    assert layout_of(scene) == layout_of(scene)
    assert len(layout_of(scene_of(chain(20_000))).spots) == 20_002
