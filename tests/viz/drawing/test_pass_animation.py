import re

import pytest

import passes
from minigraph import Tensor, jit, ops
from tests.viz.graphs import HOSTILE, Tags, hostile, record, step, texts
from viz.drawing.pass_animation import frames_of, pass_animation, union_of

NAMED = r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" fill="[^"]*">(%\d+ .*?)<'


def program(x):
    return ops.tanh(ops.neg(ops.neg(x)) * 2.0) + 1.0


@pytest.fixture(scope="module")
def records():
    graph = jit(program).graph(Tensor([1.0, 2.0]), pipeline=())
    return passes.as_pipeline("default").run(graph, snapshots=True)


def test_a_frame_for_each_pass_that_changed_something(records):
    changed = [record.name for record in records if record.changed]
    titles = [scene.title for scene in frames_of(records)]
    assert len(titles) == len(changed) + 2
    assert titles[0].startswith("program as captured: ") and titles[-1].startswith("program after the passes: ")
    assert [title.partition(":")[0] for title in titles[1:-1]] == changed


def test_unchanged_boxes_do_not_move(records):
    areas = {}
    for frame in pass_animation(records).split('class="frame')[1:]:
        for x, y, name in re.findall(NAMED, frame):
            assert areas.setdefault(name, (x, y)) == (x, y)
    assert len(areas) > 5


def test_one_frame_is_visible_at_a_time(records):
    picture = pass_animation(records, seconds=1.0)
    motions = [attrs for tag, attrs in Tags(picture).tags if tag == "animate"]
    count = len(frames_of(records))
    assert len(motions) == count and {attrs["dur"] for attrs in motions} == {f"{count}s"}
    turns = [(attrs["values"].split(";"), attrs["keytimes"].split(";")) for attrs in motions]
    for moment in range(count):
        share = (moment + 0.5) / count
        seen = [values[sum(float(time) <= share for time in times) - 1] for values, times in turns]
        assert seen == ["visible" if k == moment else "hidden" for k in range(count)]


def test_the_union_holds_every_box_with_room_for_a_mark(records):
    scenes = frames_of(records)
    union = union_of(scenes)
    assert set(union.boxes) == {key for scene in scenes for key in scene.boxes}
    assert all(box.status for box in union.boxes.values())


def test_an_empty_animation_is_a_message_and_hostile_names_are_text():
    for unchanged in ([], [record("same", step(), step(), changed=False)]):
        assert texts(pass_animation(unchanged))[0].startswith("no animation: no pass changed anything")
    changed = hostile()
    changed.set_outs([])
    picture = pass_animation([record(HOSTILE, hostile(), changed)])
    assert "<script" not in picture and any("<script>" in text for text in texts(picture))
