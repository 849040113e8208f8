"""Layers, losses and optimizers under MindSpore's names."""

from minigraph.core.missing_names import nn_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.tensor import Parameter, ParameterTuple
from minigraph.nn import layer, loss, optim, wrap
from minigraph.nn import utils as utils
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellDict, CellList, SequentialCell
from minigraph.nn.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from minigraph.nn.graph_cell import GraphCell
from minigraph.nn.layer import *  # noqa: F403 - the names of its ``__all__``
from minigraph.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from minigraph.nn.loss import *  # noqa: F403 - the names of its ``__all__``
from minigraph.nn.optim import *  # noqa: F403 - the names of its ``__all__``
from minigraph.nn.wrap import *  # noqa: F403 - the names of its ``__all__``

__all__ = [
    "Cell", "CellDict", "CellList", "CosineDecayLR", "ExponentialDecayLR", "GraphCell", "InverseDecayLR",
    "LearningRateSchedule", "NaturalExpDecayLR", "Parameter", "ParameterTuple", "PolynomialDecayLR", "SequentialCell",
    "WarmUpLR", "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr",
    "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip
__all__ += layer.__all__ + loss.__all__ + optim.__all__ + wrap.__all__
