"""Layers, losses and optimizers under MindSpore's names."""

from minigraph.nn.activation import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh, get_activation
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList, SequentialCell
from minigraph.nn.conv import AvgPool2d, Conv2d, MaxPool2d
from minigraph.nn.layers import Dense, Dropout, Embedding, Flatten, Identity
from minigraph.nn.loss import CrossEntropyLoss, L1Loss, LossBase, MSELoss
from minigraph.nn.norm import BatchNorm1d, BatchNorm2d, LayerNorm
from minigraph.nn.optim import SGD, Adam, AdamWeightDecay, Momentum
from minigraph.nn.optimizer import Optimizer
from minigraph.nn.wrap import TrainOneStepCell, WithLossCell
from minigraph.tensor import Parameter, ParameterTuple

__all__ = [
    "GELU", "SGD", "Adam", "AdamWeightDecay", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Cell", "CellList",
    "Conv2d", "CrossEntropyLoss", "Dense", "Dropout", "Embedding", "Flatten", "Identity", "L1Loss", "LayerNorm",
    "LogSoftmax", "LossBase", "MSELoss", "MaxPool2d", "Momentum", "Optimizer", "Parameter", "ParameterTuple",
    "ReLU", "SequentialCell", "Sigmoid", "Softmax", "Tanh", "TrainOneStepCell", "WithLossCell", "get_activation",
]  # fmt: skip
