import minigraph as ms
# Every layer: how it prints, the names and shapes of its parameters, what it computes and its gradients.
import re
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor


def floats(*shape, seed=1):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def short(x):
    a = x.asnumpy()
    return "%s sum %.4f first %s" % (tuple(a.shape), float(a.astype(np.float64).sum()), np.array2string(a.ravel()[:3], precision=4, separator=", "))


def report(cell, *inputs, train=False):
    print(re.sub("weight_init=.*, format", "weight_init=..., format", str(cell)))
    rng = np.random.RandomState(0)
    for p in cell.get_parameters():
        if "variance" not in p.name:
            p.set_data(Tensor((rng.randn(*p.shape) * 0.3).astype(np.float32)))
    print("  parameters", [(p.name, p.shape, p.requires_grad) for p in cell.get_parameters()])
    cell.set_train(train)
    out = cell(*inputs)
    first = out[0] if isinstance(out, tuple) else out
    for i, o in enumerate(out if isinstance(out, tuple) else (out,)):
        print("  output", i, [short(s) for s in o] if isinstance(o, tuple) else short(o))
    if not inputs[0].dtype == ms.int32:
        pick = Tensor(np.cos(np.arange(first.asnumpy().size)).astype(np.float32).reshape(first.shape))

        def scalar(x):
            y = cell(x, *inputs[1:])
            return ((y[0] if isinstance(y, tuple) else y) * pick).sum()

        print("  gradient", short(ms.grad(scalar)(inputs[0])))


image, line, row = floats(2, 4, 6, 5), floats(2, 4, 7), floats(3, 4)
report(nn.Dense(4, 3), row)
report(nn.Dense(4, 3, has_bias=False, activation="relu"), floats(2, 3, 4))
report(nn.Dense(4, 3, activation=nn.Tanh()), row)
report(nn.Conv2d(4, 6, 3), image)
report(nn.Conv2d(4, 6, (3, 2), stride=(2, 1), pad_mode="pad", padding=(1, 2, 0, 1), group=2, has_bias=True), image)
report(nn.Conv2d(4, 6, 3, stride=2, dilation=2), image)
report(nn.Conv2d(4, 6, 3, pad_mode="valid", dilation=(1, 2)), image)
report(nn.Conv1d(4, 6, 3), line)
report(nn.Conv1d(4, 6, 3, stride=2, pad_mode="pad", padding=2, dilation=2, group=2, has_bias=True), line)
report(nn.Conv2dTranspose(4, 6, 3, stride=2), image)
report(nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode="pad", padding=1, output_padding=1, has_bias=True), image)
report(nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode="valid", group=2), image)
report(nn.MaxPool2d(3, 2), image)
report(nn.MaxPool2d((2, 3), stride=2, pad_mode="same"), image)
report(nn.MaxPool2d(3, stride=2, pad_mode="pad", padding=1), image)
report(nn.AvgPool2d(3, 2), image)
report(nn.AvgPool2d((2, 3), stride=2, pad_mode="same"), image)
report(nn.AvgPool2d(3, stride=2, pad_mode="pad", padding=1), image)
report(nn.AvgPool2d(3, stride=2, pad_mode="pad", padding=1, count_include_pad=False), image)
report(nn.AvgPool2d(3, stride=2, pad_mode="pad", padding=1, ceil_mode=True, divisor_override=5), image)
report(nn.MaxPool2d(3, stride=2, pad_mode="pad", padding=1, dilation=2, ceil_mode=True), floats(2, 4, 9, 8))
report(nn.MaxPool1d(3, 2), line)
report(nn.AvgPool1d(3, 2), line)
report(nn.BatchNorm1d(4), row)
report(nn.BatchNorm1d(4), row, train=True)
report(nn.BatchNorm2d(4, eps=1e-3, momentum=0.8), image)
report(nn.BatchNorm2d(4, affine=False), image, train=True)
report(nn.BatchNorm2d(4, use_batch_statistics=True), image)
report(nn.BatchNorm2d(4, use_batch_statistics=False), image, train=True)
report(nn.LayerNorm((4,)), row)
report(nn.LayerNorm([6, 5], begin_norm_axis=2, begin_params_axis=2, epsilon=1e-3), image)
report(nn.GroupNorm(2, 4), image)
report(nn.GroupNorm(4, 4, eps=1e-3, affine=False), image)
report(nn.Embedding(5, 3), Tensor(np.array([[0, 4], [2, 2]], np.int32)))
report(nn.Embedding(5, 3, padding_idx=2), Tensor(np.array([[0, 4], [2, 2]], np.int32)))
report(nn.Embedding(5, 3, use_one_hot=True), Tensor(np.array([0, 4], np.int32)))
report(nn.Flatten(), image)
report(nn.Flatten(2, 3), image)
report(nn.Identity(), row)
report(nn.Dropout(p=0.3), row)
report(nn.Dropout(), row)
report(nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2)), row)
report(nn.SequentialCell([nn.Dense(4, 3), nn.Sigmoid()]), row)
print(nn.CellList([nn.Dense(2, 3), nn.ReLU()]))
for make in (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.GELU, nn.Softmax, nn.LogSoftmax, nn.LeakyReLU, nn.ELU, nn.SiLU, nn.ReLU6, nn.HSwish,
             nn.HSigmoid, nn.Mish, nn.LogSigmoid, nn.Softsign, nn.PReLU, nn.Softmin, nn.CELU, nn.SeLU, nn.Tanhshrink, nn.Hardtanh, nn.FastGelu,
             nn.HShrink, nn.SoftShrink):
    report(make(), row)
report(nn.GELU(approximate=False), row)
report(nn.Softmax(axis=0), row)
report(nn.LeakyReLU(alpha=0.1), row)
report(nn.MultiheadAttention(4, 2), floats(5, 3, 4), floats(6, 3, 4, seed=2), floats(6, 3, 4, seed=3))
report(nn.MultiheadAttention(4, 2, batch_first=True, has_bias=False, kdim=3, vdim=2), floats(3, 5, 4), floats(3, 6, 3, seed=2), floats(3, 6, 2, seed=3))
report(nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, dropout=0.0), floats(5, 3, 4))
report(nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, activation="gelu", batch_first=True, norm_first=True), floats(3, 5, 4))
report(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, dim_feedforward=6), 2), floats(5, 3, 4))
report(nn.RNN(4, 3), floats(5, 2, 4))
report(nn.LSTM(4, 3), floats(5, 2, 4))
report(nn.LSTM(4, 3, num_layers=2, batch_first=True, bidirectional=True), floats(2, 5, 4))
report(nn.GRU(4, 3, num_layers=2), floats(5, 2, 4))
report(nn.GRU(4, 3, has_bias=False, bidirectional=True), floats(5, 2, 4), floats(2, 2, 3, seed=4))
