import re

import pytest

import viz
from minigraph import jit, ops, set_context, trace
from minigraph.execute.compile import compile_graph
from minigraph.lessons import numbers
from tests.tables import cases, results
from tests.viz.graphs import SVG, parse_svg
from viz.machine.memory import LEFT, MAX_STEPS, Allocation, allocations_of, peak_bytes, size_text


def block(x, w, b):
    y = ops.tanh(x @ w + b)
    return ops.softmax(y @ w) + y


INPUTS = numbers(0, 8, 8), numbers(1, 8, 8), numbers(2, 8)


@pytest.fixture(params=[True, False], ids=["accelerated", "plain"])
def program(request):
    set_context(accel=request.param)
    return compile_graph(trace(block, *INPUTS))


def boxes(picture):
    groups = [group for group in parse_svg(picture).iter(f"{SVG}g") if "node" in group.get("class", "")]
    rects = [group.find(f"{SVG}rect") for group in groups]
    return [tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in rects]


def test_every_value_is_a_box_and_no_two_boxes_overlap(program):
    rects = boxes(viz.memory_plan(program))
    assert len(rects) == len(allocations_of(program)) == len(program.plan.steps)
    for i, (x, y, wide, _) in enumerate(rects):
        for other, row, width, _ in rects[:i]:
            assert y != row or x >= other + width or other >= x + wide


def test_values_that_reuse_memory_share_a_row(program):
    rows = {}
    rects = boxes(viz.memory_plan(program))
    for value, (_, y, _, _) in zip(sorted(allocations_of(program), key=by_buffer), rects, strict=True):
        rows.setdefault(value.buffer, set()).add(y)
    assert all(len(heights) == 1 for buffer, heights in rows.items() if buffer is not None)
    per_call = sum(value.buffer is None for value in allocations_of(program))
    assert len(set().union(*rows.values())) == len(program.plan.buffers) + per_call


def by_buffer(value):
    return (value.buffer is None, value.buffer if value.buffer is not None else value.first, value.first)


def test_the_title_adds_up(program):
    allocations = allocations_of(program)
    picture = viz.memory_plan(program)
    assert f"{size_text(program.plan.nbytes)} in {len(program.plan.buffers)} reused buffers" in picture
    assert f"; {size_text(sum(value.nbytes for value in allocations))} without reuse" in picture
    assert re.search(r"reuse, ([^<]*) live at the peak", picture)[1] == size_text(peak_bytes(allocations))
    per_call = sum(value.nbytes for value in allocations if value.buffer is None)
    assert peak_bytes(allocations) <= program.plan.nbytes + per_call


def test_live_ranges_end_at_the_last_use_or_before_an_in_place_step(program):
    last = {(value.name, value.first): value.last for value in allocations_of(program)}
    assert (last["matmul", 0], last["add", 1], last["tanh", 2], last["softmax", 4]) == (0, 1, 5, 5)
    assert {value.buffer for value in allocations_of(program)} - {None} == {*range(len(program.plan.buffers))}


@pytest.mark.parametrize("source", ["graph", "program", "jit"])
def test_it_takes_a_graph_a_program_or_a_jitted_function(source, program):
    arguments = {"graph": (trace(block, *INPUTS),), "program": (program,), "jit": (jit(block, pipeline=()), *INPUTS)}
    assert boxes(viz.memory_plan(*arguments[source])) == boxes(viz.memory_plan(program))


def long(x):
    for _ in range(MAX_STEPS + 1):
        x = ops.tanh(x)
    return x


@cases(
    (None, "NoneType has no buffers"),
    (trace(lambda x: x, numbers(0, 2)), "no step allocates memory"),
    (trace(long, numbers(0, 2)), "too many for a picture"),
)
def test_no_buffers_or_too_many_steps_are_a_message(source, message):
    assert message in viz.memory_plan(source)


def test_all_boxes_lie_inside(program):
    for width in (400.0, 2000.0):
        picture = viz.memory_plan(program, width=width)
        assert all(x >= LEFT and x + wide <= width for x, _, wide, _ in boxes(picture))


def test_the_peak_is_the_maximum_of_live_bytes():
    ranges = ((4, 0, 3), (8, 1, 1), (16, 2, 2))
    allocations = [Allocation("", "", *sizes, 0, "") for sizes in ranges]
    assert peak_bytes(allocations) == 20
    assert peak_bytes([]) == 0


test_sizes_as_text = results(size_text, (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**31, "2 GiB"))
