"""Sparse tensors: conversions, arithmetic, printing as MindSpore's, gradients and jit."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from tests.tables import error_cases

DENSE = np.array([[0, 1, 0, 0], [2, 0, 3, 0], [0, 0, 0, 0]], np.float32)
CSR = ms.CSRTensor(Tensor([0, 1, 3, 3]), Tensor([1, 0, 2]), Tensor([1.0, 2.0, 3.0]), (3, 4))
COO = CSR.to_coo()


def test_conversions_agree():
    for tensor in (CSR, COO, COO.to_csr(), Tensor(DENSE).to_coo(), Tensor(DENSE).to_csr(), COO.coalesce()):
        np.testing.assert_array_equal(tensor.to_dense().asnumpy(), DENSE)
    assert CSR.to_tuple()[3] == (3, 4) and (CSR.size, CSR.ndim, CSR.itemsize) == (3, 2, 4)
    assert CSR.astype(ms.float16).dtype is ms.float16


def test_arithmetic_is_that_of_dense_matrices():
    other = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) + 1)
    for result, expected in (
        (CSR + CSR, DENSE * 2), (CSR - CSR, DENSE * 0), (CSR * 2.0, DENSE * 2), (CSR * other, DENSE * other.asnumpy()),
        (CSR / other, DENSE / other.asnumpy()), (-CSR, -DENSE), (CSR.abs(), DENSE), (COO + COO, DENSE * 2),
        (COO * other, DENSE * other.asnumpy()),
    ):  # fmt: skip
        np.testing.assert_allclose(result.to_dense().asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(CSR.mm(other.T).asnumpy(), DENSE @ other.asnumpy().T)
    assert CSR.sum(1).tolist() == [[1], [5], [0]] and CSR.sum(0).tolist() == [[2, 1, 3, 0]]
    np.testing.assert_array_equal((COO + Tensor(DENSE)).asnumpy(), DENSE * 2)


def test_printing_has_no_commas():
    assert str(ms.RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))) == (
        "RowTensor(shape=[3, 2], dtype=Float32, indices=Tensor(shape=[1], dtype=Int64, value=[0]), "
        "values=Tensor(shape=[1, 2], dtype=Float32, value=\n[[ 1.00000000e+00  2.00000000e+00]]))"
    )


def test_they_pass_through_jit_and_gradients():
    assert ms.jit(lambda x: x.mv(ops.ones((4, 1))))(CSR).tolist() == [[1], [5], [0]]
    gradient = ms.grad(lambda v: (CSR.with_values(v).to_dense() ** 2).sum())(CSR.values)
    assert gradient.tolist() == [2, 4, 6]
    assert ms.RowTensor(Tensor([0]), Tensor([[1.0]]), (3, 1)).dense_shape == (3, 1)


test_errors = error_cases(
    (lambda: ms.COOTensor([[0]], Tensor([1.0]), (1,)), TypeError, "expected tensors"),
    (lambda: ms.COOTensor(Tensor([[0]]), Tensor([1.0]), (1, 2)), ValueError, "indices are"),
    (lambda: ms.CSRTensor(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), (2, 2)), ValueError, "one element more"),
)
