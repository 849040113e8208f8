"""Work: a sum of what operators do, with nothing of any chip in it."""

from itertools import permutations

import pytest

from minigraph.core.fields import Macs, Work

PRODUCT = Work(macs=(Macs(1, 2, 3, 4),), read=72, written=32)
SOFTMAX = Work(lanes=(("simple", 6), ("special", 3)), rows=(2, 3), passes=3, read=24, written=24)
GUESS = Work(lanes=(("gather", 5), ("simple", 1)), rows=(1, 9), read=1, exact=False)


@pytest.mark.parametrize(
    ("macs", "total"),
    [(Macs(1, 2, 3, 4), 24), (Macs(5, 2, 3, 4), 120), (Macs(1, 8, 9, 2, window=9), 144), (Macs(3, 0, 3, 4), 0)],
)
def test_products_count_each_multiply_accumulate_once(macs: Macs, total: int) -> None:
    assert macs.total == total


def test_nothing_is_the_zero_of_the_sum() -> None:
    for work in (PRODUCT, SOFTMAX, GUESS, Work()):
        assert work + Work() == Work() + work == work


def test_products_are_listed_lanes_and_bytes_added_by_kind() -> None:
    both = PRODUCT + PRODUCT
    assert both.macs == (Macs(1, 2, 3, 4), Macs(1, 2, 3, 4)) and (both.read, both.written) == (144, 64)
    assert (SOFTMAX + GUESS).lanes == (("gather", 5), ("simple", 7), ("special", 3))


def test_the_worst_row_and_most_sweeps_decide_and_one_guess_makes_a_guess() -> None:
    both = SOFTMAX + GUESS
    assert (both.rows, both.passes, both.exact) == ((2, 3), 3, False)
    assert (PRODUCT + SOFTMAX).rows == (SOFTMAX + PRODUCT).rows == (2, 3) and (PRODUCT + SOFTMAX).exact


def test_the_order_of_adding_does_not_matter() -> None:
    sums = [a + b + c for a, b, c in permutations((PRODUCT, SOFTMAX, GUESS))]
    assert all(total == sums[0] for total in sums)
    assert hash(sums[0]) == hash(sums[1])


def test_work_is_not_changed_by_adding() -> None:
    before = repr(SOFTMAX)
    _ = SOFTMAX + GUESS
    assert repr(SOFTMAX) == before
    with pytest.raises(AttributeError):
        SOFTMAX.read = 1  # type: ignore[misc]
