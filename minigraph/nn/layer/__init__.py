"""Layers: Cells with weights, and Cells that apply one function."""

from minigraph.nn.layer import function_layers
from minigraph.nn.layer.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    LogSigmoid,
    LogSoftmax,
    Mish,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softsign,
    Tanh,
    Tanhshrink,
)
from minigraph.nn.layer.activation_registry import get_activation
from minigraph.nn.layer.adaptive_pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
)
from minigraph.nn.layer.attention import MultiheadAttention
from minigraph.nn.layer.basic import Dense, Embedding, Flatten, Identity, MatMul, OneHot, Unflatten
from minigraph.nn.layer.batch_normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from minigraph.nn.layer.combined import Conv2dBnAct, DenseBnAct, EmbeddingLookup, Linear, TimeDistributed
from minigraph.nn.layer.conv import Conv2d
from minigraph.nn.layer.conv1d import Conv1d
from minigraph.nn.layer.conv1d_transpose import Conv1dTranspose
from minigraph.nn.layer.conv3d import Conv3d, Conv3dTranspose
from minigraph.nn.layer.conv_transpose import Conv2dTranspose, ConvTranspose2d
from minigraph.nn.layer.dropout import Dropout, Dropout1d, Dropout2d, Dropout3d
from minigraph.nn.layer.function_layers import *  # noqa: F403 - the names of its ``__all__``
from minigraph.nn.layer.image import ChannelShuffle, PixelShuffle, PixelUnshuffle, Upsample
from minigraph.nn.layer.normalization import LRN, GroupNorm, LayerNorm, RMSNorm
from minigraph.nn.layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Pad,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from minigraph.nn.layer.pooling import AvgPool1d, AvgPool2d, LPPool1d, LPPool2d, MaxPool1d, MaxPool2d
from minigraph.nn.layer.rectifiers import (
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    PReLU,
    ReLU,
    ReLU6,
    SoftShrink,
    Threshold,
)
from minigraph.nn.layer.recurrent import GRU, LSTM, RNN
from minigraph.nn.layer.recurrent_cells import GRUCell, LSTMCell, RNNCell
from minigraph.nn.layer.transformer import TransformerEncoder, TransformerEncoderLayer
from minigraph.nn.layer.transformer_decoder import Transformer, TransformerDecoder, TransformerDecoderLayer

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LRN",
    "LSTM",
    "RNN",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "ChannelShuffle",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dBnAct",
    "Conv2dTranspose",
    "Conv3d",
    "Conv3dTranspose",
    "ConvTranspose2d",
    "Dense",
    "DenseBnAct",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "EmbeddingLookup",
    "FastGelu",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "Identity",
    "LPPool1d",
    "LPPool2d",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MatMul",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "MultiheadAttention",
    "OneHot",
    "PReLU",
    "Pad",
    "PixelShuffle",
    "PixelUnshuffle",
    "RMSNorm",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TimeDistributed",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "Upsample",
    "ZeroPad2d",
    "get_activation",
]  # fmt: skip
__all__ = [*__all__, *function_layers.__all__]  # noqa: PLE0604 - strings
