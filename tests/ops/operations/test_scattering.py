"""Primitives that scatter updates into new tensors, and reduce segments."""

import pytest

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
