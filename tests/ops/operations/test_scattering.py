"""Primitives that scatter updates into new tensors, and reduce segments."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops

X, INDICES, UPDATES = Tensor([1.0, 4.0, 8.0]), Tensor([[2], [0]]), Tensor([2.0, 3.0])
EXPECTED = {
    "Update": [3.0, 4.0, 2.0], "Add": [4.0, 4.0, 10.0], "Sub": [-2.0, 4.0, 6.0], "Mul": [3.0, 4.0, 16.0],
    "Div": [1.0 / 3.0, 4.0, 4.0], "Max": [3.0, 4.0, 8.0], "Min": [1.0, 4.0, 2.0],
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_scattered_updates(name):
    result = getattr(ops, f"TensorScatter{name}")()(X, INDICES, UPDATES)
    assert result.tolist() == pytest.approx(EXPECTED[name])
    assert X.tolist() == [1.0, 4.0, 8.0]


def test_scattering_into_zeros_and_segments():
    assert ops.ScatterNd()(INDICES, UPDATES, (3,)).tolist() == [3.0, 0.0, 2.0]
    assert ops.UnsortedSegmentSum()(X, Tensor([1, 0, 1]), 2).tolist() == [4.0, 9.0]
    assert ops.UnsortedSegmentMax()(X, Tensor([1, 0, 1]), 2).tolist() == [4.0, 8.0]


def test_in_place_primitives_and_fills_return_new_tensors():
    x, v = Tensor(np.arange(9.0).reshape(3, 3)), Tensor(np.ones((2, 3)))
    assert ops.InplaceAdd([0, 1])(x, v)[0].tolist() == [1, 2, 3] and ops.InplaceSub([0, 1])(x, v)[1].tolist() == [
        2,
        3,
        4,
    ]
    assert ops.InplaceUpdateV2()(x, (2, 0), v)[2].tolist() == [1, 1, 1]
    assert ops.IndexFill()(x, 0, Tensor([1]), Tensor(7.0))[1].tolist() == [7, 7, 7]
    assert ops.FillDiagonal(5.0)(x).tolist()[1] == [3, 5, 5] and x[1, 1].item() == 4
    assert ops.MaskedScatter()(x, x > 6, Tensor(np.array([1.0, 2.0])))[2].tolist() == [6, 1, 2] and x[2, 2].item() == 8
    assert ops.TensorScatterElements(1)(x, Tensor([[0], [1], [2]]), Tensor(np.zeros((3, 1))))[2].tolist() == [6, 7, 0]
    weights = ms.Parameter(Tensor([1.0, 2.0]))
    ops.InplaceIndexAdd(0)(weights, Tensor([1], ms.int32), Tensor([3.0]))
    assert weights.asnumpy().tolist() == [1, 5]


def test_segments_of_rows():
    x, ids = Tensor([[1.0, 4.0], [3.0, 2.0], [5.0, 6.0]]), Tensor([0, 0, 2])
    expected = {
        "Sum": [[4, 6], [0, 0], [5, 6]], "Mean": [[2, 3], [0, 0], [5, 6]], "Max": [[3, 4], [0, 0], [5, 6]],
        "Min": [[1, 2], [0, 0], [5, 6]], "Prod": [[3, 8], [1, 1], [5, 6]],
    }  # fmt: skip
    for name, rows in expected.items():
        assert getattr(ops, f"Segment{name}")()(x, ids).tolist() == rows
        assert getattr(ops, f"Segment{name}")()(x.astype(ms.int32), ids).tolist() == rows
    slope = ms.grad(lambda x: ops.SegmentMean()(x, ids).sum())(x)
    assert slope.tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 1]]
    means = ops.sparse_segment_mean(x, Tensor([2, 0, 1]), Tensor([0, 0, 2]))
    assert means.tolist() == [[3, 5], [0, 0], [3, 2]]


def test_added_along_an_axis_and_replaced_rows():
    x = Tensor(np.zeros((2, 3)))
    added = ops.ScatterAddWithAxis(1)(x, Tensor([[0, 0], [2, 1]]), Tensor(np.ones((2, 2))))
    assert added.tolist() == [[2, 0, 0], [0, 1, 1]]
    assert ops.InplaceUpdate(indices=(1,))(x, Tensor(np.ones((1, 3)))).tolist() == [[0, 0, 0], [1, 1, 1]]
