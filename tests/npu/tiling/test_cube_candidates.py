"""Candidates for a product: each fits the buffers, and none is cheaper than its bound."""

from dataclasses import replace

import pytest

from benchmarks.ascend.jobs import B1, convolution, matmul
from minigraph.core.fields import Macs
from minigraph.core.types import float16, float32
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import cube_analytic, layout_of
from minigraph.npu.tiling.cube_candidates import LARGE, Product, candidates, image_of, spans_of
from minigraph.npu.tiling.cube_tiling import _laid_out
from minigraph.npu.tiling.plan import DEFAULT, Schedule

SHAPES = [(1024, 4096, 2048), (128, 1024, 30720), (100, 100, 100), (20, 16384, 6144)]


def product(m, k, n, dtype=float16, **more):
    """One product of (m,k) @ (k,n)."""
    return Product(Macs(1, m, k, n, **more), dtype, dtype.itemsize, 1.0)


@pytest.mark.parametrize("dtype", [float16, float32], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_no_candidate_beats_its_bound_and_all_fit(shape, dtype):
    asked = product(*shape, dtype)
    for candidate in candidates(asked, B1, DEFAULT):
        plan = _laid_out(asked, candidate, B1, DEFAULT)
        assert candidate.bound <= cube_analytic.cube_cycles(plan, B1)
        item, depth = dtype.itemsize, plan.blocks * plan.bk
        kept = {"a": plan.bm, "b": plan.bn, "": 0}[plan.resident] * depth * item
        moving = {"a": plan.bn, "b": plan.bm, "": plan.bm + plan.bn}[plan.resident]
        assert kept + plan.buffers * moving * plan.bk * plan.step_k * item <= B1.buf.l1
        assert 2 * plan.bm * plan.bk * item <= B1.buf.l0a
        assert 2 * plan.bk * plan.bn * item <= B1.buf.l0b


def test_what_several_tiles_share_may_stay_in_l1_unless_the_schedule_keeps_nothing():
    grid = Schedule(base=(128, 256, 64), grid=(1, 24), keep=False)
    for asked, schedule, kept in (
        (product(128, 1024, 30720), DEFAULT, {"", "a"}),
        (product(128, 1024, 30720), Schedule(keep=False), {""}),
        (product(512, 1024, 8192), grid, {""}),
    ):
        assert {candidate.resident for candidate in candidates(asked, B1, schedule)} == kept


def test_large_products_take_the_librarys_blocks_and_a_split_k_never_shares_an_operand_across_its_parts():
    found = {(c.shape.bm, c.shape.bn) for c in candidates(product(4096, 4096, 4096), B1, DEFAULT)}
    assert found == set(LARGE)
    assert len({c.shape[:2] for c in candidates(product(256, 4096, 256), B1, DEFAULT)}) > 4
    split = [candidate.shape for candidate in candidates(product(423, 8192, 64), B1, DEFAULT)]
    assert all(shape.run("b") <= shape.along[0] for shape in split)


def test_an_image_is_loaded_in_bands():
    macs = convolution(4, 128, 8, 48, 1536).work.macs[0]
    shape = next(iter(candidates(Product(macs, float16, 2), B1, DEFAULT))).shape
    assert spans_of(macs, shape) == -(-shape.bm // 48)
    assert 1 / 9 < image_of(macs, shape) < 1
    assert image_of(Macs(1, 64, 64, 64), shape) == 1.0
    assert image_of(Macs(1, 64, 576, 64, window=9), shape) == 1 / 9  # its rows are not known


def test_with_one_slot_an_operand_may_stay_in_l1_and_nothing_is_loaded_ahead():
    late = Schedule(base=(128, 128, 64), step_k=8, grid=(1, 24), split_k=1, buffers=1)
    job = matmul(128, 512, 24576)
    assert layout_of(job, B1, late).cube[0].resident == "a"
    slow, fast = (cost_of(job, B1, "event", one).cycles for one in (late, replace(late, buffers=2)))
    assert slow > 1.1 * fast
    assert cost_of(job, B1, "analytic", late).cycles == pytest.approx(slow, rel=0.05)
