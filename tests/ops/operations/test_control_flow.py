"""Primitives of loops, and of functions."""

from minigraph import Tensor, grad, ops


def test_loops():
    x = Tensor([1.0, 2.0])
    assert ops.WhileLoop()(lambda v: v.sum() < 9, lambda v: v * 2, x).tolist() == [4.0, 8.0]
    assert ops.ForiLoop()(0, 3, lambda i, v: v + i, x).tolist() == [4.0, 5.0]
    last, rows = ops.Scan()(lambda s, row: (s + row, s), Tensor(0.0), x)
    assert (last.item(), rows.tolist()) == (3.0, [0.0, 1.0])


def test_functions_as_primitives():
    def product(x, y):
        return x * y

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert ops.Morph(product, None, None)(x, y).tolist() == [3, 8]
    assert grad(ops.Reusing()(ops.Morph(product, None, None).__call__), (0, 1))(x, y)[0].tolist() == [3, 4]
    own = ops.Morph(product, None, None, lambda x, y, out, dout: (dout * 10, dout * 20))
    assert [g.tolist() for g in grad(lambda x, y: own(x, y), (0, 1))(x, y)] == [[10, 10], [20, 20]]
