"""Random matrices: orthogonal, and with sparse columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.types import Shape
from minigraph.nn.initializers.initializer import Initializer, check_rank


@dataclass(frozen=True)
class Orthogonal(Initializer):
    """Orthogonal rows (or columns, if there are more rows) of length ``gain`` (Saxe et al. 2014)."""

    gain: float = 1.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The matrix (out, in x kernel), reshaped; raises ``ShapeError`` for less than two dimensions."""
        if len(shape) < 2:
            raise ShapeError(f"Orthogonal: supports 2 dimensions or more, got {list(shape)}; choose another one")
        rows, columns = shape[0], math.prod(shape[1:])
        q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
        q *= np.sign(np.diag(r))  # makes the distribution independent of QR's choice of signs
        return self.gain * (q.T if rows < columns else q).reshape(shape)


@dataclass(frozen=True)
class Sparse(Initializer):
    """Samples of a normal distribution; the share ``sparsity`` of each column of a matrix is 0 (Martens 2010)."""

    sparsity: float
    sigma: float = 0.01

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The matrix; raises ``ShapeError`` unless there are two dimensions."""
        check_rank("Sparse", shape, (2,))
        zeros = math.ceil(self.sparsity * shape[0])
        order = rng.permuted(np.broadcast_to(np.arange(shape[0])[:, None], shape), axis=0)
        return np.where(order < zeros, 0.0, rng.normal(0.0, self.sigma, shape))
