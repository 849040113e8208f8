"""First values of Parameters: constants, distributions and structures, by name, number, record or Tensor."""

from minigraph.nn.initializers.drawn import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.fixed import Constant, Dirac, Identity, One, Zero
from minigraph.nn.initializers.initializer import Initializer
from minigraph.nn.initializers.named import NAMED as NAMED
from minigraph.nn.initializers.named import Init as Init
from minigraph.nn.initializers.named import initializer
from minigraph.nn.initializers.scaled import (
    HeNormal,
    HeUniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
)
from minigraph.nn.initializers.scaled import fans as fans
from minigraph.nn.initializers.scaled import within_fan_in as within_fan_in
from minigraph.nn.initializers.structured import Orthogonal, Sparse

__all__ = [  # MindSpore's names; the others are for our layers
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
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
    "initializer",
]
