"""Parts of complex numbers: values, dtypes, gradients."""

import numpy as np

from minigraph import Tensor, complex64, complex128, float32, float64, grad, ops
from minigraph.operators.complex import real_dtype
from tests.tables import every

Z = np.array([1 + 2j, -3 + 0.5j, -1j])


@every(dtype=[complex64, complex128], name=["real", "imag", "conj", "angle"])
def test_values(name, dtype):
    result = getattr(ops, name)(Tensor(Z, dtype))
    assert result.dtype is (dtype if name == "conj" else real_dtype(dtype))
    np.testing.assert_allclose(result.asnumpy(), getattr(np, name)(Z), rtol=1e-6)


@every(dtype=[float32, float64])
def test_real_numbers(dtype):
    x = Tensor([1.5, -2.0], dtype)
    assert ops.real(x).tolist() == ops.conj(x).tolist() == [1.5, -2.0]
    assert ops.imag(x).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(ops.angle(x).asnumpy(), [0, np.pi], rtol=1e-6)
    assert grad(lambda x: ops.real(x) * 3)(x).tolist() == [3.0, 3.0]


def test_the_gradient_of_a_real_part_is_real():
    np.testing.assert_allclose(grad(lambda z: ops.real(z * z))(Tensor(Z)).asnumpy(), 2 * Z)


X, Y = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.25, -1.0])
OF_COMPLEX = {
    "imag": (ops.imag, np.imag),
    "angle": (ops.angle, np.angle),
    "size": (ops.ComplexAbs(), np.abs),
    "of a product": (lambda z: ops.imag(z * z * ops.conj(z)), lambda z: np.imag(z * z * np.conj(z))),
}


@every(name=OF_COMPLEX)
def test_gradients_by_both_parts_are_finite_differences(name):
    ours, numpys = OF_COMPLEX[name]
    gradients = grad(lambda x, y: ours(ops.Complex()(x, y)).sum(), (0, 1))(Tensor(X), Tensor(Y))
    small = 1e-6
    expected = [(numpys(X + d + 1j * Y + 1j * e) - numpys(X - d + 1j * Y - 1j * e)) / (2 * small)
              for d, e in ((small, 0), (0, small))]  # fmt: skip
    np.testing.assert_allclose([g.asnumpy() for g in gradients], expected, rtol=1e-6)
    assert [g.dtype for g in gradients] == [float64, float64]
