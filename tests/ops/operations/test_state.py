"""Primitives that assign and order."""

from minigraph import Parameter, Tensor, float32, ops


def test_assigning_depending_and_looping():
    # assigning and depending
    # assigning
    p = Parameter(Tensor([1.0]), name="p")
    ops.Assign()(p, Tensor([5.0]))
    ops.AssignAdd()(p, 2.0)
    ops.AssignSub()(p, Tensor([1.0]))
    assert (p.tolist(), p.dtype) == ([6.0], float32)
    # depend gives its first operand
    assert ops.Depend()(Tensor([1.0]), Tensor([2.0])).tolist() == [1.0]
    # loops
    x = Tensor([1.0, 2.0])
    assert ops.WhileLoop()(lambda v: v.sum() < 9, lambda v: v * 2, x).tolist() == [4.0, 8.0]
    assert ops.ForiLoop()(0, 3, lambda i, v: v + i, x).tolist() == [4.0, 5.0]
    last, rows = ops.Scan()(lambda s, row: (s + row, s), Tensor(0.0), x)
    assert (last.item(), rows.tolist()) == (3.0, [0.0, 1.0])
