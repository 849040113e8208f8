"""Boxes: the elements that a term of a sum is added to."""

import numpy as np

from minigraph.accel.schedule.index_ranges import are_disjoint, box_of
from minigraph.core.op import TABLE
from tests.tables import every

RANGES = [range(3), range(3, 5), range(4, 2, -1), range(0, 5, 2), range(1, 5, 2), range(2, 2)]


@every(second=RANGES, first=RANGES)
def test_disjoint_boxes_have_no_common_element(first, second):
    left, right = (first, range(4)), (second, range(2, 4))
    common = {(i, j) for i in first for j in range(4)} & {(i, j) for i in second for j in range(2, 4)}
    assert are_disjoint(left, right) is are_disjoint(right, left)
    assert not (are_disjoint(left, right) and common)
    if first.step == second.step == 1:
        assert are_disjoint(left, right) is not common


@every(key=[(1,), (1, 2), ((0, 3, 1), 2), (None, (2, None, -1)), ((1, 3, 1), None, (0, 4, 2))])
def test_the_box_of_a_key_has_the_elements_it_selects(key):
    op = TABLE["index_add"]
    picked = np.zeros((3, 4))[tuple(slice(*k) if isinstance(k, tuple) else k for k in key)]
    attrs = op.canonical(picked, key=key, shape=(3, 4))
    filled = op.forward(np.ones(picked.shape), **attrs)
    box = box_of(attrs["key"], attrs["shape"])
    assert {(i, j) for i in box[0] for j in box[1]} == {*zip(*map(list, np.nonzero(filled)), strict=True)}
