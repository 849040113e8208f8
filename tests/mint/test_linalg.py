"""``mint.linalg`` against numpy."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.mint import linalg

A = np.array([[2.0, 1.0], [0.5, 3.0]], np.float32)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (linalg.inv(input=ms.Tensor(A)), np.linalg.inv(A)),
        (linalg.matrix_norm(ms.Tensor(A), ord=1, keepdim=True), [[4.0]]),
        (linalg.norm(ms.Tensor(A)), np.linalg.norm(A)),
        (linalg.vector_norm(ms.Tensor(A), dim=0), np.linalg.norm(A, axis=0)),
        (ms.ops.matmul(*linalg.qr(A=ms.Tensor(A), mode="reduced")), A),
    ],
)
def test_values_equal_numpy(result: ms.Tensor, expected: object) -> None:
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5)
