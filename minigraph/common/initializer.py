"""First values of Parameters under MindSpore's path.

>>> from minigraph.common.initializer import Normal, initializer
>>> initializer(Normal(0.02), (2, 3)).shape
(2, 3)
"""

from minigraph.ground.missing import in_initializer as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.initializers import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)

# Private in MindSpore; networks that initialise themselves as others do import it all the same.
from minigraph.nn.initializers import fans as _calculate_fan_in_and_fan_out  # noqa: F401

__all__ = [
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
