"""Variance scaling: deviations by mode, nonlinearity and distribution."""

import math

import numpy as np
import pytest

import minigraph as ms
from minigraph.common.initializer import HeNormal, HeUniform, VarianceScaling, XavierNormal, XavierUniform
from minigraph.nn.initializers import Uniform, fans, uniform_of_fan_in
from tests.tables import cases, error_cases

SHAPE = (300, 50, 2, 3)  # fan_in 300, fan_out 1800


@cases(
    (HeNormal(), math.sqrt(2 / 300)),
    (HeNormal(mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 1800)),
    (HeNormal(math.sqrt(5)), math.sqrt(2 / 6 / 300)),
    (HeUniform(math.sqrt(5), "fan_in", "relu"), math.sqrt(2 / 300)),
    (HeUniform(nonlinearity="tanh"), 5 / 3 / math.sqrt(300)),
    (HeUniform(mode="FAN_OUT", nonlinearity="linear"), 1 / math.sqrt(1800)),
    (XavierNormal(2.0), 2 * math.sqrt(2 / 2100)),
    (XavierUniform(), math.sqrt(2 / 2100)),
    (VarianceScaling(), math.sqrt(1 / 300)),
    (VarianceScaling(2.0, "fan_avg", "untruncated_normal"), math.sqrt(2 / 1050)),
    (VarianceScaling(3.0, "fan_out", "uniform"), math.sqrt(3 / 1800)),
    ids=repr,
)
def test_deviation(rule, deviation):
    values = rule.sample(np.random.default_rng(1), SHAPE)
    assert values.shape == SHAPE
    assert values.std() == pytest.approx(deviation, rel=0.02)
    assert values.mean() == pytest.approx(0, abs=0.02 * deviation)


def test_bounds_and_fans():
    # uniform and truncated distributions have bounds
    rng = np.random.default_rng(2)
    assert np.abs(HeUniform().sample(rng, SHAPE)).max() <= math.sqrt(6 / 300)
    assert np.abs(VarianceScaling().sample(rng, SHAPE)).max() <= 2 / 0.8796 * math.sqrt(1 / 300)
    # fans of weights
    assert fans(()) == (1, 1)
    assert fans((7,)) == (7, 7)
    assert fans((8, 3)) == (3, 8)
    assert fans((8, 3, 5, 2)) == (30, 80)
    assert uniform_of_fan_in(16) == Uniform(0.25)


test_errors = error_cases(
    (lambda: HeNormal(mode="fan_inn"), "^HeNormal: no mode 'fan_inn'; did you mean 'fan_in'?"),
    (lambda: HeUniform(nonlinearity="rel"), "^HeUniform: no nonlinearity 'rel'; did you mean 'relu'?"),
    (lambda: VarianceScaling(mode="fan"), "^VarianceScaling: no mode 'fan'"),
    (lambda: VarianceScaling(distribution="norm"), "^VarianceScaling: no distribution 'norm'"),
    (lambda: VarianceScaling(0.0), "^VarianceScaling: scale must be positive, got 0.0"),
    by=lambda make: make().sample(np.random.default_rng(0), (2, 2)),
    error=ms.errors.MinigraphError,
)
