"""Layers, losses and optimizers under MindSpore's names."""

from minigraph.missing import in_nn as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.activation import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from minigraph.nn.activation_more import (
    CELU,
    ELU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    Mish,
    PReLU,
    ReLU6,
    SeLU,
    SiLU,
    Softmin,
    SoftShrink,
    Softsign,
    Tanhshrink,
)
from minigraph.nn.activation_names import get_activation
from minigraph.nn.attention import MultiheadAttention
from minigraph.nn.cell import Cell
from minigraph.nn.containers import CellList, SequentialCell
from minigraph.nn.conv import Conv2d
from minigraph.nn.conv1d import Conv1d
from minigraph.nn.conv1d_transpose import Conv1dTranspose
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
from minigraph.nn.layers_more import Dropout1d, Dropout2d, OneHot, Pad
from minigraph.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from minigraph.nn.loss import CrossEntropyLoss, L1Loss, LossBase, MSELoss
from minigraph.nn.loss_distance import HuberLoss, SmoothL1Loss
from minigraph.nn.loss_likelihood import BCELoss, BCEWithLogitsLoss, KLDivLoss, NLLLoss
from minigraph.nn.loss_more import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MAELoss,
    MarginRankingLoss,
    PoissonNLLLoss,
    RMSELoss,
    SoftmaxCrossEntropyWithLogits,
)
from minigraph.nn.norm import BatchNorm1d, BatchNorm2d, LayerNorm
from minigraph.nn.norm_groups import GroupNorm, RMSNorm
from minigraph.nn.optim import SGD, Adam, AdamWeightDecay, Momentum
from minigraph.nn.optim_adaptive import Adadelta, Adagrad, AdaMax, Lamb
from minigraph.nn.optim_more import AdamW, RMSProp
from minigraph.nn.optimizer import Optimizer
from minigraph.nn.pool import AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from minigraph.nn.pool_adaptive import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveMaxPool1d, AdaptiveMaxPool2d
from minigraph.nn.recurrent import GRU, LSTM, RNN
from minigraph.nn.recurrent_cells import GRUCell, LSTMCell, RNNCell
from minigraph.nn.transformer import TransformerEncoder, TransformerEncoderLayer
from minigraph.nn.wrap import TrainOneStepCell, WithLossCell
from minigraph.nn.wrap_eval import WithEvalCell
from minigraph.tensor import Parameter, ParameterTuple

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "SGD",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "AdamWeightDecay",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Cell",
    "CellList",
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dTranspose",
    "ConvTranspose2d",
    "CosineDecayLR",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dense",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "ExponentialDecayLR",
    "FastGelu",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InverseDecayLR",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "Lamb",
    "LayerNorm",
    "LeakyReLU",
    "LearningRateSchedule",
    "LogSigmoid",
    "LogSoftmax",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Momentum",
    "MultiheadAttention",
    "NLLLoss",
    "NaturalExpDecayLR",
    "OneHot",
    "Optimizer",
    "PReLU",
    "Pad",
    "Parameter",
    "ParameterTuple",
    "PoissonNLLLoss",
    "PolynomialDecayLR",
    "RMSELoss",
    "RMSNorm",
    "RMSProp",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
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
