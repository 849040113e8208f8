"""Layers, losses and optimizers under MindSpore's names."""

from minigraph.nn.activation import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh, get_activation
from minigraph.nn.attention import MultiheadAttention
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList, SequentialCell
from minigraph.nn.conv import AvgPool2d, Conv2d, MaxPool2d
from minigraph.nn.conv1d import Conv1d
from minigraph.nn.conv_transpose import Conv2dTranspose, ConvTranspose2d
from minigraph.nn.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from minigraph.nn.layers import Dense, Dropout, Embedding, Flatten, Identity
from minigraph.nn.loss import CrossEntropyLoss, L1Loss, LossBase, MSELoss
from minigraph.nn.loss_distance import HuberLoss, SmoothL1Loss
from minigraph.nn.loss_likelihood import BCELoss, BCEWithLogitsLoss, KLDivLoss, NLLLoss
from minigraph.nn.norm import BatchNorm1d, BatchNorm2d, LayerNorm
from minigraph.nn.norm_groups import GroupNorm, RMSNorm
from minigraph.nn.optim import SGD, Adam, AdamWeightDecay, Momentum
from minigraph.nn.optim_more import AdamW, RMSProp
from minigraph.nn.optimizer import Optimizer
from minigraph.nn.recurrent import GRU, LSTM, RNN
from minigraph.nn.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from minigraph.nn.transformer import TransformerEncoder, TransformerEncoderLayer
from minigraph.nn.wrap import TrainOneStepCell, WithLossCell
from minigraph.nn.wrap_eval import WithEvalCell
from minigraph.tensor import Parameter, ParameterTuple

__all__ = [
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "SGD",
    "Adam",
    "AdamW",
    "AdamWeightDecay",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Cell",
    "CellList",
    "Conv1d",
    "Conv2d",
    "Conv2dTranspose",
    "ConvTranspose2d",
    "CosineDecayLR",
    "CrossEntropyLoss",
    "Dense",
    "Dropout",
    "Embedding",
    "ExponentialDecayLR",
    "Flatten",
    "GroupNorm",
    "HuberLoss",
    "Identity",
    "InverseDecayLR",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LearningRateSchedule",
    "LogSoftmax",
    "LossBase",
    "MSELoss",
    "MaxPool2d",
    "Momentum",
    "MultiheadAttention",
    "NLLLoss",
    "NaturalExpDecayLR",
    "Optimizer",
    "Parameter",
    "ParameterTuple",
    "PolynomialDecayLR",
    "RMSNorm",
    "RMSProp",
    "ReLU",
    "SequentialCell",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Tanh",
    "TrainOneStepCell",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "WarmUpLR",
    "WithEvalCell",
    "WithLossCell",
    "cosine_decay_lr",
    "exponential_decay_lr",
    "get_activation",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]  # fmt: skip
