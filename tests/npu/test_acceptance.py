"""Acceptance criteria of the simulator, by number.

Criteria 1, 2 and 5 are in ``test_published.py``, 4 and 8 in ``test_job_cost.py`` and ``tiling``, 6 in ``reports``, 10
in ``chips``; the agreement of the engines is in ``tiling/test_analytic.py``.
"""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, elementwise
from minigraph.npu import cycles, job_cost, simulate
from minigraph.npu.engine import queues
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import instruction_count
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import analytic
from minigraph.npu.tiling.layout import layout_of
from tests.npu.graphs import chain


@pytest.mark.parametrize("better", [
    {"pool_gm": 3.0, "pool_gm_write": 3.2, "pool_gm_roof": 3.6}, {"pool_l2": 12.0, "pool_l2_roof": 16.0},
    {"buf_l2": 1 << 29}, {"cores_aic": 48, "cores_aiv": 96}, {"buf_l1": 1 << 20, "buf_ub": 1 << 19},
    {"buf_l0c": 1 << 18},
])  # fmt: skip
def test_3_a_better_chip_is_never_slower(better):
    """Within 2 %: the larger tiles of a larger buffer may divide the work less evenly."""
    chip = B1.replace(**better)
    head = B1.task.head_us * B1.cores.freq_mhz
    for _, job in ALL_JOBS:
        assert cost_of(job, chip, "analytic").cycles + head <= 1.02 * (cost_of(job, B1, "analytic").cycles + head), job


def test_7_both_engines_are_deterministic():
    for engine in job_cost.ENGINES:
        for _, job in ALL_JOBS[::4]:
            first = cost_of(job, B1, engine)
            cost_of.cache_clear(), layout_of.cache_clear()
            assert cost_of(job, B1, engine) == first


def test_9_the_analytic_engine_steps_no_instruction_and_prices_equal_kernels_once(monkeypatch):
    """The speed is measured by ``python -m benchmarks.ascend --speed``, not by tests."""
    costs = []
    monkeypatch.setattr(queues, "run", lambda *args: pytest.fail("the analytic engine stepped instructions"))
    monkeypatch.setattr(job_cost, "layout_of", lambda *args: costs.append(args) or layout_of(*args))
    cost_of.cache_clear()
    assert simulate(chain(500), engine="analytic").cycles > 0
    assert len(costs) <= 3  # the first one may be cold
    assert cycles(chain(500)) > 0


def test_9_long_loops_are_extrapolated_so_that_memory_is_bounded():
    program = program_of(layout_of(elementwise(1 << 33, 2, 1, {"simple": 1}), B1).plans[0], B1)
    assert instruction_count(program.items) > 20_000
    assert len(queues.run(program, B1).spans) < 2_000
    assert analytic.vector_cycles(layout_of(elementwise(1 << 33, 2, 1, {"simple": 1}), B1).vector, B1) > 0
