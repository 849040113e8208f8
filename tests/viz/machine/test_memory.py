import re

import pytest

import viz
from minigraph import jit, ops, set_context, trace
from minigraph.execute.compile import compile_graph
from minigraph.lessons import numbers
from tests.tables import cases, results
from tests.viz.graphs import SVG, parsed
from viz.machine.memory import LEFT, MAX_STEPS, Allocation, peak_bytes, size_text, stays_of


def block(x, w, b):
    y = ops.tanh(x @ w + b)
    return ops.softmax(y @ w) + y


INPUTS = numbers(0, 8, 8), numbers(1, 8, 8), numbers(2, 8)


@pytest.fixture(params=[True, False], ids=["accelerated", "plain"])
def program(request):
    set_context(accel=request.param)
    return compile_graph(trace(block, *INPUTS))


def boxes(drawn):
    groups = [group for group in parsed(drawn).iter(f"{SVG}g") if "node" in group.get("class", "")]
    rects = [group.find(f"{SVG}rect") for group in groups]
    return [tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in rects]


def test_every_value_is_a_box_and_no_two_boxes_overlap(program):
    found = boxes(viz.memory_plan(program))
    assert len(found) == len(stays_of(program)) == len(program.plan.steps)
    for i, (x, y, wide, _) in enumerate(found):
        for other, row, width, _ in found[:i]:
            assert y != row or x >= other + width or other >= x + wide


def test_values_that_share_memory_share_a_row(program):
    rows = {}
    found = boxes(viz.memory_plan(program))
    for stay, (_, y, _, _) in zip(sorted(stays_of(program), key=by_buffer), found, strict=True):
        rows.setdefault(stay.buffer, set()).add(y)
    assert all(len(heights) == 1 for buffer, heights in rows.items() if buffer is not None)
    anew = sum(stay.buffer is None for stay in stays_of(program))
    assert len(set().union(*rows.values())) == len(program.plan.buffers) + anew


def by_buffer(stay):
    return (stay.buffer is None, stay.buffer if stay.buffer is not None else stay.first, stay.first)


def test_the_title_adds_up(program):
    stays = stays_of(program)
    drawn = viz.memory_plan(program)
    assert f"{size_text(program.plan.nbytes)} in {len(program.plan.buffers)} shared buffers" in drawn
    assert f"apart would take {size_text(sum(stay.nbytes for stay in stays))}" in drawn
    assert re.search(r"at least ([^<]*) is alive", drawn)[1] == size_text(peak_bytes(stays))
    assert peak_bytes(stays) <= program.plan.nbytes + sum(stay.nbytes for stay in stays if stay.buffer is None)


def test_a_value_is_alive_from_its_step_to_its_last_use_or_to_the_step_before_it_is_written_over(program):
    found = {(stay.name, stay.first): stay.last for stay in stays_of(program)}
    assert (found["matmul", 0], found["add", 1], found["tanh", 2], found["softmax", 4]) == (0, 1, 5, 5)
    assert {stay.buffer for stay in stays_of(program)} - {None} == {*range(len(program.plan.buffers))}


@pytest.mark.parametrize("source", ["graph", "program", "jit"])
def test_it_takes_a_graph_a_program_or_a_jitted_function(source, program):
    given = {"graph": (trace(block, *INPUTS),), "program": (program,), "jit": (jit(block, pipeline=()), *INPUTS)}
    assert boxes(viz.memory_plan(*given[source])) == boxes(viz.memory_plan(program))


def long(x):
    for _ in range(MAX_STEPS + 1):
        x = ops.tanh(x)
    return x


@cases(
    (None, "NoneType has no buffers"),
    (trace(lambda x: x, numbers(0, 2)), "no step makes a value"),
    (trace(long, numbers(0, 2)), "too many for a picture"),
)
def test_what_has_no_buffers_or_too_many_steps_says_so(source, says):
    assert says in viz.memory_plan(source)


def test_all_boxes_lie_inside(program):
    for width in (400.0, 2000.0):
        drawn = viz.memory_plan(program, width=width)
        assert all(x >= LEFT and x + wide <= width for x, _, wide, _ in boxes(drawn))


def test_the_peak_is_what_lives_at_once():
    stays = [Allocation("", "", 4, 0, 3, 0, ""), Allocation("", "", 8, 1, 1, 0, ""), Allocation("", "", 16, 2, 2, 0, "")]
    assert peak_bytes(stays) == 20
    assert peak_bytes([]) == 0


test_bytes_in_words = results(size_text, (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**31, "2 GiB"))
