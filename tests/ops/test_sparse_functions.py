"""Functions of sparse tensors: those of the values, sums, joins, and the softmax of rows."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.ops.sparse_functions import ELEMENTWISE

CSR = ms.CSRTensor(Tensor([0, 1, 3, 3]), Tensor([1, 0, 2]), Tensor([0.25, 0.5, 0.125]), (3, 4))
COO = CSR.to_coo()


@pytest.mark.parametrize("name", ELEMENTWISE.split())
def test_a_function_of_the_values(name):
    expected = getattr(ops, {"inv": "reciprocal"}.get(name, name))(CSR.values).asnumpy()
    for tensor, kind in ((CSR, "csr"), (COO, "coo")):
        np.testing.assert_array_equal(getattr(ops, f"{kind}_{name}")(tensor).values.asnumpy(), expected)


def test_sums_and_joins():
    assert ops.csr_add(CSR, CSR, Tensor(1.0), Tensor(2.0)).values.tolist() == [0.75, 1.5, 0.375]
    kept = ops.coo_add(COO, COO, Tensor(0.4))
    assert kept.values.tolist() == [0.5, 1.0]
    joined = ops.coo_concat((COO, COO), 1)
    assert joined.shape == (3, 8) and joined.indices.tolist() == [[0, 1], [0, 5], [1, 0], [1, 2], [1, 4], [1, 6]]
    soft = ops.csr_softmax(CSR, ms.float32)
    np.testing.assert_allclose(soft.sum(1).asnumpy(), [[1], [1], [0]], rtol=1e-6)


def test_parts_and_positions():
    assert ops.csr_tensor_get_indptr(CSR) is CSR.indptr and ops.coo_tensor_get_dense_shape(COO) == (3, 4)
    assert ops.coo2csr(ops.csr2coo(CSR.indptr, 3), 3).tolist() == [0, 1, 3, 3]
    indices, values, _ = ops.coalesce(Tensor([[0, 0, 1], [1, 1, 2]]), Tensor([1.0, 5.0, 4.0]), Tensor([3, 3]))
    assert indices.tolist() == [[0, 1], [1, 2]] and values.tolist() == [6, 4]
