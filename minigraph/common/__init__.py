"""The contents of ``mindspore.common``: tensors, parameters, dtypes, initializers, seeds."""

from minigraph.common import api as api
from minigraph.common import dtype as dtype
from minigraph.common import initializer as initializer
from minigraph.common.api import jit_class, mutable
from minigraph.common.dtype import *  # noqa: F403
from minigraph.common.parameter import Parameter, ParameterTuple
from minigraph.common.seed import get_seed, set_seed
from minigraph.common.tensor import Tensor, from_numpy, is_tensor, tensor
from minigraph.compilation import jit
from minigraph.core.missing_names import common_getattr as __getattr__  # noqa: F401 - Python calls it

__all__ = [
    "Parameter", "ParameterTuple", "Tensor", "api", "dtype", "from_numpy", "get_seed", "initializer", "is_tensor",
    "jit", "jit_class", "mutable", "set_seed", "tensor",
]  # fmt: skip
