"""Valid values of a schedule, and the effect of every field on the kernel."""

import pytest

from minigraph.core.errors import UsageError
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16
from minigraph.npu import Schedule, chip_named
from minigraph.npu.engine import program_of
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import Job, layout_of

B1 = chip_named("ascend910b1")
SIZE = 1024
LANES = (("simple", SIZE * SIZE), ("special", SIZE * SIZE))


def product(lanes=(), n=SIZE, k=SIZE):
    work = Work((Macs(1, SIZE, k, n),), lanes, read=2 * (SIZE * k + k * n), written=2 * SIZE * n)
    return Job(work, float16, SIZE * max(n, k), "cube")


def elementwise():
    return Job(Work((), LANES, read=2 * SIZE * SIZE, written=2 * SIZE * SIZE), float16, SIZE * SIZE, "vector")


IMPOSSIBLE = [
    ({"buffers": 0}, "buffers is 0; use a whole number, from 1 to 8"),
    ({"buffers": 9}, "buffers is 9; use a whole number, from 1 to 8"),
    ({"l0_buffers": 3}, "l0_buffers is 3; use a whole number, from 1 to 2"),
    ({"tile": 0.5}, "tile is 0.5; use a whole number, at least 1"),
    ({"tile": True}, "tile is True; use a whole number, at least 1"),
    ({"base": (128, 256)}, "base is (128, 256); use 3 whole numbers"),
    ({"grid": 24}, "grid is 24; use 2 whole numbers"),
    ({"tile_counts": (2, 3)}, "tile_counts (2, 3) counts tiles of a base block; state base, too"),
    ({"order": "k"}, "order is 'k'; use one of '', 'm', 'n'"),
    ({"nd2nz": "MTE1"}, "nd2nz is 'MTE1'; use one of '', 'MTE2', 'V'"),
    ({"epilogue": "M"}, "epilogue is 'M'; use one of '', 'FIXP', 'V'"),
    ({"compute": "S", "tile": 8}, "compute='S' is a loop on one scalar unit, without tile; remove one of them"),
]


@pytest.mark.parametrize(("fields", "message"), IMPOSSIBLE)
def test_values_that_no_kernel_has_are_refused(fields, message):
    with pytest.raises(UsageError) as error:
        Schedule(**fields)
    assert str(error.value) == f"schedule: {message}"


def test_lists_are_tuples_and_the_text_has_the_fixed_fields():
    assert repr(Schedule(grid=[6, 4], vector=Schedule(tile=64))) == "Schedule(grid=(6, 4), vector=Schedule(tile=64))"


# ---- the plan ------------------------------------------------------------------------------------------

RINGS = [
    (product(), {"base": (128, 128, 64), "buffers": 3}, {"l1": 3, "l0": 2, "l0c": 2}),
    (product(), {"buffers": 1, "l0_buffers": 1, "l0c_buffers": 1}, {"l1": 1, "l0": 1, "l0c": 1}),
    (product(), {"base": (128, 256, 128), "l0_buffers": 1, "unit_flag": True}, {"l0": 1, "l0c": 2}),
    (elementwise(), {"buffers": 1}, {"in": 1, "out": 1}),
    (elementwise(), {"buffers": 4, "tile": 4096}, {"in": 4, "out": 4}),
]


@pytest.mark.parametrize(("job", "fields", "rings"), RINGS)
def test_buffers_are_the_slots_of_the_rings(job, fields, rings):
    (plan,) = layout_of(job, B1, Schedule(**fields)).plans
    assert rings.items() <= program_of(plan, B1).rings.items()


@pytest.mark.parametrize(("order", "resident"), [("m", {"b", ""}), ("n", {"a", ""})])
def test_the_loop_order_decides_which_operand_stays(order, resident):
    (plan,) = layout_of(product(k=256, n=8192), B1, Schedule(order=order, base=(128, 256, 64))).cube
    assert plan.order == order and plan.resident in resident


QUEUES = [
    (product(k=1023), Schedule(nd2nz="MTE2"), {"MTE2", "M", "FIXP"}, set()),
    (product(k=1023), Schedule(nd2nz="V"), {"M"}, {"MTE3"}),
    (product((("simple", SIZE * SIZE),)), Schedule(epilogue="FIXP"), {"FIXP"}, set()),
    (product((("simple", SIZE * SIZE),)), Schedule(epilogue="V"), {"FIXP"}, {"V", "MTE3"}),
    (elementwise(), Schedule(compute="V"), set(), {"MTE2", "V", "MTE3"}),
    (elementwise(), Schedule(compute="S"), set(), {"S"}),
]


@pytest.mark.parametrize(("job", "schedule", "cube", "vector"), QUEUES)
def test_the_queues_of_a_schedule_do_the_work(job, schedule, cube, vector):
    busy = {"aic": set(), "aiv": set()}
    for part in cost_of(job, B1, schedule=schedule).parts:
        busy[part.core] |= {queue for queue, cycles in part.busy.items() if cycles}
    assert cube <= busy["aic"] and vector <= busy["aiv"] and (vector or not busy["aiv"])


MISFITS = [
    (product(), Schedule(base=(256, 128, 64), l0c_buffers=2), "bytes of L0C"),
    (product(), Schedule(base=(128, 256, 128)), "bytes of L0B"),
    (product(), Schedule(base=(56, 16, 288)), r"base \(56, 16, 288\) needs 73728 bytes of L0A, which has 65536"),
    (product(), Schedule(base=(128, 256, 64), tile_counts=(1, 1)), r"has 1 along m; \d+ elements in blocks of"),
    (product(), Schedule(base=(128, 256, 64), tile_counts=(999, 999)), r"tile_counts \(999, 999\) has 999 along m"),
    (product(LANES), Schedule(epilogue="FIXP"), "FixPipe casts, scales, clamps and adds one row"),
    (elementwise(), Schedule(buffers=8, tile=16384), "does not fit UB"),
]


@pytest.mark.parametrize(("job", "schedule", "message"), MISFITS)
def test_a_schedule_that_does_not_fit_is_refused(job, schedule, message):
    with pytest.raises(UsageError, match=message):
        layout_of(job, B1, schedule)


def attention():
    """Two products with rowwise work between them."""
    sizes = Macs(1, SIZE, 64, SIZE), Macs(1, SIZE, SIZE, 64)
    work = Work(sizes, LANES, read=6 * SIZE * 64, written=2 * SIZE * 64, rows=(SIZE, SIZE))
    return Job(work, float16, SIZE * SIZE, "cube")


@pytest.mark.parametrize(("job", "chip", "schedule", "message"), [
    (product(), "ascend310p3", Schedule(unit_flag=True), "unit_flag: Ascend 310P3 has no FixPipe"),
    (attention(), "ascend310p3", Schedule(epilogue="FIXP"), "epilogue='FIXP': Ascend 310P3 has no FixPipe"),
    (attention(), "ascend910b1", Schedule(epilogue="FIXP"), "epilogue='FIXP' does not fit attention"),
    (attention(), "ascend910b1", Schedule(split_k=2), "split_k=2 does not fit attention"),
])  # fmt: skip
def test_a_field_without_effect_on_a_chip_or_kernel_is_refused(job, chip, schedule, message):
    with pytest.raises(UsageError, match=message):
        layout_of(job, chip_named(chip), schedule)
