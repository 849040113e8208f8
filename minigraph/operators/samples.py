"""Sample arguments of families of operators, for the every-operator tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.op import Sample

Samples = Callable[["np.random.Generator"], Sequence[Sample]]  # a string, because numpy.random is slow to import

EDGES = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan])


def unary_samples(low: float = -2.0, high: float = 2.0) -> Samples:
    """Samples of one operand between ``low`` and ``high``; also 0-d, empty, float32 and non-finite values."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            Sample((rng.uniform(low, high, (2, 3)),)),
            Sample((np.array(rng.uniform(low, high)),)),
            Sample((np.zeros((2, 0)),)),
            Sample((EDGES.astype(np.float32),), smooth=False),
        ]

    return samples


def binary_samples(kinds: str = "bifc", low: float = 0.5, high: float = 2.0) -> Samples:
    """Samples of two operands, one broadcast; also empty, integer (if taken) and non-finite values."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        floats = [
            Sample((rng.uniform(low, high, (2, 3)), rng.uniform(low, high, (2, 3)))),
            Sample((rng.uniform(low, high, (2, 1)), rng.uniform(low, high, 3))),
            Sample((np.zeros((0, 3)), np.ones(3))),
            Sample((EDGES.astype(np.float32)[:, None], EDGES.astype(np.float32)), smooth=False),
        ]
        integer_sample = rng.integers(-4, 5, (2, 3)), rng.integers(1, 5, (2, 3))
        return [*floats, Sample(integer_sample, smooth=False)] if "i" in kinds else floats

    return samples


def integer_samples(*kinds: str) -> Samples:
    """Samples of integer operands, one per kind: "i" any, "n" non-negative; also one broadcast, and empty ones."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        def draw(*shape: int) -> tuple[Array, ...]:
            return tuple(rng.integers(-9 if kind == "i" else 0, 7, shape) for kind in kinds)

        narrow = tuple(operand[-1] for operand in draw(2, 3))
        return [
            Sample(draw(2, 3), smooth=False),
            Sample((*draw(2, 3)[:-1], narrow[-1]), smooth=False),
            Sample(draw(0, 2), smooth=False),
        ]

    return samples


def reduction_samples(kinds: str = "bif") -> Samples:
    """Samples over one axis, several and all; 0-d, transposed and (if taken) integer operands."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        x = rng.normal(size=(2, 3, 4))
        floats = [
            Sample((x,)),
            Sample((x,), {"axis": 1}),
            Sample((x.transpose(2, 0, 1),), {"axis": (0, -1), "keepdims": True}),
            Sample((np.array(1.5),)),
        ]
        integer_sample = Sample((rng.integers(-9, 9, (3, 2)),), {"axis": -1}, smooth=False)
        return [*floats, integer_sample] if "i" in kinds else floats

    return samples
