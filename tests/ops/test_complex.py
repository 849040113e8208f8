"""Parts of complex numbers: values, dtypes, gradients of the real part."""

import numpy as np
import pytest

from minigraph import Tensor, complex64, complex128, float32, float64, grad, ops
from minigraph.ops.complex import part_of

Z = np.array([1 + 2j, -3 + 0.5j, -1j])


@pytest.mark.parametrize("name", ["real", "imag", "conj", "angle"])
@pytest.mark.parametrize("dtype", [complex64, complex128])
def test_values(name, dtype):
    found = getattr(ops, name)(Tensor(Z, dtype))
    assert found.dtype is (dtype if name == "conj" else part_of(dtype))
    np.testing.assert_allclose(found.asnumpy(), getattr(np, name)(Z), rtol=1e-6)


@pytest.mark.parametrize("dtype", [float32, float64])
def test_real_numbers(dtype):
    x = Tensor([1.5, -2.0], dtype)
    assert ops.real(x).tolist() == ops.conj(x).tolist() == [1.5, -2.0]
    assert ops.imag(x).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(ops.angle(x).asnumpy(), [0, np.pi], rtol=1e-6)
    assert grad(lambda x: ops.real(x) * 3)(x).tolist() == [3.0, 3.0]


def test_the_gradient_of_a_real_part_is_real():
    slope = grad(lambda z: ops.real(z * z))(Tensor(Z))
    np.testing.assert_allclose(slope.asnumpy(), 2 * Z)
