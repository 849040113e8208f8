"""Work is additive and independent of any chip."""

from itertools import permutations

import pytest

from minigraph.core.op_fields import Macs, Work
from tests.tables import cases

PRODUCT = Work(macs=(Macs(1, 2, 3, 4),), read=72, written=32)
SOFTMAX = Work(lanes=(("simple", 6), ("special", 3)), rows=(2, 3), passes=3, read=24, written=24)
GUESS = Work(lanes=(("gather", 5), ("simple", 1)), rows=(1, 9), read=1, exact=False)


@cases((Macs(1, 2, 3, 4), 24), (Macs(5, 2, 3, 4), 120), (Macs(1, 8, 9, 2, window=9), 144), (Macs(3, 0, 3, 4), 0))
def test_products_count_each_multiply_accumulate_once(macs: Macs, total: int) -> None:
    assert macs.total == total


def test_a_sum_lists_products_adds_lanes_and_bytes_and_takes_the_longest_row_and_most_passes() -> None:
    twice, both, before = PRODUCT + PRODUCT, SOFTMAX + GUESS, repr(SOFTMAX)
    assert twice.macs == (Macs(1, 2, 3, 4), Macs(1, 2, 3, 4)) and (twice.read, twice.written) == (144, 64)
    assert both.lanes == (("gather", 5), ("simple", 7), ("special", 3))
    assert (both.rows, both.passes, both.exact) == ((2, 3), 3, False)
    assert (PRODUCT + SOFTMAX).rows == (SOFTMAX + PRODUCT).rows == (2, 3) and (PRODUCT + SOFTMAX).exact
    assert repr(SOFTMAX) == before
    with pytest.raises(AttributeError):
        SOFTMAX.read = 1


def test_empty_work_is_neutral_and_addition_is_commutative_and_associative() -> None:
    for work in (PRODUCT, SOFTMAX, GUESS, Work()):
        assert work + Work() == Work() + work == work
    sums = [a + b + c for a, b, c in permutations((PRODUCT, SOFTMAX, GUESS))]
    assert all(total == sums[0] for total in sums)
    assert hash(sums[0]) == hash(sums[1])
