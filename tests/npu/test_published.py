"""The simulator against published measurements; run with -s to see the table and both halves of the split."""

import statistics
from itertools import pairwise

import pytest

from minigraph.npu.measure import cost_of
from minigraph.npu.registry import chip_named
from minigraph.types import float32
from tests.npu.jobs import matmul, measured
from tests.npu.published import FITTED, MISSED, PUBLISHED, UNTOLD, copied_into_l1, predicted

SEEN = {name for rows in FITTED.values() for name in rows}


def error(name):
    """Predicted over measured less one; for hit rates the difference."""
    row = PUBLISHED[name]
    if row.what == "hit":
        return (predicted(row) - measured()[name]) / 100
    return predicted(row) / measured()[name] - 1


ERRORS = {name: error(name) for name in PUBLISHED}


def size_of(names):
    """Median and 90th percentile of the absolute errors."""
    sizes = sorted(abs(ERRORS[name]) for name in names)
    return statistics.median(sizes), sizes[int(0.9 * len(sizes))]


def test_every_row_of_the_file_is_accounted_for():
    assert set(PUBLISHED) | set(UNTOLD) == set(measured())
    assert not set(PUBLISHED) & set(UNTOLD)
    assert set(MISSED) <= set(PUBLISHED)
    assert all(len(why) >= 5 for why in (*UNTOLD.values(), *MISSED.values()))


def test_all_rows():
    for name, off in ERRORS.items():
        fitted = "fitted" if name in SEEN else ""
        print(f"{name:10} {measured()[name]:12.2f} published {predicted(PUBLISHED[name]):12.2f} {off:+8.1%} {fitted}")
    median, ninetieth = size_of(PUBLISHED)
    print(f"all {len(PUBLISHED)}: median {median:.1%}, 90th percentile {ninetieth:.1%}")
    assert median <= 0.10
    assert ninetieth <= 0.30


@pytest.mark.parametrize("half", ["fitted", "not fitted"])
def test_rows_that_were_not_used_in_fitting_do_as_well(half):
    names = [name for name in PUBLISHED if (name in SEEN) == (half == "fitted")]
    median, _ = size_of(names)
    _, ninetieth = size_of([name for name in names if name not in MISSED])
    print(f"{half} {len(names)}: median {median:.1%}, 90th percentile without those explained {ninetieth:.1%}")
    assert median <= 0.10
    assert ninetieth <= 0.30


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_row_is_off_by_more_than_thirty_percent_but_the_known_ones(name):
    assert (abs(ERRORS[name]) <= 0.30) == (name not in MISSED), f"{name}: {ERRORS[name]:+.1%}"


@pytest.mark.parametrize(
    "ladder",
    [
        ("add0", "add2", "add3", "add4", "add5"), ("mm1", "mm3", "mm5", "mm8"), ("cp8", "cp12", "cp9", "cp3"),
        ("tn1", "tn2"), ("tn22", "tn24"), ("ct5", "ct3"), ("mo1", "mo3", "mo2"), ("pc5", "pc3", "pc1"), ("pg3", "pg1"),
        ("kb9", "kb10", "kb2"), ("kb38", "kb24", "kb38t"), ("kb22", "kb19"),
    ],
)  # fmt: skip
def test_ladders_keep_their_order(ladder):
    slower_first = [predicted(PUBLISHED[name]) for name in ladder]
    assert [measured()[name] for name in ladder] == sorted((measured()[name] for name in ladder), reverse=True)
    assert all(a >= 0.999 * b for a, b in pairwise(slower_first)), slower_first


def test_the_rows_named_exactly_in_the_design_hold():
    bounds = {"mm8": 0.03, "pg1": 0.15, "pg3": 0.06, "add4": 0.06, "add5": 0.05, "cp3": 0.05, "pc3": 0.10, "pc5": 0.10}
    assert {name: ERRORS[name] for name, bound in bounds.items() if abs(ERRORS[name]) > bound} == {}


def test_l2_is_a_cliff_at_its_capacity():
    assert predicted(PUBLISHED["cp8_hit"]) == pytest.approx(0, abs=0.01)
    assert predicted(PUBLISHED["cp9_hit"]) == pytest.approx(75, abs=0.01)


def test_copying_into_l1():
    print(f"cp6 {measured()['cp6']:12.2f} published {copied_into_l1():12.2f}")
    assert copied_into_l1() == pytest.approx(measured()["cp6"], rel=0.10)


def test_float32_out_of_three_float16_products():
    chip = chip_named("ascend910a")
    cost = cost_of(matmul(8192, 8192, 8192, float32), chip)
    assert 2 * 8192**3 / chip.us(cost.cycles) / 1e6 == pytest.approx(measured()["e5"], rel=0.30)


def test_a_fused_norm_saves_the_heads_of_its_parts():
    """L1Norm as three kernels was measured 3.09 times slower than as one; heads make most of it."""
    assert 2.4 <= predicted(PUBLISHED["kb38"]) / predicted(PUBLISHED["kb38t"]) <= 3.3
