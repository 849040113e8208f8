"""First values of Parameters: constants, distributions and structures, by name, number, record or Tensor."""

from minigraph.nn.initializers.drawn import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.fixed import Constant, Dirac, Identity, One, Zero
from minigraph.nn.initializers.initializer import Initializer
from minigraph.nn.initializers.named import NAMED, Init, initializer
from minigraph.nn.initializers.scaled import (
    HeNormal,
    HeUniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    fans,
    within_fan_in,
)
from minigraph.nn.initializers.structured import Orthogonal, Sparse

__all__ = [
    "NAMED",
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Init",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "fans",
    "initializer",
    "within_fan_in",
]
