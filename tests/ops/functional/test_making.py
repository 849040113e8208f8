"""Grids, diagonals and borders against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, float16, float32, int32, int64, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.ways import slopes, values
from tests.tables import cases, refusals

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
M, V = X[0], np.array([1.0, -2.0, 3.0], np.float32)


CASES = [
    (lambda x: ops.diagonal(x), M, np.diagonal(M)),
    (lambda x: ops.diagonal(x, 1), X, np.diagonal(X, 1)),
    (lambda x: ops.diagonal(x, -1, 1, 2), X, np.diagonal(X, -1, 1, 2)),
    (lambda x: ops.diagonal(x, 9), M, np.diagonal(M, 9)),
    (lambda x: ops.diag(x), V, np.diag(V)),
    (lambda x: ops.diag(x), M[:2, :2], np.diag(M[:2, :2].ravel()).reshape(2, 2, 2, 2)),
    (lambda x: ops.diagflat(x, 1), V, np.diagflat(V, 1)),
    (lambda x: ops.diag_embed(x, -1), V, np.diag(V, -1)),
    (lambda x: ops.diag_embed(x), M, np.stack([np.diag(row) for row in M])),
    (lambda x: ops.diag_embed(x, 0, 0, 2), M, np.stack([np.diag(row) for row in M]).transpose(1, 0, 2)),
    (lambda x: ops.vander(x), V, np.vander(V)),
    (lambda x: ops.vander(x, 2), V, np.vander(V, 2)),
    (lambda x: ops.block_diag(x, x[:1]), M, np.block([[M, np.zeros((3, 4))], [np.zeros((1, 4)), M[:1]]])),
    (lambda x: ops.block_diag(x, x), V, np.block([[V, V * 0], [V * 0, V]])),
    (lambda x: ops.meshgrid(x, x[:2])[1], V, np.meshgrid(V, V[:2])[1]),
    (lambda x: ops.meshgrid(x, x[:2], indexing="ij")[0], V, np.meshgrid(V, V[:2], indexing="ij")[0]),
    (lambda x: ops.meshgrid((x, x[:2], x))[2], V, np.meshgrid(V, V[:2], V)[2]),
    (lambda x: ops.combinations(x), V, [[1.0, -2.0], [1.0, 3.0], [-2.0, 3.0]]),
    (lambda x: ops.combinations(x, 1, True), V, V[:, None]),
    (lambda x: ops.cartesian_prod(x, x[:1]), V, [[1.0, 1.0], [-2.0, 1.0], [3.0, 1.0]]),
    (lambda x: ops.cartesian_prod(x), V, V),
    (lambda x: ops.pad(x, (1, 2)), M, np.pad(M, ((0, 0), (1, 2)))),
    (lambda x: ops.pad(x, (1, 0, 0, 2), value=5.0), M, np.pad(M, ((0, 2), (1, 0)), constant_values=5)),
    (lambda x: ops.pad(x, (-1, 1)), M, np.pad(M, ((0, 0), (0, 1)))[:, 1:]),
    (lambda x: ops.pad(x, (2, 1), "reflect"), X, np.pad(X, ((0, 0), (0, 0), (2, 1)), "reflect")),
    (lambda x: ops.pad(x, Tensor([1, 1, 2, 0]), "replicate"), X, np.pad(X, ((0, 0), (2, 0), (1, 1)), "edge")),
    (lambda x: ops.pad(x, (1, 2, 1, 0), "circular"), X, np.pad(X, ((0, 0), (1, 0), (1, 2)), "wrap")),
    (lambda x: ops.type_as(x, Tensor([1])), M, M.astype(np.int64)),
    (lambda x: ops.fills(x, 2.5), M, np.full_like(M, 2.5)),
]


test_values = values(CASES, rtol=1e-6)


test_slopes = slopes([(fn, array) for fn, array, _ in CASES[:-2] if "vander" not in str(fn)])


@cases(
    (ops.linspace(0, 1, 5), np.linspace(0, 1, 5, dtype=np.float32)),
    (ops.linspace(Tensor(2.0), Tensor(4.0), 3), np.float32([2, 3, 4])),
    (ops.linspace(3, 9, 1), np.float32([3])),
    (ops.logspace(0, 2, 3), np.float32([1, 10, 100])),
    (ops.range(0, 7, 3), np.array([0, 3, 6])),
    (ops.range(Tensor(1.0), Tensor(2.0), Tensor(0.5)), np.float32([1, 1.5])),
    (ops.tril_indices(3, 2, 1), np.stack(np.tril_indices(3, 1, 2))),
    (ops.triu_indices(3, 3, dtype=int32), np.stack(np.triu_indices(3)).astype(np.int32)),
    (ops.sequence_mask(Tensor([1, 3])), np.array([[True, False, False], [True, True, True]])),
    (ops.sequence_mask(Tensor([1]), 2), np.array([[True, False]])),
    (ops.fill(float16, (2,), 3), np.float16([3, 3])),
    (ops.scalar_to_tensor(3), np.float32(3)),
    (ops.scalar_to_tensor(3, int32), np.int32(3)),
    (ops.tuple_to_array((1, 2)), np.int32([1, 2])),
    (ops.tuple_to_array((1, 2.5)), np.float32([1, 2.5])),
    (ops.dyn_shape(Tensor(M)), np.array([3, 4])),
)
def test_made_of_numbers(found, expected):
    assert found.asnumpy().dtype == expected.dtype
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_what_a_tensor_is_and_the_dtype_of_places():
    # what a tensor is
    x = Tensor(M)
    assert (ops.numel(x), ops.dtype(x), str(ops.typeof(x))) == (12, float32, "Tensor[Float32]")
    assert [ops.is_tensor(x), ops.is_floating_point(x), ops.is_complex(x)] == [True, True, False]
    assert ops.is_complex(Tensor([1j]))
    assert not ops.is_floating_point(Tensor([1]))
    # the dtype of places
    assert ops.tril_indices(2, 2).dtype is int64


test_refusals = refusals(
    (lambda: ops.pad(Tensor(M), (1,)), ShapeError, r"pad: 1 widths for f32\[3,4\]; give two per axis"),
    (lambda: ops.pad(Tensor(M), (1, 1), "reflct"), UsageError, "pad: no mode 'reflct'; did you mean 'reflect'"),
    (lambda: ops.pad(Tensor(M), (4, 0), "reflect"), ShapeError, "pad: a border of 4 by 'reflect' needs more than 4"),
    (lambda: ops.diagonal(Tensor(M), 0, 1, 1), UsageError, "diagonal: dim1 and dim2 are both axis 1; give two"),
    (lambda: ops.meshgrid(Tensor(V), indexing="x"), UsageError, "meshgrid: indexing is 'xy' or 'ij', got 'x'"),
    (lambda: ops.linspace(0, 1, 0), UsageError, "linspace: 0 steps; give at least 1"),
)
