"""Autotuning: never worse than the default plan, and better where that is known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import viz
from minigraph import float16, ops
from minigraph.core.errors import UnknownNameError, UsageError
from minigraph.npu import CHIPS, autotune, simulate
from minigraph.npu.job_cost import cost_of
from minigraph.npu.sweeps.tuning import tune
from tests.npu.graphs import empty_graph, matmul_add
from tests.npu.test_properties import CHIP, QUIET, products, vectors

FLOAT16_ONES = ops.ones((1024, 1024), float16)


@given(st.one_of(products(), vectors()), CHIP)
@settings(max_examples=24, **QUIET)
def test_the_best_schedule_is_never_slower_than_the_default_plan(job, chip):
    tuning = tune(1, "job", job, chip)
    head = round(cost_of(job, chip).head_us * chip.cores.freq_mhz)
    assert tuning.default.cycles == cost_of(job, chip).cycles + head
    assert tuning.simulated[0].cycles == cost_of(job, chip, schedule=tuning.best).cycles + head <= tuning.default.cycles
    assert tuning.simulated[0].point in tuning.landscape or tuning.simulated[0].point is None


@pytest.mark.parametrize("chip", ["ascend910b1", "ascend910_9391"])
def test_a_product_of_1024_is_faster_than_with_the_large_blocks_that_the_library_prefers(chip):
    tuning = autotune(lambda x, w: x @ w, FLOAT16_ONES, FLOAT16_ONES, chip=chip)
    report = simulate(lambda x, w: x @ w, FLOAT16_ONES, FLOAT16_ONES, chip=chip, schedule={tuning.node: tuning.best})
    assert tuning.speedup > 1.1 and report.cycles == tuning.simulated[0].cycles
    assert report.spans and report.rows[0].cost.verdict in str(tuning)


@pytest.mark.parametrize("function", [
    lambda x: ops.softmax(x), lambda x: ops.gelu(x @ x), lambda x: ops.scaled_dot_product_attention(x, x, x),
])  # fmt: skip
def test_vector_work_fused_bodies_and_attention_are_tuned_in_place(function):
    small = FLOAT16_ONES[:256, :128] if "attention" in function.__code__.co_names[-1] else FLOAT16_ONES
    tuning = autotune(function, small, chip="ascend910b1", pipeline="cann")
    report = simulate(function, small, chip="ascend910b1", pipeline="cann", schedule={tuning.node: tuning.best})
    (row,) = (row for row in report.rows if row.node == tuning.node)
    assert row.cycles == tuning.simulated[0].cycles <= tuning.default.cycles


def test_the_slowest_task_is_tuned_unless_another_one_is_named():
    graph = matmul_add()
    slowest = max(simulate(graph).rows, key=lambda row: row.cycles)
    other = min(simulate(graph).rows, key=lambda row: row.cycles)
    assert autotune(graph).node == slowest.node
    assert autotune(graph, node=other.type).node == autotune(graph, node=other.node).node == other.node


def test_the_landscape_is_a_picture_with_the_default_plan_and_the_best():
    tuning = autotune(matmul_add(1024, 1024, 1024))
    picture = viz.svg(tuning)
    assert picture == tuning._repr_svg_()
    assert picture.count("<g><title>") == len(tuning.landscape) > 50
    assert "frame: best, " in picture and "dashed: default plan, 128 x 256" in picture
    text = str(tuning)
    assert " default " in text and " best " in text and "% of default" in text


def test_errors():
    with pytest.raises(UnknownNameError, match="no task 'conv'"):
        autotune(matmul_add(), node="conv")
    with pytest.raises(UsageError, match="autotune: test has no task"):
        autotune(empty_graph())
    with pytest.raises(UsageError, match="name its task by node="):
        autotune(matmul_add(), 3)


def test_a_what_if_is_named():
    chip = next(iter(CHIPS))
    changed = autotune(matmul_add(), chip=chip).chip.replace(pool_gm=1.0)
    assert "what-if" in autotune(matmul_add(), chip=changed).title
