"""Initial values of Parameters: constants, distributions and random matrices, by name, number, record or Tensor."""

from minigraph.nn.initializers.constant import Constant, Dirac, Identity, One, Zero
from minigraph.nn.initializers.distributions import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.initializer import Initializer
from minigraph.nn.initializers.random_matrices import Orthogonal, Sparse
from minigraph.nn.initializers.registry import INITIALIZERS as INITIALIZERS
from minigraph.nn.initializers.registry import Init as Init
from minigraph.nn.initializers.registry import initializer
from minigraph.nn.initializers.variance_scaling import HeNormal, HeUniform, VarianceScaling, XavierNormal, XavierUniform
from minigraph.nn.initializers.variance_scaling import fans as fans
from minigraph.nn.initializers.variance_scaling import uniform_of_fan_in as uniform_of_fan_in

__all__ = [  # MindSpore's names; the others are for the layers
    "Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal", "Sparse",
    "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal", "XavierUniform", "Zero", "initializer",
]  # fmt: skip
