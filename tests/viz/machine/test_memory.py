import re
from xml.etree import ElementTree

import pytest

import minigraph as ms
import viz
from minigraph import ops
from minigraph.lessons import numbers
from minigraph.run.plan import planned
from minigraph.run.planning.blocks import FEWEST, PIECE
from viz.machine.memory import LEFT, STEPS, Stay, peak_bytes, size_text, stays_of

SVG = "{http://www.w3.org/2000/svg}"


def block(x, w, b):
    y = ops.tanh(x @ w + b)
    return ops.softmax(y @ w) + y


INPUTS = numbers(0, 8, 8), numbers(1, 8, 8), numbers(2, 8)


@pytest.fixture
def plan():
    return planned(ms.trace(block, *INPUTS))


def boxes(drawn):
    groups = [group for group in ElementTree.fromstring(drawn).iter(f"{SVG}g") if "node" in group.get("class", "")]
    rects = [group.find(f"{SVG}rect") for group in groups]
    return [tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in rects]


def test_every_value_is_a_box_and_no_two_boxes_overlap(plan):
    found = boxes(viz.memory_plan(plan))
    assert len(found) == len(stays_of(plan)) == len(plan.steps)
    for i, (x, y, wide, _) in enumerate(found):
        for other, row, width, _ in found[:i]:
            assert y != row or x >= other + width or other >= x + wide


def test_values_that_share_memory_share_a_row(plan):
    rows = {}
    for stay, (_, y, _, _) in zip(sorted(stays_of(plan), key=by_buffer), boxes(viz.memory_plan(plan)), strict=True):
        rows.setdefault(stay.buffer, set()).add(y)
    assert all(len(heights) == 1 for buffer, heights in rows.items() if buffer is not None)
    assert len(set().union(*rows.values())) == len(plan.buffers) + sum(s.buffer is None for s in stays_of(plan))


def by_buffer(stay):
    return (stay.buffer is None, stay.buffer if stay.buffer is not None else stay.first, stay.first)


def test_the_title_adds_up(plan):
    stays = stays_of(plan)
    drawn = viz.memory_plan(plan)
    assert f"{size_text(plan.nbytes)} in {len(plan.buffers)} shared buffers" in drawn
    assert f"apart would take {size_text(sum(stay.nbytes for stay in stays))}" in drawn
    assert found_peak(drawn) == size_text(peak_bytes(stays))
    assert peak_bytes(stays) <= plan.nbytes + sum(stay.nbytes for stay in stays if stay.buffer is None)


def found_peak(drawn):
    return re.search(r"at least ([^<]*) is alive", drawn)[1]


def test_what_is_written_over_ends_one_step_before(plan):
    found = {(stay.name, stay.first): stay.last for stay in stays_of(plan)}
    assert found["matmul", 0] == 0
    assert found["add", 1] == 1


def test_a_large_program_goes_in_pieces():
    """Between the steps of a run there is never more than a piece."""

    def program(x):
        return ((x * 2.0).tanh() * (x + 1.0).exp()).sum()

    plan = planned(ms.trace(program, numbers(0, 1024, 1024)))
    assert PIECE <= min(stay.nbytes for stay in stays_of(plan)[:-1]) <= (1 << 22) / FEWEST
    assert peak_bytes(stays_of(plan)) <= plan.nbytes + 4


def test_every_buffer_is_somebodys():
    """Also that of a copy by an operator that elsewhere is but a view."""
    plan = planned(ms.trace(lambda x: x.tanh().T.reshape(6, 2) @ numbers(0, 2, 2), numbers(0, 3, 4)))
    assert {stay.buffer for stay in stays_of(plan)} - {None} == {*range(len(plan.buffers))}
    assert "reshape" in [stay.name for stay in stays_of(plan)]


def test_a_value_is_alive_from_its_step_to_its_last_use(plan):
    found = {stay.name: (stay.first, stay.last) for stay in stays_of(plan)}
    assert found["tanh"] == (2, 5)
    assert found["softmax"] == (4, 5)


@pytest.mark.parametrize("source", ["graph", "plan", "jit"])
def test_it_takes_a_graph_a_plan_or_a_jitted_function(source, plan):
    given = {"graph": (ms.trace(block, *INPUTS),), "plan": (plan,), "jit": (ms.jit(block, pipeline=()), *INPUTS)}
    assert boxes(viz.memory_plan(*given[source])) == boxes(viz.memory_plan(plan))


@pytest.mark.parametrize(
    ("source", "says"),
    [(None, "NoneType has no buffers"), (ms.trace(lambda x: x, numbers(0, 2)), "no step makes a value")],
)
def test_what_has_no_buffers_says_so(source, says):
    assert says in viz.memory_plan(source)


def test_a_long_program_is_refused_in_words():
    def long(x):
        for _ in range(STEPS + 1):
            x = ops.tanh(x)
        return x

    assert "too many for a picture" in viz.memory_plan(ms.trace(long, numbers(0, 2)))


def test_all_boxes_lie_inside(plan):
    for width in (400.0, 2000.0):
        drawn = viz.memory_plan(plan, width=width)
        assert all(x >= LEFT and x + wide <= width for x, _, wide, _ in boxes(drawn))


def test_the_peak_is_what_lives_at_once():
    stays = [Stay("", "", 4, 0, 3, 0, ""), Stay("", "", 8, 1, 1, 0, ""), Stay("", "", 16, 2, 2, 0, "")]
    assert peak_bytes(stays) == 20
    assert peak_bytes([]) == 0


@pytest.mark.parametrize(("nbytes", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**31, "2 GiB")])
def test_bytes_in_words(nbytes, text):
    assert size_text(nbytes) == text


def test_what_is_written_over_parameters_takes_no_memory_of_its_own():
    ms.set_context(kernel_backend="numpy")  # numba's loops make new arrays
    weight = ms.Parameter(ops.zeros((512, 512)), name="weight")

    def step(x):
        ops.assign(weight, weight * 0.9 - x * 0.1)
        return x.sum()

    plan = planned(ms.trace(step, numbers(0, 512, 512)))
    over = {*plan.over, *plan.updated.values()}
    assert over, "large enough to be updated in place"
    told = [stay.name for stay in stays_of(plan)]
    assert "sum" in told and len(told) == len(plan.steps) - len(over)
    assert "4 B new at every call" in viz.memory_plan(plan)
