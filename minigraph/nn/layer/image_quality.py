"""Measures of how much pictures differ: PSNR, SSIM (Wang et al. 2004) and multi-scale SSIM (Wang et al. 2003)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph import ops
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.nn.cell import Cell

__all__ = ["MSSSIM", "PSNR", "SSIM"]


def _check_pictures(name: str, img1: Tensor, img2: Tensor) -> None:
    if img1.ndim != 4 or img1.type != img2.type:
        raise ShapeError(f"{name}: needs two batches [N,C,H,W] of one type, got {img1.type} and {img2.type}")


class PSNR(Cell):
    """The peak signal-to-noise ratio [N], Float32, in decibels, of pictures [N,C,H,W] with values up to ``max_val``.

    >>> print(PSNR()(Tensor([[[[1.0, 2.0]]]]), Tensor([[[[3.0, 4.0]]]])))
    [-6.0206003]
    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        self.max_val = _check_positive("PSNR", "max_val", max_val)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """The ratio of each pair of pictures."""
        _check_pictures("PSNR", img1, img2)
        difference = ops.cast(img1, float32) - ops.cast(img2, float32)
        return 10 * ops.log10(self.max_val**2 / ops.mean(difference * difference, (1, 2, 3)))


class SSIM(Cell):
    """The structural similarity [N], 1 for equal pictures [N,C,H,W], of pictures with values up to ``max_val``.

    Means and variances are those of windows of ``filter_size`` pixels with Gaussian weights; ``k1`` and ``k2`` keep the
    quotients finite. Raises ``ValueError`` for numbers that are not positive.

    >>> print(SSIM(filter_size=2)(ops.ones((1, 3, 4, 4)), ops.ones((1, 3, 4, 4))))
    [1.]
    """

    def __init__(
        self, max_val: float = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.max_val = _check_positive(name, "max_val", max_val)
        self.filter_size = int(_check_positive(name, "filter_size", filter_size))
        self.filter_sigma = _check_positive(name, "filter_sigma", filter_sigma)
        self.c1, self.c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """The similarity of each pair of pictures."""
        _check_pictures(type(self).__name__, img1, img2)
        similarity, _ = self.similarities(img1, img2)
        return ops.mean(similarity, (1, 2, 3))

    def similarities(self, img1: Tensor, img2: Tensor) -> tuple[Tensor, Tensor]:
        """(similarity, its factor of contrast and structure) [N,C,h,w] of every window."""
        mean1, mean2 = self._means(img1), self._means(img2)
        product, squares = mean1 * mean2, mean1 * mean1 + mean2 * mean2
        covariance = self._means(img1 * img2) - product
        variances = self._means(img1 * img1 + img2 * img2) - squares
        contrast = (2 * covariance + self.c2) / (variances + self.c2)
        return (2 * product + self.c1) / (squares + self.c1) * contrast, contrast

    def _means(self, pictures: Tensor) -> Tensor:
        """The weighted means of windows."""
        offsets = np.arange(self.filter_size) - (self.filter_size - 1) / 2
        weights = np.exp(-(offsets**2) / (2 * self.filter_sigma**2))
        kernel = Tensor((weights[:, None] * weights / weights.sum() ** 2)[None, None], pictures.dtype)
        count, channels, height, width = pictures.shape
        means = ops.conv2d(pictures.reshape(count * channels, 1, height, width), kernel)
        return means.reshape(count, channels, *means.shape[2:])


class MSSSIM(SSIM):
    """The product of the similarities of pictures [N,C,H,W] at several scales, each half as large as the one before.

    ``power_factors`` are the exponents of the scales; other arguments as of ``SSIM``.

    >>> print(MSSSIM(power_factors=(0.5, 0.5), filter_size=2)(ops.ones((1, 3, 4, 4)), ops.ones((1, 3, 4, 4))))
    [1.]
    """

    def __init__(
        self, max_val: float = 1.0, power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
    ) -> None:  # fmt: skip
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.power_factors = tuple(power_factors)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """The similarity of each pair of pictures."""
        _check_pictures("MSSSIM", img1, img2)
        factors = []
        for scale in range(len(self.power_factors)):
            if scale:
                img1, img2 = (ops.avg_pool2d(pictures, 2, 2) for pictures in (img1, img2))
            factors.append([ops.relu(ops.mean(windows, (2, 3))) for windows in self.similarities(img1, img2)])
        terms = [contrast for _, contrast in factors[:-1]] + [factors[-1][0]]
        product = terms[0] ** self.power_factors[0]
        for factor, power in zip(terms[1:], self.power_factors[1:], strict=True):
            product = product * factor**power
        return ops.mean(product, 1)


def _check_positive(name: str, argument: str, value: float) -> float:
    if not value > 0:
        raise ArgValueError(f"For '{name}', the '{argument}' must be greater than 0, but got {value}.")
    return value
