"""Schedules of single tasks, their files, and the schedule of a plan."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigraph import ops
from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.npu import Schedule, simulate
from minigraph.npu.schedules import load_schedules, parse_schedules, schedule_of, schedules_text
from minigraph.npu.tiling import layout_of
from tests.npu.graphs import matmul_add
from tests.npu.test_properties import CHIP, QUIET, products, vectors
from tests.tables import error_cases

PRODUCT_SCHEDULE, VECTOR_SCHEDULE = Schedule(base=(64, 64, 64)), Schedule(tile=1024, cores=8)
GRAPH = matmul_add()
PRODUCT, SUM = (row.node for row in simulate(GRAPH).rows)


def given_schedules(schedule):
    """The cores of both tasks, and the base of the product."""
    product, total = simulate(GRAPH, schedule=schedule).rows
    return product.schedule.base, total.schedule.cores


@pytest.mark.parametrize("key", [PRODUCT, f"%{PRODUCT}", simulate(GRAPH).rows[0].type])
def test_a_schedule_is_of_one_task_by_node_or_name(key):
    assert given_schedules({key: PRODUCT_SCHEDULE}) == (PRODUCT_SCHEDULE.base, given_schedules({})[1])


def test_a_node_comes_before_its_name_and_that_before_the_others():
    name = simulate(GRAPH).rows[0].type
    other = Schedule(base=(32, 32, 32))
    assert given_schedules({PRODUCT: PRODUCT_SCHEDULE, name: other, "*": other})[0] == PRODUCT_SCHEDULE.base
    assert given_schedules({name: PRODUCT_SCHEDULE, "*": other})[0] == PRODUCT_SCHEDULE.base
    assert given_schedules({"*": VECTOR_SCHEDULE})[1] == 8


def test_the_schedule_of_a_fused_node_has_a_part_for_its_epilogue():
    x = ops.ones((512, 512))

    def step(schedule):
        return simulate(lambda x: ops.gelu(x @ x), x, pipeline="cann", schedule=schedule).rows

    (row,) = step({})
    (task_row,) = step({row.name: Schedule(base=(64, 64, 32), vector=Schedule(tile=1024))})
    cube, vector = task_row.cost.layout.plans
    assert (cube.bm, cube.bn, cube.bk) == (64, 64, 32) and vector.per_core > row.cost.layout.vector.per_core


@pytest.mark.parametrize(("schedules", "error", "message"), [
    ({"matmull": PRODUCT_SCHEDULE}, UnknownNameError, "no task 'matmull' in matmul_add"),
    ({99: PRODUCT_SCHEDULE}, UnknownNameError, "no task '%99' in matmul_add"),
    ({PRODUCT: VECTOR_SCHEDULE}, UsageError, rf"schedule of %{PRODUCT} .*: cores is for vector work"),
    ({SUM: PRODUCT_SCHEDULE}, UsageError, rf"schedule of %{SUM} .*: base is for products"),
    ({SUM: Schedule(tile=1 << 20)}, UsageError, rf"schedule of %{SUM} .*: a tile of 1048576 elements does not fit UB"),
])  # fmt: skip
def test_a_schedule_of_no_task_or_of_other_work_is_refused(schedules, error, message):
    with pytest.raises(error, match=message):
        simulate(GRAPH, schedule=schedules)


def test_a_schedule_of_all_tasks_is_refused_if_none_of_them_can_use_a_field():
    x = ops.ones((64, 64))
    with pytest.raises(UsageError, match=r"schedule of %\d+ matmul: tile is for vector work"):
        simulate(lambda x: x @ x, x, schedule=Schedule(tile=64))
    with pytest.raises(UsageError, match=r"schedule of %\d+ exp: base is for products"):
        simulate(lambda x: x.exp(), x, schedule=PRODUCT_SCHEDULE)
    assert given_schedules(VECTOR_SCHEDULE)[1] == 8


def test_an_operator_in_a_fused_node_is_named_with_that_node():
    x = ops.ones((64, 64))
    with pytest.raises(
        UnknownNameError, match=r"no task 'gelu' in .*; it is fused in %\d+ MatMulEpilogue, so name that"
    ):
        simulate(lambda x: ops.gelu(x @ x), x, pipeline="cann", schedule={"gelu": VECTOR_SCHEDULE})


# ---- files ---------------------------------------------------------------------------------------------


def test_a_file_of_the_schedules_in_use_gives_the_same_run(tmp_path):
    report = simulate(GRAPH, schedule={PRODUCT: PRODUCT_SCHEDULE})
    file = tmp_path / "kernels.toml"
    file.write_text(schedules_text({f"%{row.node}": row.schedule for row in report.rows}))
    again = simulate(GRAPH, schedule=str(file))
    assert again.spans == report.spans and again.cycles != simulate(GRAPH).cycles


@pytest.mark.parametrize("schedule", [PRODUCT_SCHEDULE, VECTOR_SCHEDULE])
def test_fields_that_a_task_ignores_are_not_in_the_file_of_its_schedule(schedule):
    report = simulate(GRAPH, schedule=schedule)
    text = schedules_text({f"%{row.node}": row.schedule for row in report.rows})
    assert simulate(GRAPH, schedule=parse_schedules("kernels.toml", text)).cycles == report.cycles


@pytest.mark.parametrize(("text", "message"), [
    ("[matmul", "k.toml: not TOML"),
    ("base = [1, 2, 3]", "k.toml: 'base' is .*; write a table of a task"),
    ("[matmul]\nbases = 3", "k.toml: .matmul. has no field 'bases'; did you mean 'base'"),
    ("[matmul]\nbuffers = 12", "k.toml: .matmul.: schedule: buffers is 12"),
    ("[matmul.vector]\ntiles = 12", "k.toml: .matmul.vector. has no field 'tiles'; did you mean 'tile'"),
])  # fmt: skip
def test_errors_of_a_file_name_it_and_the_task(text, message):
    with pytest.raises(UsageError, match=message):
        parse_schedules("k.toml", text)


test_what_is_no_schedule_is_refused = error_cases(
    (5, "schedule: got 5; pass a Schedule, a mapping from tasks to Schedules, or a TOML file"),
    ({"matmul": {"buffers": 2}}, r"schedule: the value of 'matmul' is {'buffers': 2}; pass a Schedule\(...\)"),
    ([Schedule()], r"schedule: got \[Schedule"),
    by=lambda schedule: simulate(GRAPH, schedule=schedule),
    error=UsageError,
)


def test_a_field_of_a_file_has_its_old_name_too():
    with pytest.warns(DeprecationWarning, match=r"k.toml: \[matmul\]: the field 'together' was renamed"):
        assert parse_schedules("k.toml", "[matmul]\ntogether = true") == {"matmul": Schedule(shared_loads=True)}


def test_a_missing_file_is_an_error():
    with pytest.raises(UsageError, match=r"nowhere.toml: cannot read the schedule"):
        load_schedules("nowhere.toml")


# ---- the schedule of a plan ----------------------------------------------------------------------------


@given(st.one_of(products(), vectors()), CHIP)
@settings(max_examples=100, **QUIET)
def test_the_schedule_of_a_plan_gives_the_same_plan_also_from_a_file(job, chip):
    schedule = schedule_of(job, chip)
    assert parse_schedules("", schedules_text({"%1": schedule})) == {"%1": schedule}
    layout = layout_of(job, chip)
    assert replace(layout_of(job, chip, schedule), notes=layout.notes) == layout
    assert bool(schedule.base) == (len(layout.cube) == 1), "the schedule of one product is complete"
