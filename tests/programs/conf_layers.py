import minigraph as ms
# Layers and losses against plain numpy formulas; every line must end in True.
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
rng = np.random.RandomState(0)


def check(name, got, want, tol=1e-4):
    got = got.asnumpy() if isinstance(got, Tensor) else got
    print("%-52s %s %s" % (name, got.shape, bool(got.shape == np.shape(want) and np.allclose(got, want, rtol=tol, atol=tol))))


d = nn.Dense(64, 32)
W, b = d.weight.asnumpy(), d.bias.asnumpy()
print("Dense weight shape (out, in):", W.shape, "bound 1/sqrt(in) respected:", bool(abs(W).max() <= 0.125 and abs(W).max() > 0.11 and abs(b).max() <= 0.125))
x = rng.randn(4, 64).astype(np.float32)
x3 = rng.randn(2, 3, 64).astype(np.float32)
check("Dense 2-D: x @ W.T + b", d(Tensor(x)), x @ W.T + b)
check("Dense 3-D", d(Tensor(x3)), x3 @ W.T + b)
check("Dense activation='relu'", nn.Dense(2, 2, weight_init="ones", bias_init="zeros", activation="relu")(Tensor([[-3.0, 1.0]])), np.zeros((1, 2)))
check("Dense weight_init=0.5, has_bias=False", nn.Dense(3, 2, weight_init=0.5, has_bias=False)(Tensor([[1.0, 2.0, 3.0]])), [[3.0, 3.0]])
img = rng.randn(2, 3, 8, 8).astype(np.float32)


def conv(x, w, s, lo, hi):
    xp = np.pad(x, ((0, 0), (0, 0), (lo, hi), (lo, hi)))
    o, _, kh, kw = w.shape
    oh, ow = (xp.shape[2] - kh) // s + 1, (xp.shape[3] - kw) // s + 1
    out = np.zeros((x.shape[0], o, oh, ow))
    for i in range(oh):
        for j in range(ow):
            out[:, :, i, j] = np.tensordot(xp[:, :, i * s:i * s + kh, j * s:j * s + kw], w, ((1, 2, 3), (1, 2, 3)))
    return out


c = nn.Conv2d(3, 4, 3)
check("Conv2d default pad_mode='same', no bias", c(Tensor(img)), conv(img, c.weight.asnumpy(), 1, 1, 1))
c = nn.Conv2d(3, 4, 3, stride=2)
check("Conv2d same, stride 2 pads (0 before, 1 after)", c(Tensor(img)), conv(img, c.weight.asnumpy(), 2, 0, 1))
c = nn.Conv2d(3, 4, 3, pad_mode="valid")
check("Conv2d valid", c(Tensor(img)), conv(img, c.weight.asnumpy(), 1, 0, 0))
c = nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True)
check("Conv2d pad 1 + bias", c(Tensor(img)), conv(img, c.weight.asnumpy(), 1, 1, 1) + c.bias.asnumpy()[:, None, None])
xs = x * 1e-3
ln = nn.LayerNorm((64,))
check("LayerNorm eps=1e-7 (not 1e-5)", ln(Tensor(xs)), (xs - xs.mean(-1, keepdims=True)) / np.sqrt(xs.var(-1, keepdims=True) + 1e-7), 1e-3)
ln = nn.LayerNorm((3, 64), begin_norm_axis=1, begin_params_axis=1)
check("LayerNorm begin_norm_axis=1", ln(Tensor(x3)), (x3 - x3.mean((1, 2), keepdims=True)) / np.sqrt(x3.var((1, 2), keepdims=True) + 1e-7))
bn = nn.BatchNorm2d(3)
check("BatchNorm2d before set_train(): eval statistics", bn(Tensor(img)), img / np.sqrt(1 + 1e-5))
bn.set_train()
mu, va, n = img.mean((0, 2, 3)), img.var((0, 2, 3)), img.size / 3
check("BatchNorm2d training: batch statistics (biased)", bn(Tensor(img)), (img - mu[:, None, None]) / np.sqrt(va[:, None, None] + 1e-5))
check("  moving_mean = 0.9*old + 0.1*batch", bn.moving_mean.value(), 0.1 * mu)
check("  moving_variance uses the UNBIASED batch variance", bn.moving_variance.value(), 0.9 + 0.1 * va * n / (n - 1), 1e-5)
print([p.name for p in bn.trainable_params()], [p.name for p in bn.get_parameters()])
a, t = rng.randn(4, 3).astype(np.float32), rng.randn(4, 3).astype(np.float32)
check("MSELoss mean", nn.MSELoss()(Tensor(a), Tensor(t)), ((a - t) ** 2).mean())
check("MSELoss sum", nn.MSELoss("sum")(Tensor(a), Tensor(t)), ((a - t) ** 2).sum())
check("MSELoss none", nn.MSELoss("none")(Tensor(a), Tensor(t)), (a - t) ** 2)
check("MSELoss broadcasts (4,3) with (4,1) silently", nn.MSELoss()(Tensor(a), Tensor(t[:, :1])), ((a - t[:, :1]) ** 2).mean())
lab = np.array([0, 2, 1, 0], np.int32)
ls = a - np.log(np.exp(a).sum(1, keepdims=True))
check("CrossEntropyLoss, int32 labels", nn.CrossEntropyLoss()(Tensor(a), Tensor(lab)), -ls[np.arange(4), lab].mean())
pr = np.abs(t) / np.abs(t).sum(1, keepdims=True)
check("CrossEntropyLoss, probability targets", nn.CrossEntropyLoss()(Tensor(a), Tensor(pr)), -(pr * ls).sum(1).mean())
check("CrossEntropyLoss ignore_index=-100", nn.CrossEntropyLoss()(Tensor(a), Tensor(np.array([0, -100, 1, 0], np.int32))), -(ls[0, 0] + ls[2, 1] + ls[3, 0]) / 3)
check("CrossEntropyLoss label_smoothing=0.1", nn.CrossEntropyLoss(label_smoothing=0.1)(Tensor(a), Tensor(lab)), (0.9 * -ls[np.arange(4), lab] + 0.1 * -ls.mean(1)).mean())


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.fc = nn.Dense(4, 2)
        self.w = ms.Parameter(Tensor([1.0]))
        self.w2 = ms.Parameter(Tensor([1.0]), name="custom")
        self.seq = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
        self.frozen = ms.Parameter(Tensor([0.0]), requires_grad=False)
        self.insert_param_to_cell("late", ms.Parameter(Tensor([0.0]), name="late"))
        self.insert_child_to_cell("kid", nn.Dense(2, 1))

    def construct(self, x):
        return x


net = Net()
print([p.name for p in net.trainable_params()])
print([p.name for p in net.untrainable_params()])
print(list(net.parameters_dict())[:4], type(net.parameters_dict()).__name__, list(net.name_cells()), [n for n, _ in net.cells_and_names()])
print(net.training, net.set_train() is net, net.training, net.bn.training, net.set_train(False).training)
