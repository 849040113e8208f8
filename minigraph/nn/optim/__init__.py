"""Optimizers: Cells that take gradients and assign new values to their Parameters."""

from minigraph.nn.optim.adaptive import Adadelta, Adagrad, AdaMax, Lamb
from minigraph.nn.optim.decayed import AdamW, RMSProp
from minigraph.nn.optim.momentum import SGD, Adam, AdamWeightDecay, Momentum
from minigraph.nn.optim.optimizer import Optimizer

__all__ = [
    "SGD",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "AdamWeightDecay",
    "Lamb",
    "Momentum",
    "Optimizer",
    "RMSProp",
]
