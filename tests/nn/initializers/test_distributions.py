"""Independent samples: bounds and moments."""

import numpy as np
import pytest

from minigraph.common.initializer import Normal, TruncatedNormal, Uniform

rng = np.random.default_rng(0)


def test_bounds_and_moments():
    assert 1.9 < np.abs(Uniform(2.0).sample(rng, (1000,))).max() <= 2
    assert Normal(0.1, 5.0).sample(rng, (1000,)).mean() == pytest.approx(5, abs=0.02)
    cut = TruncatedNormal(2.0, 1.0, -0.5, 3.0).sample(rng, (1000,))
    assert 0.0 <= cut.min() < 0.1
    assert cut.max() <= 7
