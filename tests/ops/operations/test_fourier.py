"""Fourier transforms, against numpy."""

import numpy as np
import pytest

from minigraph import Tensor, ops

X = np.random.default_rng(0).normal(size=(2, 3, 6))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transforms_of_the_last_axes(axes):
    at, whole = tuple(range(-axes, 0)), Tensor(X.astype(complex))
    expected = {
        (False, False): np.fft.fftn(X, axes=at), (True, False): np.fft.ifftn(X, axes=at),
        (False, True): np.fft.rfftn(X, axes=at), (True, True): np.fft.irfftn(X, axes=at),
    }  # fmt: skip
    for (inverse, real), values in expected.items():
        x = Tensor(X) if real and not inverse else whole
        np.testing.assert_allclose(ops.FFTWithSize(axes, inverse, real)(x).asnumpy(), values, atol=1e-9)
    two_sided = ops.FFTWithSize(axes, False, True, onesided=False)(Tensor(X))
    np.testing.assert_allclose(two_sided.asnumpy(), expected[False, False], atol=1e-9)
    back = ops.FFTWithSize(axes, True, True, onesided=False)(two_sided)
    np.testing.assert_allclose(back.asnumpy(), X, atol=1e-9)


def test_short_time_transform_does_not_pad():
    signal, window = np.arange(12.0), np.linspace(0.5, 1, 4)
    result = ops.STFT(4, 2, 4, False, True, True)(Tensor(signal), Tensor(window)).asnumpy()
    frames = np.stack([signal[i : i + 4] * window for i in range(0, 9, 2)])
    np.testing.assert_allclose(result, np.fft.rfft(frames).T, atol=1e-9)
