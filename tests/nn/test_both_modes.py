"""Every layer and loss: PyNative mode and Graph mode agree bit for bit, forward and backward."""

from copy import deepcopy

import numpy as np
import pytest

from minigraph import GRAPH_MODE, Tensor, float32, int32, jit, nn, ops, set_context, value_and_grad
from minigraph.core.pytree import leaves_of
from minigraph.nn.optim import optimizer
from tests.nn.cells import tensor
from tests.nn.function_layers import LAYERS as FUNCTION_LAYERS

BASES = {nn.Cell, nn.LossBase, nn.Optimizer, nn.CellDict, nn.CellList, nn.LearningRateSchedule}


def floats(*shape):
    return Tensor(np.random.default_rng(3).normal(size=shape).astype(np.float32))


def ints(high, *shape):
    return Tensor(np.random.default_rng(4).integers(0, high, shape).astype(np.int32))


def probabilities(*shape):
    return ops.softmax(floats(*shape))


ACTIVATIONS = [
    nn.CELU, nn.ELU, nn.FastGelu, nn.HShrink, nn.HSigmoid, nn.HSwish, nn.Hardtanh, nn.LeakyReLU, nn.LogSigmoid,
    nn.Mish, nn.PReLU, nn.ReLU6, nn.SeLU, nn.SiLU, nn.SoftShrink, nn.Softmin, nn.Softsign, nn.Tanhshrink,
]  # fmt: skip
TWO_SEQUENCES = Tensor([[1, 2], [3, 1]], int32), Tensor([5, 4]), Tensor([2, 1])

# examples of every class, each with inputs
EXAMPLES = [
    (lambda: nn.AdaptiveAvgPool1d(3), floats(2, 3, 7)),
    (lambda: nn.AdaptiveAvgPool2d((2, None)), floats(2, 3, 5, 4)),
    (lambda: nn.AdaptiveMaxPool1d(3), floats(2, 3, 7)),
    (lambda: nn.AdaptiveMaxPool2d((None, 3)), floats(3, 5, 4)),
    (lambda: nn.AvgPool1d(2, 2), floats(2, 3, 6)),
    (lambda: nn.AvgPool2d(3, 2, "pad", 1, True, False), floats(1, 2, 6, 5)),
    (lambda: nn.AvgPool2d(2, 2), floats(2, 3, 6, 6)),
    (lambda: nn.AvgPool2d(3, 2, "same"), floats(1, 2, 5, 5)),
    (lambda: nn.BCELoss(), probabilities(4, 3), probabilities(4, 3)),
    (lambda: nn.BCELoss(probabilities(3), "none"), probabilities(4, 3), probabilities(4, 3)),
    (lambda: nn.BCEWithLogitsLoss(), floats(4, 3), probabilities(4, 3)),
    (lambda: nn.BCEWithLogitsLoss("sum", probabilities(4, 3), probabilities(3)), floats(4, 3), probabilities(4, 3)),
    (lambda: nn.BatchNorm1d(3), floats(4, 3)),
    (lambda: nn.BatchNorm1d(3), floats(4, 3, 2)),
    (lambda: nn.BatchNorm2d(3), floats(2, 3, 4, 4)),
    (lambda: nn.BatchNorm2d(3, use_batch_statistics=True, affine=False), floats(2, 3, 4, 4)),
    (lambda: nn.BatchNorm3d(3), floats(2, 3, 2, 4, 4)),
    (lambda: nn.Conv1d(3, 4, 3), floats(2, 3, 7)),
    (lambda: nn.Conv1d(4, 2, 2, 2, "pad", 1, 2, 2, True), floats(2, 4, 6)),
    (lambda: nn.Conv1dTranspose(4, 2, 3, 2, "pad", 1, 2, 2, True), floats(2, 4, 6)),
    (lambda: nn.Conv2d(3, 4, 3), floats(2, 3, 6, 6)),
    (lambda: nn.Conv2d(4, 4, (3, 2), 2, "pad", (1, 0, 1, 2), 1, 2, True), floats(2, 4, 6, 5)),
    (lambda: nn.Conv2d(1, 2, 3, pad_mode="valid", dilation=2), floats(1, 1, 8, 8)),
    (lambda: nn.Conv3d(2, 3, 2), floats(1, 2, 3, 4, 4)),
    (lambda: nn.Conv3d(2, 2, (1, 2, 3), 2, "pad", 1, group=2, has_bias=True), floats(2, 2, 3, 4, 5)),
    (lambda: nn.Conv3dTranspose(2, 3, 2, 2), floats(1, 2, 2, 3, 2)),
    (lambda: nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation="sigmoid"), floats(2, 3, 6, 6)),
    (lambda: nn.DenseBnAct(3, 2, has_bn=True, activation="leakyrelu"), floats(4, 3)),
    (lambda: nn.Dropout3d(0.4), floats(2, 3, 2, 4, 5)),
    (lambda: nn.EmbeddingLookup(5, 3), Tensor([[0, 4], [2, 2]])),
    (lambda: nn.MultiFieldEmbeddingLookup(10, 2, field_size=2), Tensor([[2, 4, 6]]), floats(1, 3), Tensor([[0, 1, 1]])),
    (
        lambda: nn.SampledSoftmaxLoss(2, 5, sampled_values=(Tensor([1, 3]), ops.ones((2, 1)), ops.ones(2))),
        floats(5, 3),
        floats(5),
        Tensor([0, 2]),
        floats(2, 3),
    ),
    (lambda: nn.SyncBatchNorm(3), floats(4, 3)),
    (lambda: nn.BiDense(3, 4, 2), floats(5, 3), floats(5, 4)),
    (lambda: nn.PSNR(2.0), floats(2, 3, 4, 4), probabilities(2, 3, 4, 4)),
    (lambda: nn.SSIM(filter_size=3), floats(2, 3, 4, 4), probabilities(2, 3, 4, 4)),
    (lambda: nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=2), floats(2, 3, 4, 4), probabilities(2, 3, 4, 4)),
    (lambda: nn.FractionalMaxPool2d(2, (2, 3), _random_samples=ops.ones((1, 2, 2)) * 0.5), floats(1, 2, 5, 6)),
    (lambda: nn.FractionalMaxPool3d(2, 2, _random_samples=ops.ones((1, 2, 3)) * 0.5), floats(1, 2, 4, 5, 4)),
    (lambda: nn.Linear(3, 2), floats(4, 3)),
    (lambda: nn.SparseTensorDenseMatmul(), Tensor([[0, 1], [1, 2]]), floats(2), (3, 4), floats(4, 2)),
    (lambda: nn.SparseToDense(), ops.COOTensor(Tensor([[0, 1], [1, 2]]), floats(2), (3, 4))),
    (lambda: nn.Transformer(4, 2, 1, 1, 8, 0.0), floats(3, 1, 4), floats(2, 1, 4)),
    (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2), floats(3, 1, 4), floats(2, 1, 4)),
    (lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0, norm_first=True), floats(3, 1, 4), floats(2, 1, 4)),
    (lambda: nn.Conv2dTranspose(3, 4, 3), floats(2, 3, 4, 5)),
    (lambda: nn.ConvTranspose2d(4, 2, (3, 2), 2, "pad", (1, 0, 1, 0), 1, 1, 2, True), floats(2, 4, 4, 3)),
    (lambda: nn.ConvTranspose2d(1, 2, 3, 2, "valid", dilation=2), floats(1, 1, 4, 4)),
    (lambda: nn.CrossEntropyLoss(), floats(4, 3), ints(3, 4)),
    (lambda: nn.CrossEntropyLoss(label_smoothing=0.1, reduction="sum"), floats(4, 3), ints(3, 4)),
    (lambda: nn.CrossEntropyLoss(floats(3).abs(), ignore_index=1), floats(4, 3), ints(3, 4)),
    (lambda: nn.CrossEntropyLoss(reduction="none"), floats(4, 3), ops.softmax(floats(4, 3) * 2)),
    (lambda: nn.CosineEmbeddingLoss(0.2), floats(4, 3), probabilities(4, 3), ints(2, 4) * 2 - 1),
    (lambda: nn.Dense(3, 2), floats(4, 3)),
    (lambda: nn.Dense(3, 2, has_bias=False, activation="tanh"), floats(2, 2, 3)),
    (lambda: nn.Dense(3, 2, activation=nn.GELU()), floats(3)),
    (lambda: nn.Dropout(p=0.3), floats(5, 5)),
    (lambda: nn.Dropout1d(0.3), floats(3, 5, 2)),
    (lambda: nn.Dropout2d(0.3), floats(3, 5, 2, 2)),
    (lambda: nn.DropoutExt(0.3), floats(5, 5)),
    (lambda: nn.Dropout2dExt(0.3), floats(3, 5, 2, 2)),
    (lambda: nn.PReLUExt(3), floats(2, 3, 4)),
    (lambda: nn.Embedding(7, 3), ints(7, 2, 4)),
    (lambda: nn.Flatten(), floats(2, 3, 4)),
    (lambda: nn.GELU(), floats(2, 3)),
    (lambda: nn.GELU(False), floats(2, 3)),
    (lambda: nn.GRU(3, 2), floats(4, 2, 3)),
    (lambda: nn.GRU(3, 2, 2, batch_first=True, bidirectional=True, dropout=0.2), floats(2, 4, 3)),
    (lambda: nn.GRUCell(3, 2), floats(4, 3), floats(4, 2)),
    (lambda: nn.GroupNorm(2, 4), floats(2, 4, 3, 3)),
    (lambda: nn.GroupNorm(1, 4, affine=False), floats(2, 4)),
    (lambda: nn.HingeEmbeddingLoss(0.5), floats(4, 3), ints(2, 4, 3) * 2 - 1),
    (lambda: nn.HuberLoss(delta=0.7), floats(2, 3), floats(3)),
    (lambda: nn.LGamma(), probabilities(2, 3)),
    (lambda: nn.DiGamma(), probabilities(2, 3)),
    (lambda: nn.LBeta(), probabilities(2, 3), probabilities(2, 3)),
    (lambda: nn.ClipByNorm(axis=1), floats(2, 3), np.float32(0.5)),
    (lambda: nn.L1Regularizer(0.5), floats(2, 3)),
    (lambda: nn.ImageGradients(), floats(2, 3, 4, 5)),
    (lambda: nn.ReplicationPad3d(1), floats(2, 3, 2, 3, 4)),
    (lambda: nn.TimeDistributed(nn.Dense(3, 2), 1), floats(2, 4, 3)),
    (lambda: nn.DiceLoss(), floats(2, 3), probabilities(2, 3)),
    (lambda: nn.MultiClassDiceLoss(), floats(2, 3), probabilities(2, 3)),
    (lambda: nn.FocalLoss(), floats(2, 3, 2), Tensor(np.ones((2, 1, 2), np.int32))),
    (lambda: nn.IGamma(), probabilities(2, 3), probabilities(2, 3)),
    (lambda: nn.Identity(), floats(2, 3)),
    *((lambda r=r: nn.KLDivLoss(r), floats(4, 3), probabilities(4, 3)) for r in ("mean", "batchmean", "none")),
    (lambda: nn.L1Loss(), floats(2, 3), floats(3)),
    (lambda: nn.LSTM(3, 2), floats(4, 2, 3)),
    (lambda: nn.LSTM(3, 2, has_bias=False), floats(4, 2, 3), (floats(1, 2, 2), floats(1, 2, 2)), ints(5, 2)),
    (lambda: nn.LSTMCell(3, 2), floats(4, 3), (floats(4, 2), floats(4, 2))),
    (lambda: nn.LayerNorm((4,)), floats(3, 4)),
    (lambda: nn.LayerNorm((3, 4), 1, 1), floats(2, 3, 4)),
    (lambda: nn.LayerNorm((4,), 1, 2), floats(2, 3, 4)),
    (lambda: nn.LogSoftmax(0), floats(3, 4)),
    (lambda: nn.MAELoss(), floats(2, 3), floats(3)),
    *((lambda r=r: nn.MSELoss(r), floats(2, 3), floats(3)) for r in ("mean", "sum", "none")),
    (lambda: nn.MarginRankingLoss(0.5), floats(4, 3), probabilities(4, 3), ints(2, 4, 3) * 2 - 1),
    (lambda: nn.MaxPool1d(2, 2), floats(2, 3, 6)),
    (lambda: nn.MaxPool2d(2, 2, "pad", 1, 2, ceil_mode=True), floats(1, 2, 6, 5)),
    (lambda: nn.MaxPool2d(2, 2), floats(2, 3, 6, 6)),
    (lambda: nn.MaxPool2d((3, 2), 1, "pad", 1), floats(1, 2, 5, 5)),
    (lambda: nn.MaxUnpool1d(2), floats(1, 2, 2), Tensor([[[0, 3], [1, 2]]])),
    (lambda: nn.MaxUnpool2d((1, 2)), floats(1, 2, 1, 2), Tensor([[[[0, 3]], [[1, 2]]]])),
    (lambda: nn.MaxUnpool3d((1, 1, 2)), floats(1, 1, 1, 1, 2), Tensor([[[[[0, 3]]]]])),
    (lambda: nn.Moments(0), floats(3, 4)),
    (lambda: nn.MultiheadAttention(4, 2, 0.1), floats(3, 2, 4), floats(5, 2, 4), floats(5, 2, 4)),
    (lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=2), floats(3, 4), floats(5, 3), floats(5, 2)),
    (lambda: nn.NLLLoss(), floats(4, 3), ints(3, 4)),
    (lambda: nn.NLLLoss(probabilities(3), 1, "none"), floats(4, 3, 2), ints(3, 4, 2)),
    (lambda: nn.OneHot(0, 4, 2.0), ints(4, 3)),
    *((lambda m=m: nn.Pad(((0, 1), (2, 0)), m), floats(3, 4)) for m in ("CONSTANT", "REFLECT", "SYMMETRIC")),
    (lambda: nn.PoissonNLLLoss(full=True), floats(4, 3), ints(5, 4, 3).astype(float32) + 0.5),
    (lambda: nn.PoissonNLLLoss(False, reduction="none"), probabilities(4, 3), ints(5, 4, 3).astype(float32) + 0.5),
    (lambda: nn.RMSNorm(4), floats(2, 3, 4)),
    (lambda: nn.RMSNorm((3, 4), 1e-3), floats(2, 3, 4)),
    (lambda: nn.RMSELoss(), floats(2, 3), floats(3)),
    (lambda: nn.RNN(3, 2), floats(4, 2, 3)),
    (lambda: nn.RNN(3, 2, 2, "relu", bidirectional=True), floats(4, 2, 3), None, ints(5, 2)),
    *((lambda n=n: nn.RNNCell(3, 2, nonlinearity=n), floats(4, 3), floats(4, 2)) for n in ("tanh", "relu")),
    (lambda: nn.Range(1, 8, 2),),
    (lambda: nn.RReLU(), floats(3, 4)),
    (lambda: nn.ReLU(), floats(3, 4)),
    (lambda: nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU()), floats(5, 3)),
    (lambda: nn.Sigmoid(), floats(3, 4)),
    (lambda: nn.SmoothL1Loss(0.7, "mean"), floats(2, 3), probabilities(2, 3)),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(), floats(4, 3), probabilities(4, 3)),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean"), floats(4, 3), ints(3, 4)),
    (lambda: nn.Softmax(), floats(3, 4)),
    (lambda: nn.Tanh(), floats(3, 4)),
    (lambda: nn.MatMul(transpose_x2=True), floats(3, 4), floats(2, 4)),
    (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2, nn.LayerNorm((4,))), floats(3, 2, 4)),
    (lambda: nn.TransformerEncoderLayer(4, 2, 6), floats(3, 2, 4)),
    (lambda: nn.TransformerEncoderLayer(4, 1, 6, 0.0, "gelu", norm_first=True), floats(3, 4)),
    (lambda: nn.TripletMarginWithDistanceLoss(), floats(3, 4), probabilities(3, 4), floats(3, 4) + 1),
    (lambda: nn.WithEvalCell(nn.Dense(3, 2), nn.MSELoss()), floats(4, 3), floats(4, 2)),
    (lambda: nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss()), floats(4, 3), floats(4, 2)),
    *((kind, floats(3, 4)) for kind in ACTIVATIONS),
    *((lambda layer=layer: deepcopy(layer), tensor(x)) for layer, x in FUNCTION_LAYERS.values()),
    (lambda: nn.CTCLoss(), ops.log_softmax(floats(5, 2, 4)), *TWO_SEQUENCES),
    (lambda: nn.GaussianNLLLoss(full=True), floats(4, 3), floats(4, 3) + 1, probabilities(4, 3)),
    (lambda: nn.MultiLabelSoftMarginLoss(), floats(4, 3), probabilities(4, 3)),
    (lambda: nn.MultiMarginLoss(2, reduction="sum"), floats(4, 3), ints(3, 4)),
    (lambda: nn.MultilabelMarginLoss(), floats(4, 3), ints(3, 4, 3)),
    (lambda: nn.SoftMarginLoss("none"), floats(4, 3), ops.sign(floats(4, 3))),
    (lambda: nn.TripletMarginLoss(swap=True, margin=3.0), floats(4, 3), probabilities(4, 3), floats(4, 3) * 2),
    (lambda: nn.Upsample(scale_factor=2.0, mode="bilinear"), floats(1, 2, 3, 4)),
]

KINDS = [type(make()) for make, *_ in EXAMPLES]
CASES = [
    pytest.param(
        make, inputs, training, id=f"{kind.__name__}-{KINDS[:i].count(kind)}-{'train' if training else 'eval'}"
    )
    for i, (kind, (make, *inputs)) in enumerate(zip(KINDS, EXAMPLES, strict=True))
    for training in (False, True)
]


def create(make, training):
    ops.set_seed(11)
    return make().set_train(training)


def observe(layer, call, inputs):
    """The results of a call and the Parameters after it, as arrays."""
    out = call(*inputs)
    leaves = leaves_of(out, lambda leaf: isinstance(leaf, Tensor))
    return [leaf.asnumpy() for leaf in [*leaves, *layer.get_parameters()]]


def assert_same_bits(result, expected):
    assert [(a.shape, a.dtype) for a in result] == [(a.shape, a.dtype) for a in expected]
    assert [a.tobytes() for a in result] == [a.tobytes() for a in expected]


def gradients_of(layer, inputs):
    positions = tuple(i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.dtype.is_float)
    return value_and_grad(layer, positions or None, tuple(layer.trainable_params()))


def test_every_public_cell_has_an_example():
    public = {getattr(nn, name) for name in nn.__all__}
    cells = {item for item in public if isinstance(item, type) and issubclass(item, nn.Cell)}
    trained = {cell for cell in cells if issubclass(cell, optimizer.Optimizer | nn.LearningRateSchedule)}
    trained |= {nn.TrainOneStepCell, nn.TrainOneStepWithLossScaleCell, nn.ParameterUpdate}
    trained |= {nn.ForwardValueAndGrad, nn.Jvp, nn.Vjp, nn.WithGradCell, nn.GraphCell}  # wrappers of other functions
    trained |= {nn.FixedLossScaleUpdateCell, nn.DynamicLossScaleUpdateCell}
    assert cells - BASES - trained == set(KINDS)


all_cases = pytest.mark.parametrize(("make", "inputs", "training"), CASES)


@all_cases
def test_forward_is_the_same_in_both_modes(make, inputs, training):
    eager = create(make, training)
    expected = [observe(eager, eager, inputs) for _ in range(2)]
    set_context(mode=GRAPH_MODE)
    compiled = create(make, training)
    for reference in expected:
        assert_same_bits(observe(compiled, compiled, inputs), reference)


@pytest.mark.parametrize(("make", "inputs", "training"), CASES)
def test_gradients_are_the_same_in_both_modes_and_under_jit(make, inputs, training):
    eager = create(make, training)
    expected = observe(eager, gradients_of(eager, inputs), inputs)
    jitted = create(make, training)
    assert_same_bits(observe(jitted, jit(gradients_of(jitted, inputs)), inputs), expected)
    set_context(mode=GRAPH_MODE)
    compiled = create(make, training)
    assert_same_bits(observe(compiled, gradients_of(compiled, inputs), inputs), expected)
