"""The analytic model is within 5 % of the event engine on every class of operators; -s prints the differences."""

import pytest

from benchmarks.ascend.jobs import B1, CLASSES, elementwise, matmul
from minigraph.npu.chips import registry
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import ScalarPlan

CHIPS = [chip_named(name) for name in registry.CHIPS]


def ratio(job, chip):
    """Analytic over event engine, without head overheads."""
    return cost_of(job, chip, "analytic").cycles / cost_of(job, chip, "event").cycles


@pytest.mark.parametrize("chip", CHIPS, ids=str)
@pytest.mark.parametrize("name", CLASSES)
def test_every_class_agrees_within_five_percent(name, chip):
    ratios = {job: ratio(job, chip) - 1 for job in CLASSES[name]}
    worst = max(ratios, key=lambda job: abs(ratios[job]))
    print(f"{name} on {chip}: worst {ratios[worst]:+.2%} of {len(ratios)}, {worst.work.macs or worst.work.rows}")
    assert abs(ratios[worst]) <= 0.05, worst


def test_a_scalar_loop_is_linear_and_cube_and_vector_work_overlap_in_a_mix_kernel():
    assert analytic.scalar_cycles(ScalarPlan(100, 0, 0), B1) == 3400
    layout = layout_of(matmul(1024, 1024, 1024), B1)
    assert analytic.overlapped_cycles(layout, 1000, 0, B1) == 1000
    mixed = type(layout)(cube=layout.cube, vector=layout_of(elementwise(1024 * 1024, 1, 1, {"special": 4}), B1).vector)
    assert 20_000 < analytic.overlapped_cycles(mixed, 20_000, 10_000, B1) <= 30_000
    scarce, through_l2 = B1.replace(pool_l2=0.6), sum(analytic.traffic(plan)[1] for plan in mixed.plans)
    shared = through_l2 / scarce.per_cycle(0.6)  # both halves share one L2
    assert analytic.overlapped_cycles(mixed, 20_000, 10_000, scarce) >= shared > 20_000
