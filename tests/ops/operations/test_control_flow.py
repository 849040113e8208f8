"""Primitives of loops."""

from minigraph import Tensor, ops


def test_loops():
    x = Tensor([1.0, 2.0])
    assert ops.WhileLoop()(lambda v: v.sum() < 9, lambda v: v * 2, x).tolist() == [4.0, 8.0]
    assert ops.ForiLoop()(0, 3, lambda i, v: v + i, x).tolist() == [4.0, 5.0]
    last, rows = ops.Scan()(lambda s, row: (s + row, s), Tensor(0.0), x)
    assert (last.item(), rows.tolist()) == (3.0, [0.0, 1.0])
