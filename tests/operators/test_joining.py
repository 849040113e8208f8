"""concat, stack, split and pad."""

import numpy as np

from minigraph import Tensor, errors, grad, jit, ops
from minigraph.core.op import apply
from tests.tables import cases, error_cases

A, B = np.arange(6.0).reshape(2, 3), np.arange(3.0).reshape(1, 3)


def test_concat_stack_pad_and_split():
    # concat and stack are numpys
    assert np.array_equal(ops.concat([Tensor(A), Tensor(B)]).array, np.concatenate([A, B]))
    assert np.array_equal(ops.stack((Tensor(A), Tensor(A)), -1).array, np.stack([A, A], -1))
    # pad adds a border of one value
    assert apply("pad", Tensor([1, 2]), widths=((1, 2),), value=9).tolist() == [9, 1, 2, 9, 9]
    # a single part is the tensor itself in every mode
    for run in (lambda fn: fn, jit):
        assert run(lambda x: ops.split(x, 2)[0] + 1)(Tensor(A)).shape == A.shape
        assert [part.shape for part in run(lambda x: ops.split(x, 2))(Tensor(A))] == [A.shape]
        assert [part.shape for part in run(lambda x: ops.chunk(x, 2))(Tensor(A[:0]))] == [(0, 3)]


def test_split_and_concat_are_inverse_and_gradients_are_split():
    # the gradient is split
    weights = Tensor(np.arange(9.0).reshape(3, 3))
    gradients = grad(lambda a, b: (ops.concat((a, b)) * weights).sum(), (0, 1))(Tensor(A), Tensor(B))
    assert [g.tolist() for g in gradients] == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8]]]
    # split and concat are inverse
    x = Tensor(np.arange(12.0).reshape(3, 4))
    assert ops.concat(ops.split(x, 3, 1), 1).tolist() == x.tolist()
    # an unused part has no gradient
    assert grad(lambda x: ops.split(x, 1)[1].sum())(Tensor(np.ones(3))).tolist() == [0.0, 1.0, 0.0]


@cases((2, 0, [(2, 4), (2, 4), (1, 4)]), ((1, 3), 1, [(5, 1), (5, 3)]), (9, 0, [(5, 4)]), ((0, 5), 0, [(0, 4), (5, 4)]))
def test_split_sizes(sizes, axis, shapes):
    parts = ops.split(Tensor(np.zeros((5, 4))), sizes, axis)
    assert [part.shape for part in parts] == shapes


test_errors = error_cases(
    (lambda: ops.concat(Tensor(A)), TypeError, "must be a tuple or list of tensors"),
    (lambda: ops.concat([]), errors.UsageError, "at least one tensor"),
    (lambda: ops.concat([Tensor(A), Tensor([1, 2])]), errors.DTypeError, "different dtypes"),
    (lambda: ops.concat([Tensor(A), Tensor(B)], 1), errors.ShapeError, "concat"),
    (lambda: ops.stack([Tensor(A), Tensor(B)]), errors.ShapeError, "stack"),
    (lambda: ops.split(Tensor(A), (1, 3)), errors.ShapeError, "do not add up to 2"),
    (lambda: ops.split(Tensor(A), 0), errors.UsageError, "at least 1"),
    (lambda: apply("pad", Tensor(A), widths=((1, 1),)), errors.ShapeError, "one .before, after. >= 0 per axis"),
    (lambda: apply("pad", Tensor([1]), widths=((1, 1),), value=-np.inf), errors.DTypeError, "does not fit into Int64"),
)
