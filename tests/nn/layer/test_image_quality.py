"""PSNR and structural similarity, against their formulas in numpy."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn

RNG = np.random.default_rng(0)
X, Y = (Tensor(RNG.uniform(size=(2, 3, 16, 12)).astype(np.float32)) for _ in range(2))


def test_psnr():
    error = ((X.asnumpy() - Y.asnumpy()) ** 2).mean((1, 2, 3))
    np.testing.assert_allclose(nn.PSNR(2.0)(X, Y).asnumpy(), 10 * np.log10(4 / error), rtol=1e-5)
    with pytest.raises(ValueError, match="'max_val' must be greater than 0"):
        nn.PSNR(0)


def test_similarity_of_one_window_is_the_formula():
    x, y = X.asnumpy()[:, :, :3, :3].astype(float), Y.asnumpy()[:, :, :3, :3].astype(float)
    weights = np.exp(-(np.arange(-1, 2) ** 2) / (2 * 1.5**2))
    weights = np.outer(weights, weights) / weights.sum() ** 2

    def mean(values):
        return (values * weights).sum((2, 3))

    product, squares, c1, c2 = mean(x) * mean(y), mean(x) ** 2 + mean(y) ** 2, 0.01**2, 0.03**2
    expected = (2 * product + c1) * (2 * (mean(x * y) - product) + c2)
    expected /= (squares + c1) * (mean(x * x + y * y) - squares + c2)
    result = nn.SSIM(filter_size=3)(Tensor(x), Tensor(y))
    np.testing.assert_allclose(result.asnumpy(), expected.mean(1), rtol=1e-9)


@pytest.mark.parametrize("cell", [nn.SSIM(filter_size=5), nn.MSSSIM(power_factors=(0.4, 0.6), filter_size=5)])
def test_equal_pictures_have_similarity_one(cell):
    np.testing.assert_allclose(cell(X, X).asnumpy(), 1, rtol=1e-5)
    assert (ms.jit(cell)(X, Y).asnumpy() < 0.9).all()
    slope = ms.grad(lambda x: cell(x, X).sum())(X * 0.9)
    assert np.isfinite(slope.asnumpy()).all() and slope.asnumpy().any()
    with pytest.raises(ValueError, match=r"needs two batches \[N,C,H,W\]"):
        cell(X, Y[:1])
