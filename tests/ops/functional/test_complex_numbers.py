"""Complex numbers against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
CASES = [
    (ops.isreal, (X,), np.isreal(X)),
]


@pytest.mark.parametrize(("fn", "args", "expected"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_values(fn, args, expected):
    result = in_both_modes(fn, *map(Tensor, args))
    assert result.dtype == (np.asarray(expected).dtype if np.asarray(expected).dtype.kind in "bi" else args[0].dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))


def test_polar_and_view_as_real():
    magnitudes, angles = np.abs(VOLUME), VOLUME
    result = in_both_modes(ops.polar, Tensor(magnitudes), Tensor(angles))
    np.testing.assert_allclose(result, magnitudes * np.exp(1j * angles))
    np.testing.assert_allclose(
        in_both_modes(ops.view_as_real, Tensor(result)), np.stack([result.real, result.imag], -1)
    )
