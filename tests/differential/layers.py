"""Layers, losses, optimizers and schedules of ``nn``: what to build, and what to call it with.

One line per call: name, configuration, inputs, separated by ``|``; a trailing ``train`` sets training mode.
"""

import re

from tests.differential.case import Case

IMAGE, TINY, ROWS = "f32[2,4,5,5] normal", "f32[1,2,4,4] normal", "f32[2,3] normal"

LAYERS = f"""
Dense | 3, 2 | {ROWS}
Dense | 3, 2, has_bias=False | {ROWS}
Dense | 3, 2, activation='relu' | {ROWS}
Dense | 3, 2, activation=nn.Tanh() | f32[2,4,3] normal
Dense | 3, 2 | f32[3] normal
Dense | 3, 2 | f32[2,4] normal
Dense | 3, 2 | f16[2,3] normal
Dense | 3, 2 | i64[2,3] normal
Dense | 3, 2, dtype=ms.float16 | f16[2,3] normal
Dense | 3, 2 | f32[0,3] normal
Conv2d | 4, 6, 3 | {IMAGE}
Conv2d | 4, 6, 3, stride=2 | {IMAGE}
Conv2d | 4, 6, 3, pad_mode='valid' | {IMAGE}
Conv2d | 4, 6, 3, pad_mode='pad', padding=1 | {IMAGE}
Conv2d | 4, 6, 3, pad_mode='pad', padding=(1, 0, 2, 1) | {IMAGE}
Conv2d | 4, 6, 3, dilation=2 | {IMAGE}
Conv2d | 4, 6, (3, 2), stride=(1, 2), has_bias=True | {IMAGE}
Conv2d | 4, 6, 3, group=2 | {IMAGE}
Conv2d | 4, 4, 2, group=4, has_bias=True | {IMAGE}
Conv2d | 4, 6, 3, padding=1 | {IMAGE}
Conv2d | 4, 6, 7, pad_mode='valid' | {IMAGE}
Conv2d | 3, 6, 3 | {IMAGE}
Conv2d | 4, 6, 3 | f32[4,5,5] normal
Conv1d | 3, 4, 2 | f32[2,3,6] normal
Conv1d | 3, 4, 3, stride=2, has_bias=True | f32[2,3,6] normal
Conv1d | 3, 4, 3, pad_mode='pad', padding=1 | f32[2,3,6] normal
Conv1d | 3, 4, 2, pad_mode='valid', dilation=2 | f32[2,3,6] normal
Conv2dTranspose | 4, 3, 3 | {IMAGE}
ConvTranspose2d | 4, 3, 3 | {IMAGE}
Conv2dTranspose | 4, 3, 3, stride=2 | {IMAGE}
Conv2dTranspose | 4, 3, 3, stride=2, pad_mode='valid', has_bias=True | {IMAGE}
Conv2dTranspose | 4, 3, 3, stride=2, pad_mode='pad', padding=1 | {IMAGE}
MaxPool2d | | {TINY}
MaxPool2d | 2 | {TINY}
MaxPool2d | 2, 2 | {TINY}
MaxPool2d | 3, 2, pad_mode='same' | {TINY}
MaxPool2d | (2, 3), (1, 2) | {TINY}
MaxPool2d | 2, 2 | f32[2,4,4] normal
MaxPool2d | 2, 2 | f32[1,2,4,4] ties
MaxPool2d | 5 | {TINY}
AvgPool2d | 2 | {TINY}
AvgPool2d | 2, 2 | {TINY}
AvgPool2d | 3, 2, pad_mode='same' | {TINY}
AvgPool2d | 3, 1, pad_mode='same' | {TINY}
AvgPool2d | 2, 2 | f32[2,4,4] normal
MaxPool1d | 2, 2 | f32[2,3,6] normal
AvgPool1d | 2, 2 | f32[2,3,6] normal
AdaptiveAvgPool2d | 2 | {TINY}
AdaptiveAvgPool2d | (3, 2) | {TINY}
LayerNorm | (3,) | {ROWS}
LayerNorm | [3] | f32[2,4,3] normal
LayerNorm | (4, 3), begin_norm_axis=1, begin_params_axis=1 | f32[2,4,3] normal
LayerNorm | (3,), epsilon=1e-5 | f16[2,3] normal
LayerNorm | (4,) | {ROWS}
LayerNorm | (3,) | f32[2,3] large
BatchNorm2d | 4 | {IMAGE}
BatchNorm2d | 4 | {IMAGE} | train
BatchNorm2d | 4, momentum=0.5, eps=1e-3 | {IMAGE} | train
BatchNorm2d | 4, affine=False | {IMAGE} | train
BatchNorm2d | 4, use_batch_statistics=True | {IMAGE}
BatchNorm2d | 4, use_batch_statistics=False | {IMAGE} | train
BatchNorm2d | 3 | {IMAGE}
BatchNorm1d | 3 | {ROWS}
BatchNorm1d | 3 | {ROWS} | train
BatchNorm1d | 3 | f32[2,3,4] normal
GroupNorm | 2, 4 | {IMAGE}
GroupNorm | 4, 4 | {IMAGE}
GroupNorm | 1, 4, eps=1e-3 | {IMAGE}
GroupNorm | 2, 4, affine=False | {IMAGE}
GroupNorm | 3, 4 | {IMAGE}
InstanceNorm2d | 4 | {IMAGE}
RMSNorm | (3,) | {ROWS}
Dropout | p=0.5 | {ROWS}
Dropout | p=0.0 | {ROWS} | train
Embedding | 5, 3 | i64[2,3] below3
Embedding | 5, 3 | i32[4] below3
Embedding | 5, 3, use_one_hot=True | i32[4] below3
Embedding | 5, 3, padding_idx=0 | i32[2,2] below2
Embedding | 5, 3 | f32[4] unit
Flatten | | {IMAGE}
Flatten | start_dim=2 | {IMAGE}
Flatten | start_dim=0, end_dim=1 | {IMAGE}
Flatten | | f32[3] normal
Identity | | {ROWS}
ReLU | | {ROWS}
ReLU | | f32[17] edges
ReLU | | i32[2,3] normal
ReLU6 | | f32[17] edges
LeakyReLU | | {ROWS}
LeakyReLU | 0.1 | {ROWS}
ELU | | {ROWS}
ELU | 1.0 | f32[17] edges
CELU | | {ROWS}
SeLU | | {ROWS}
SiLU | | {ROWS}
Mish | | {ROWS}
HSwish | | {ROWS}
HSigmoid | | {ROWS}
HShrink | | {ROWS}
SoftShrink | | {ROWS}
Softsign | | {ROWS}
Softmin | | {ROWS}
Softmax2d | | {IMAGE}
LogSigmoid | | {ROWS}
Tanhshrink | | {ROWS}
Threshold | 0.1, 2.0 | {ROWS}
GLU | | f32[2,4] normal
PReLU | 4 | {IMAGE}
PReLU | | {ROWS}
Hardtanh | | {ROWS}
GELU | | {ROWS}
FastGelu | | {ROWS}
GELU | False | {ROWS}
GELU | approximate=True | f32[17] edges
Sigmoid | | {ROWS}
Sigmoid | | f32[17] edges
Tanh | | {ROWS}
Tanh | | f16[2,3] normal
Softmax | | {ROWS}
Softmax | 0 | {ROWS}
Softmax | axis=1 | {IMAGE}
LogSoftmax | | {ROWS}
LogSoftmax | 0 | {ROWS}
SequentialCell | nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2) | {ROWS}
SequentialCell | [nn.Dense(3, 4), nn.Tanh()] | {ROWS}
Upsample | scale_factor=2.0, recompute_scale_factor=True | {TINY}
PixelShuffle | 2 | {IMAGE}
Pad | ((1, 1), (0, 2)) | {ROWS}
ZeroPad2d | 1 | {TINY}
ConstantPad2d | 1, 2.0 | {TINY}
ReflectionPad2d | 1 | {TINY}
Unfold | [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1] | {TINY}
Norm | | {ROWS}
OneHot | depth=3 | i32[2] below3
LSTM | 3, 4 | f32[2,5,3] normal
LSTM | 3, 4, 2, batch_first=True | f32[2,5,3] normal
LSTM | 3, 4, bidirectional=True | f32[2,5,3] normal
LSTM | 3, 4, has_bias=False | f32[2,5,3] normal
GRU | 3, 4 | f32[2,5,3] normal
GRU | 3, 4, batch_first=True, bidirectional=True | f32[2,5,3] normal
RNN | 3, 4 | f32[2,5,3] normal
RNN | 3, 4, nonlinearity='relu' | f32[2,5,3] normal
LSTMCell | 3, 4 | {ROWS}, f32[2,4] normal
RNNCell | 3, 4 | {ROWS}, f32[2,4] normal
GRUCell | 3, 4 | {ROWS}, f32[2,4] normal
MultiheadAttention | 4, 2 | f32[3,2,4] normal, f32[3,2,4] normal, f32[3,2,4] normal
MultiheadAttention | 4, 2, batch_first=True | f32[2,3,4] normal, f32[2,5,4] normal, f32[2,5,4] normal
MultiheadAttention | 4, 2, has_bias=False | f32[3,2,4] normal, f32[3,2,4] normal, f32[3,2,4] normal
TransformerEncoderLayer | 4, 2, 8, dropout=0.0 | f32[3,2,4] normal
TransformerEncoderLayer | 4, 2, 8, dropout=0.0, norm_first=True, batch_first=True | f32[2,3,4] normal
TransformerEncoderLayer | 4, 2, 8, dropout=0.0, activation='gelu' | f32[3,2,4] normal
MSELoss | | {ROWS}, {ROWS}
MSELoss | 'sum' | {ROWS}, f32[2,3] unit
MSELoss | reduction='none' | {ROWS}, f32[2,3] unit
MSELoss | | {ROWS}, f32[2,1] unit
MSELoss | | {ROWS}, f16[2,3] unit
MSELoss | 'other' | {ROWS}, {ROWS}
L1Loss | | {ROWS}, f32[2,3] unit
L1Loss | 'sum' | {ROWS}, f32[2,3] unit
L1Loss | 'none' | {ROWS}, f32[2,3] unit
L1Loss | | f32[2,3] ties, f32[2,3] ties
SmoothL1Loss | | {ROWS}, f32[2,3] unit
SmoothL1Loss | 0.5, 'mean' | {ROWS}, f32[2,3] unit
SmoothL1Loss | reduction='sum' | {ROWS}, f32[2,3] unit
HuberLoss | | {ROWS}, f32[2,3] unit
HuberLoss | 'sum', 0.5 | {ROWS}, f32[2,3] unit
BCELoss | | f32[2,3] unit, f32[2,3] unit
BCELoss | reduction='sum' | f32[2,3] unit, f32[2,3] unit
BCELoss | None, 'none' | f32[2,3] unit, f32[2,3] ties
BCEWithLogitsLoss | | {ROWS}, f32[2,3] unit
BCEWithLogitsLoss | 'sum' | {ROWS}, f32[2,3] unit
BCEWithLogitsLoss | reduction='none' | f32[2,3] large, f32[2,3] unit
CrossEntropyLoss | | {ROWS}, i32[2] below3
CrossEntropyLoss | | {ROWS}, i64[2] below3
CrossEntropyLoss | reduction='sum' | {ROWS}, i32[2] below3
CrossEntropyLoss | reduction='none' | {ROWS}, i32[2] below3
CrossEntropyLoss | label_smoothing=0.1 | {ROWS}, i32[2] below3
CrossEntropyLoss | ignore_index=1 | {ROWS}, i32[2] below3
CrossEntropyLoss | | {ROWS}, f32[2,3] unit
CrossEntropyLoss | Tensor(np.array([1, 2, 3], np.float32)) | {ROWS}, i32[2] below3
CrossEntropyLoss | | f32[2,3,4] normal, i32[2,4] below3
NLLLoss | | {ROWS}, i32[2] below3
NLLLoss | reduction='sum' | {ROWS}, i32[2] below3
KLDivLoss | | {ROWS}, f32[2,3] unit
KLDivLoss | 'sum' | {ROWS}, f32[2,3] unit
KLDivLoss | 'none' | {ROWS}, f32[2,3] unit
KLDivLoss | 'batchmean' | {ROWS}, f32[2,3] unit
SoftmaxCrossEntropyWithLogits | | {ROWS}, f32[2,3] unit
SoftmaxCrossEntropyWithLogits | sparse=True, reduction='mean' | {ROWS}, i32[2] below3
PoissonNLLLoss | | {ROWS}, f32[2,3] unit
PoissonNLLLoss | log_input=False, full=True, reduction='sum' | f32[2,3] unit, f32[2,3] positive
TransformerEncoder | nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), 2 | f32[3,2,4] normal
CosineEmbeddingLoss | | {ROWS}, f32[2,3] unit, i32[2] below2
MAELoss | | {ROWS}, f32[2,3] unit
RMSELoss | | {ROWS}, f32[2,3] unit
FocalLoss | | f32[2,3] normal, i32[2,1] below3
MarginRankingLoss | | {ROWS}, f32[2,3] unit, f32[2,3] positive
SoftMarginLoss | | {ROWS}, f32[2,3] unit
HingeEmbeddingLoss | | {ROWS}, f32[2,3] unit
WithLossCell | nn.Dense(3, 2), nn.MSELoss() | {ROWS}, f32[2,2] unit
WithEvalCell | nn.Dense(3, 2), nn.MSELoss() | {ROWS}, f32[2,2] unit
"""

OPTIMIZERS = """
SGD
SGD | learning_rate=0.5
SGD | learning_rate=0.1, momentum=0.9
SGD | learning_rate=0.1, momentum=0.9, nesterov=True
SGD | learning_rate=0.1, momentum=0.9, dampening=0.1
SGD | learning_rate=0.1, weight_decay=0.1
Momentum | learning_rate=0.1, momentum=0.9
Momentum | learning_rate=0.1, momentum=0.9, weight_decay=0.1
Momentum | learning_rate=0.1, momentum=0.9, use_nesterov=True
Momentum | 0.1, 0.0
Adam
Adam | learning_rate=0.1
Adam | learning_rate=0.1, beta1=0.5, beta2=0.7, eps=1e-3
Adam | learning_rate=0.1, weight_decay=0.1
AdamW | learning_rate=0.1
AdamWeightDecay
AdamWeightDecay | learning_rate=0.1, weight_decay=0.1
RMSProp
RMSProp | learning_rate=0.01, momentum=0.9
RMSProp | learning_rate=0.01, centered=True
RMSProp | learning_rate=0.01, weight_decay=0.1
Adagrad
Adagrad | learning_rate=0.1
Adadelta
Adamax
Lamb | learning_rate=0.1
"""

SCHEDULES = """
cosine_decay_lr(0.01, 0.1, 6, 2, 3)
exponential_decay_lr(0.1, 0.9, 6, 2, 3)
exponential_decay_lr(0.1, 0.9, 6, 2, 3, is_stair=True)
inverse_decay_lr(0.1, 0.5, 6, 2, 3)
inverse_decay_lr(0.1, 0.5, 6, 2, 3, True)
natural_exp_decay_lr(0.1, 0.9, 6, 2, 2)
natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True)
piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])
polynomial_decay_lr(0.1, 0.01, 6, 2, 3, 0.5)
polynomial_decay_lr(0.1, 0.01, 6, 2, 3, 0.5, True)
warmup_lr(0.01, 6, 2, 2)
CosineDecayLR(0.01, 0.1, 4)(Tensor(2, ms.int32))
ExponentialDecayLR(0.1, 0.9, 4)(Tensor(2, ms.int32))
ExponentialDecayLR(0.1, 0.9, 4, is_stair=True)(Tensor(6, ms.int32))
InverseDecayLR(0.1, 0.5, 4)(Tensor(2, ms.int32))
NaturalExpDecayLR(0.1, 0.9, 4)(Tensor(2, ms.int32))
PolynomialDecayLR(0.1, 0.01, 4, 0.5)(Tensor(2, ms.int32))
WarmUpLR(0.1, 2)(Tensor(1, ms.int32))
"""


def layer_cases(has):
    """Every layer and loss whose name ``has`` accepts."""
    for line in LAYERS.strip().splitlines():
        name, config, specs, *train = (part.strip() for part in line.split("|"))
        if has(name):
            inputs = tuple(zip("xyzw", re.findall(r"\w+\[[\d,]*\] \w+", specs), strict=False))
            call = f"net({', '.join(given for given, _ in inputs)})"
            setup = f"net = nn.{name}({config})" + ("; net.set_train()" if train else "")
            yield Case(f"nn.{name}", call, inputs, setup)
            if train and "Norm" in name:
                source = f"out = {call}\nreturn net.moving_mean + 0, net.moving_variance + 0"
                yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def optimizer_cases(has):
    """Parameters after one and after three steps of every optimizer whose name ``has`` accepts."""
    inputs = (("x", "f32[2,3] normal"), ("y", "f32[2] normal"))
    for line in OPTIMIZERS.strip().splitlines():
        name, _, config = (part.strip() for part in line.partition("|"))
        if has(name):
            setup = f"net = nn.Dense(3, 2); opt = nn.{name}(net.trainable_params(){', ' if config else ''}{config})"
            for steps in (1, 3):
                source = "opt((x, y))\n" * steps + "return net.weight + 0, net.bias + 0"
                yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def schedule_cases(has):
    """Learning rates of every schedule whose name ``has`` accepts."""
    for line in SCHEDULES.strip().splitlines():
        name = line.partition("(")[0]
        if has(name):
            yield Case(f"nn.{name}", f"nn.{line}")
