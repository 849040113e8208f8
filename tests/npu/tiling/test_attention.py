"""Attention kernels: scores stay in L2, blocks of results may be narrow, and single slots are tried."""

import pytest

from benchmarks.ascend.laws import attention
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16
from minigraph.npu import Schedule, simulate
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.tiling.attention import core_counts, exchanging, result_widths, workspace_bytes
from minigraph.npu.tiling.cube_blocks import Product

B1 = chip_named("ascend910b1")
WITH_ATTENTION = [name for name in sorted(CHIPS) if chip_named(name).library.attention]


def test_scores_larger_than_l2_are_no_traffic_of_device_memory():
    report = simulate(attention(32, 4096, 4096, 128), chip=B1)
    operands = 4 * 32 * 4096 * 128 * 2
    assert 10 * B1.buf.l2 < 32 * 4096 * 4096 * 4
    assert report.bytes["GM"] <= operands
    cold = simulate(attention(32, 4096, 4096, 128), chip=B1, warm=False)
    assert 0.7 * operands <= cold.bytes["GM"] <= 1.1 * operands


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_a_larger_head_and_more_heads_are_never_faster(name):
    us = [simulate(attention(32, 2048, 2048, depth), chip=name).us for depth in (112, 128, 144, 160)]
    assert us == sorted(us)
    half = simulate(attention(16, 2048, 2048, 128), chip=name).us
    assert half < us[1] <= 2.02 * half


def test_double_slots_are_never_slower_than_single_ones():
    graph = attention(12, 640, 1664, 128)
    double, single = (simulate(graph, chip="ascend910b4", schedule=s).us for s in (Schedule(), Schedule(buffers=1)))
    assert double <= single


def test_the_products_exchange_scores_in_a_workspace():
    scores, results = (Product(macs, float16, 4) for macs in (Macs(2, 512, 64, 512), Macs(2, 512, 512, 64)))
    first, second = exchanging([scores, results], 0, 8, 32)
    assert (first.workspace, first.exchanged, first.sides, first.aligned) == (workspace_bytes(8), "", (128, 128), "b")
    assert (second.workspace, second.exchanged, second.sides, second.aligned) == (0, "a", (128, 32), "a")
    assert {product.sharers_b for product in (first, second)} == {4}
    same = exchanging([scores, scores], 0, 8, 128)  # equal sizes: the index tells them apart
    assert [product.exchanged for product in same] == ["", "a"]


def test_numbers_of_cores_and_widths_to_try():
    assert core_counts(26, B1)[0] == 24
    assert 13 in core_counts(26, B1), "two turns on the fewest cores"
    assert result_widths(64, B1) == [64, 32]
    assert result_widths(16, B1) == [16]
