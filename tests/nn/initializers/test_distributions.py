"""Independent samples: bounds and moments."""

import numpy as np
import pytest

from minigraph.common.initializer import Normal, TruncatedNormal, Uniform, VarianceScaling

rng = np.random.default_rng(0)


def test_bounds_and_moments():
    assert 1.9 < np.abs(Uniform(2.0).sample(rng, (1000,))).max() <= 2
    assert Normal(0.1, 5.0).sample(rng, (1000,)).mean() == pytest.approx(5, abs=0.02)
    cut = TruncatedNormal(2.0, 1.0, -0.5, 3.0).sample(rng, (1000,))
    assert -0.5 <= cut.min() < -0.4 and 2.9 < cut.max() <= 3.0, "the bounds are values, as in MindSpore"
    assert (TruncatedNormal(0.0).sample(rng, (3,)) == 0).all()


@pytest.mark.parametrize("bounds", [(1.0, 2.0), (1.0, 1.0)])
def test_bounds_without_values_are_refused(bounds):
    with pytest.raises(ValueError, match="TruncatedNormal: "):
        TruncatedNormal(0.01, 0.0, *bounds).sample(rng, (3,))


def test_a_scaled_normal_distribution_is_cut_at_two_deviations():
    samples = VarianceScaling(scale=4.0).sample(rng, (100, 400))
    assert samples.std() == pytest.approx(0.1, rel=0.02) and np.abs(samples).max() <= 0.2 / 0.8796
