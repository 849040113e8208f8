"""Fourier transforms: numpy's results for every size, axis and norm, and gradients of real losses."""

import numpy as np
import pytest

from minigraph import Tensor, grad, ops
from tests.ops.functional.checks import in_both_modes
from tests.tables import error_cases, every

RNG = np.random.default_rng(2)
X = RNG.normal(size=(3, 4))
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


@every(name=ONE_AXIS, n=(None, 3, 4, 7), axis=(0, -1), norm=(None, "ortho", "forward"))
def test_one_axis(name, n, axis, norm):
    expected = getattr(np.fft, name)(X, n, axis, norm)
    np.testing.assert_allclose(getattr(ops, name)(Tensor(X), n, axis, norm).asnumpy(), expected, atol=1e-12)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name):
    function, expected = getattr(ops, name), getattr(np.fft, name)(X)
    np.testing.assert_allclose(in_both_modes(function, Tensor(X)), expected, atol=1e-12)
    expected = getattr(np.fft, name)(X, (4, 3), (0, 1), "ortho")
    np.testing.assert_allclose(function(Tensor(X), (4, 3), (0, 1), "ortho").asnumpy(), expected, atol=1e-12)


@every(name=("hfft", "ihfft"), kind=("2", "n"))
def test_hermitian_transforms_are_inverses(name, kind):
    half = ops.ihfftn(Tensor(X), None, (0, 1))
    np.testing.assert_allclose(ops.hfftn(half, X.shape, (0, 1)).asnumpy(), X, atol=1e-12)
    same = getattr(ops, f"{name}{kind}")(Tensor(X)).asnumpy()
    np.testing.assert_array_equal(same, getattr(ops, f"{name}n")(Tensor(X), None, (-2, -1)).asnumpy())


def test_frequencies_and_shifts():
    np.testing.assert_allclose(ops.fftfreq(5, 0.5).asnumpy(), np.fft.fftfreq(5, 0.5), rtol=1e-6)
    np.testing.assert_allclose(ops.rfftfreq(4).asnumpy(), np.fft.rfftfreq(4), rtol=1e-6)
    np.testing.assert_array_equal(ops.fftshift(Tensor(X)).asnumpy(), np.fft.fftshift(X))
    np.testing.assert_array_equal(ops.ifftshift(Tensor(X), 0).asnumpy(), np.fft.ifftshift(X, 0))


@pytest.mark.parametrize("name", ONE_AXIS)
def test_gradient_along_a_direction(name):
    direction, weights = RNG.normal(size=X.shape), np.cos(np.arange(64))

    def loss(x):
        y = getattr(ops, name)(x, 5)
        parts = [ops.real(y), ops.imag(y)] if name != "irfft" else [y]
        return sum((part.reshape(-1) * Tensor(weights[: part.size]) * part.reshape(-1)).sum() for part in parts)

    slope = (loss(Tensor(X + 1e-6 * direction)) - loss(Tensor(X - 1e-6 * direction))).item() / 2e-6
    assert (grad(loss)(Tensor(X)) * Tensor(direction)).sum().item() == pytest.approx(slope, rel=1e-6)


test_errors = error_cases(
    (lambda: ops.fft(Tensor([1.0]), norm="none"), ValueError, "norm is one of"),
    (lambda: ops.fftn(Tensor(X), (1,), (0, 1)), ValueError, "1 sizes for 2 axes"),
    (lambda: ops.rfft(Tensor([1j])), TypeError, "use fft"),
    (lambda: ops.fft([1.0]), TypeError, "expected a tensor"),
)
