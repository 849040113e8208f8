"""Tuned matrix products: the same bits for every layout of the operands."""

import numpy as np
import pytest

from minigraph.accel.kernels import linalg
from minigraph.accel.kernels.linalg import matmul, matmul_kernel
from minigraph.operators.linalg import MATMUL
from tests.tables import cases

RNG = np.random.default_rng(0)
SIZES = [(16, 48, 128), (32, 400, 120), (128, 784, 512), (15, 48, 160), (129, 400, 300), (32, 96, 63)]


@pytest.mark.parametrize("sizes", SIZES)
def test_products_with_transposed_weights_have_the_same_bits_in_every_layout(sizes, one_blas_thread):
    rows, inner, columns = sizes
    x, weights = (RNG.normal(size=(n, inner)).astype(np.float32) for n in (rows, columns))
    padded, gaps = np.zeros((rows, inner + 16), np.float32), np.empty((rows, columns + 16), np.float32)[:, :columns]
    padded[:, :inner] = x
    product = matmul(x, weights.T)
    assert product.flags.c_contiguous and np.allclose(product, x.astype(np.float64) @ weights.T, rtol=1e-4, atol=1e-4)
    others = [matmul(padded[:, :inner], weights.T), matmul(x, weights.T, out=gaps), matmul(x[None], weights.T)[0]]
    kernel = matmul_kernel(x, weights.T)
    others += [matmul(x, weights.T, out=np.empty_like(product)), kernel(x, weights.T, np.empty_like(product))]
    others.append(MATMUL.forward(x, weights.T))
    assert len({np.ascontiguousarray(other).tobytes() for other in (product, *others)}) == 1


@cases(
    pytest.param(RNG.normal(size=(1, 4)), RNG.normal(size=(4, 5)), id="a row"),
    pytest.param(RNG.normal(size=(3, 4)), RNG.normal(size=(4, 1)), id="a column"),
    pytest.param(RNG.normal(size=(3, 8))[:, ::2], RNG.normal(size=(4, 5)), id="elements apart"),
    pytest.param(np.ones((3, 4), int), np.ones((4, 5), int), id="integers"),
)
def test_which_operands_need_checks(x, y):
    assert matmul_kernel(x, y) is None
    assert matmul(x, y).tobytes() == MATMUL.forward(x, y).tobytes()


def test_a_matrix_and_its_own_transpose_need_checks():
    x = RNG.normal(size=(30, 30))
    assert (
        matmul_kernel(x, x.T) is None and matmul_kernel(x, x) is None and matmul_kernel(x, x.copy()) is np.ndarray.dot
    )


@cases(
    pytest.param((64, 64), (64, 64), False, id="not divided"),
    pytest.param((64, 64), (64, 65), True, id="divided"),
    pytest.param((128, 256), (256, 65), False, id="large"),
    pytest.param((3, 64, 64), (3, 64, 65), True, id="a stack"),
    pytest.param((4,), (4, 5), False, id="a vector"),
)
def test_small_products_run_on_one_thread(monkeypatch, one_blas_thread, x, y, is_single):
    calls = []
    for name in ("_single_threaded_dot", "_single_threaded_matmul"):
        function = getattr(linalg, name)
        monkeypatch.setattr(linalg, name, lambda *args, function=function: calls.append(1) or function(*args))
    x, y = (RNG.normal(size=size).astype(np.float32) for size in (x, y))
    assert matmul(x, y).tobytes() == MATMUL.forward(x, y).tobytes()
    assert bool(calls) is is_single
    assert (matmul_kernel(x, y) is linalg._single_threaded_dot) is (is_single and x.ndim == 2)
