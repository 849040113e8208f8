"""Optimizers: Cells that take gradients and assign new values to their Parameters."""

from minigraph.nn.optim.adafactor import AdaFactor
from minigraph.nn.optim.adagrad import Adadelta, Adagrad, RMSProp
from minigraph.nn.optim.adam import Adam, AdaMax, AdamOffload, AdamW, AdamWeightDecay, LazyAdam
from minigraph.nn.optim.asgd import ASGD
from minigraph.nn.optim.lamb import Lamb
from minigraph.nn.optim.optimizer import Optimizer
from minigraph.nn.optim.proximal import FTRL, ProximalAdagrad
from minigraph.nn.optim.rprop import Rprop
from minigraph.nn.optim.sgd import SGD, Momentum

__all__ = [
    "ASGD", "FTRL", "SGD", "AdaFactor", "AdaMax", "Adadelta", "Adagrad", "Adam", "AdamOffload", "AdamW",
    "AdamWeightDecay", "Lamb", "LazyAdam", "Momentum", "Optimizer", "ProximalAdagrad", "RMSProp", "Rprop",
]  # fmt: skip
