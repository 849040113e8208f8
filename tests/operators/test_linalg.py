"""Matrix products: shapes, errors, and bits that depend on values only."""

from itertools import chain, product

import numpy as np
import pytest

from minigraph import Tensor, errors, float32, jit
from minigraph.core.op import apply, forward_of, op_named
from minigraph.core.op_fields import Macs
from minigraph.core.types import TensorType
from minigraph.operators.linalg import MATMUL, product_shape
from tests.tables import error_cases, every

SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 1, 2, 3), (5, 3, 2)), ((2, 2, 3), (3,)), ((0, 3), (3, 2))]


@pytest.mark.parametrize(("x", "y"), SHAPES)
def test_shapes_are_numpys(x, y):
    assert product_shape(x, y) == np.matmul(np.ones(x), np.ones(y)).shape


def test_the_error_of_different_inner_sizes_has_both_types_and_the_users_line():
    x, w = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((4, 5), np.float32))
    with pytest.raises(errors.ShapeError) as refused:
        x @ w
    assert str(refused.value).startswith("matmul: inner sizes differ, 3 and 4, in f32[2,3] @ f32[4,5] in `x @ w` (")


@pytest.fixture(params=["plain", "tuned"])
def forward(request):
    """The record's forward, and the accelerator's kernel."""
    return MATMUL.forward if request.param == "plain" else forward_of(MATMUL)


SIZES = [(1, 37, 23), (31, 38, 1), (16, 16, 16), (33, 65, 17), (40, 300, 101)]


def layouts(matrix):
    """The values of a matrix in several layouts, transposed views or not: contiguous, or in a larger array."""
    rows = np.repeat(matrix, 2, 0)
    return {
        "straight": [matrix, rows[::2], np.repeat(rows, 2, 1)[::2, ::2]],
        "transposed": [matrix.T.copy().T, np.repeat(matrix.T, 2, 0)[::2].T, matrix.T[::-1].copy()[::-1].T],
    }


def factors(sizes, dtype):
    """Two random matrices, m by k and k by n."""
    rng, (m, k, n) = np.random.default_rng(0), sizes
    return rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)


@every(right=["straight", "transposed"], left=["straight", "transposed"], sizes=SIZES, dtype=["float32", "float64"])
def test_bits_depend_on_values_and_transposes_only(forward, dtype, sizes, left, right):
    x, y = factors(sizes, dtype)
    assert len({forward(a, b).tobytes() for a in layouts(x)[left] for b in layouts(y)[right]}) == 1
    np.testing.assert_allclose(forward(x, y), x @ y, rtol=1e-4, atol=1e-5)


@every(sizes=SIZES, dtype=["float32", "float64"])
def test_bits_do_not_depend_on_shared_memory(forward, dtype, sizes):
    x, _ = factors(sizes, dtype)
    assert forward(x, x.T).tobytes() == forward(x, x.copy().T).tobytes()
    assert forward(x.T, x).tobytes() == forward(x.T, x.copy()).tobytes()


@every(sizes=[(1, 37, 23), (31, 38, 1)])
def test_rows_and_columns_have_the_same_bits_in_every_layout(forward, sizes):
    lefts, rights = (chain(*layouts(matrix).values()) for matrix in factors(sizes, "float32"))
    assert len({forward(a, b).tobytes() for a, b in product(lefts, rights)}) == 1


def test_work_counts_batch_axes_as_rows_and_integers_are_exact():
    # work joins the batch to the rows when the right side is one matrix
    work = op_named("matmul").work
    types = [TensorType(s, float32) for s in ((8, 2, 4), (8, 2, 3), (3, 4))]
    assert work(*types).macs == (Macs(1, 16, 3, 4),)
    types[2] = TensorType((8, 3, 4), float32)
    assert work(*types).macs == (Macs(8, 2, 3, 4),)
    assert work(*types).read == 4 * (48 + 96)
    # integers are multiplied exactly
    x = np.arange(6).reshape(2, 3)
    assert apply("matmul", Tensor(x), Tensor(x.T)).tolist() == (x @ x.T).tolist()


@every(sizes=[*product((1, 2, 3, 16, 33), repeat=3), (40, 300, 101), (96, 128, 96)], dtype=["float32", "float64"])
def test_products_of_two_matrices_have_the_bits_of_batched_ones(forward, dtype, sizes):
    """Tuned kernels compute the first by ``dot``, the others by ``matmul``; passes replace one by the other."""
    x, y = factors(sizes, dtype)
    flat, batched, into = forward(x, y), forward(x[None], y[None])[0], np.empty((sizes[0], sizes[2]), dtype)
    forward(x, y, out=into)
    assert flat.tobytes() == batched.tobytes() == into.tobytes()


@pytest.mark.parametrize("sizes", [(28, 101, 246), (16, 100, 200), (40, 300, 128), (8, 256, 256)])
def test_programs_on_views_that_blas_cannot_read_have_eager_modes_bits(sizes):
    """The kernel that a program binds computes the same as the forward."""
    rows, deep, columns = sizes
    rng = np.random.default_rng(0)
    x, w = (Tensor(rng.normal(size=(n, deep)).astype(np.float32)) for n in (rows, columns))

    def products(x, w):
        x, w = x + 1, w * 2
        return x @ w[::-1].T, x[::-1] @ w.T, x[:, ::-1] @ w[:, ::-1].T, x[:1].broadcast_to(x.shape) @ w.T

    for eager, compiled in zip(products(x, w), jit(products)(x, w), strict=True):
        assert eager.asnumpy().tobytes() == compiled.asnumpy().tobytes()


test_errors = error_cases(
    (lambda: Tensor([1.5]) @ Tensor([3]), errors.DTypeError, r"no promotion between f32\[1\] and i64\[1\]"),
    (lambda: Tensor(2.0) @ Tensor([1.0]), errors.ShapeError, "use . for scalars"),
    (lambda: Tensor(np.ones((2, 1, 1))) @ Tensor(np.ones((3, 1, 1))), errors.ShapeError, "batch axes of"),
)
