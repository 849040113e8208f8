import minigraph as ms
# Building networks: layers one by one, parameters and their initializers, containers, names.
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, ParameterTuple, Tensor, nn, ops
from minigraph.common.initializer import (Constant, Dirac, HeNormal, HeUniform, Identity, Initializer, Normal, One, Orthogonal, Sparse,
                                          TruncatedNormal, Uniform, VarianceScaling, XavierNormal, XavierUniform, Zero, initializer)

rng = np.random.RandomState(0)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28 * 28, 16, weight_init="normal", bias_init="zeros"), nn.ReLU(), nn.Dense(16, 10, weight_init="normal", bias_init="zeros"))

    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


@part
def network():
    model = fill(Network(), 2)
    print(model)
    x = ops.ones((1, 28, 28), ms.float32)
    logits = model(x)
    print(show(logits), show(nn.Softmax(axis=1)(logits)), nn.Softmax(axis=1)(logits).argmax(axis=1))
    print(f"Model structure: {model}\n")
    for name, param in model.parameters_and_names():
        print(f"Layer: {name}\nSize: {param.shape}\nValues: {param[:2].shape}\n")
    print(model.trainable_params())
    print([p.name for p in model.get_parameters()], list(model.parameters_dict()))
    print([n for n, _ in model.cells_and_names()], list(model.name_cells()), [type(c).__name__ for c in model.cells()])


@part
def layers():
    input_image = Tensor(rng.rand(3, 28, 28).astype(np.float32))
    flat = nn.Flatten()(input_image)
    layer = fill(nn.Dense(28 * 28, 20), 1, 0.1)
    hidden = layer(flat)
    print(flat.shape, show(hidden), show(nn.ReLU()(hidden)))
    for act in (nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.LeakyReLU(), nn.ELU(), nn.Softplus() if hasattr(nn, "Softplus") else nn.ReLU6(), nn.HSwish(), nn.SiLU(), nn.Mish(), nn.LogSoftmax(), nn.LogSigmoid(), nn.get_activation("relu"), nn.PReLU(), nn.Softmin(), nn.Threshold(0.1, 20)):
        print(type(act).__name__, show(act(hidden)))
    x = Tensor(rng.rand(2, 3, 8, 8).astype(np.float32))
    for layer in (nn.Conv2d(3, 4, 3), nn.Conv2d(3, 4, 3, pad_mode="valid"), nn.Conv2d(3, 4, 3, 2, pad_mode="pad", padding=1, has_bias=True), nn.MaxPool2d(2, 2), nn.AvgPool2d(3, 1), nn.BatchNorm2d(3),
                  nn.Conv2dTranspose(3, 2, 4, 2), nn.GroupNorm(1, 3), nn.AdaptiveAvgPool2d(2), nn.Pad(((0, 0), (0, 0), (1, 1), (2, 2))), nn.ZeroPad2d(1), nn.Upsample(scale_factor=2.0, mode="nearest", recompute_scale_factor=True) if False else nn.PixelShuffle(1),
                  nn.LayerNorm((8, 8), 2, 2), nn.Dropout(p=0.5).set_train(False), nn.MaxPool2d(3, 2, pad_mode="same"), nn.Identity()):
        fill(layer, 4)
        print(type(layer).__name__, show(layer(x)))


@part
def initializers():
    for init in (Zero(), One(), Constant(3), Identity(), Dirac(), "zeros", "ones", 0.5):
        shape = [3, 3, 2] if isinstance(init, Dirac) else [2, 2]
        print(init if isinstance(init, (str, float)) else type(init).__name__, initializer(init, shape, ms.float32).init_data())
    for init in (Normal(0.02), Uniform(0.1), TruncatedNormal(), XavierUniform(), XavierNormal(), HeUniform(), HeNormal(), Orthogonal(), Sparse(0.5), VarianceScaling(), "normal", "uniform", "xavier_uniform", "he_uniform", "he_normal", "truncatedNormal"):
        t = initializer(init, [50, 40], ms.float32).init_data()
        print(t.shape, t.dtype, round(float(np.abs(t.asnumpy()).max() > 0)), init if isinstance(init, str) else type(init).__name__)

    class XavierNormalMine(Initializer):
        def __init__(self, gain=1):
            super().__init__()
            self.gain = gain

        def _initialize(self, arr):
            arr[...] = np.full(arr.shape, self.gain, np.float32)

    layer = nn.Dense(3, 2, weight_init=XavierNormalMine(2), bias_init=One())
    print(layer.weight.value(), layer.bias.asnumpy(), layer(Tensor([[1., 2., 3.]])))
    weight = Tensor(np.ones((2, 3), np.float32))
    print(nn.Dense(3, 2, weight_init=weight)(Tensor([[1., 2., 3.]])).shape)
    conv = nn.Conv2d(1, 1, 2, weight_init=Parameter(initializer("ones", [1, 1, 2, 2], ms.float32)))
    print(conv(Tensor(np.ones((1, 1, 3, 3), np.float32))))


@part
def parameters():
    x = Parameter(default_input=Tensor(np.arange(2 * 3).reshape((2, 3))), name="x")
    y = Parameter(default_input=initializer("ones", [1, 2, 3], ms.float32), name="y")
    z = Parameter(default_input=2.0, name="z")
    print(x, y, z)
    print("\n", x.asnumpy(), y.asnumpy(), z.asnumpy())
    print("name: ", x.name, "requires_grad: ", x.requires_grad, x.layerwise_parallel, x.data)
    x_clone = x.clone()
    x_clone.name = "x_clone"
    print(x_clone, x.clone("ones").asnumpy())
    print(z.set_data(Tensor(np.float32(5))), z.asnumpy(), z + 1, z.dtype)
    x.requires_grad = False
    params = ParameterTuple((x, y, z))
    print(params, params.clone("params_copy"))
    print(params.clone("p2", "zeros")[0].asnumpy())


@part
def cell_methods():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3, has_bias=True, weight_init="ones", bias_init="zeros")
            self.blocks = nn.CellList([nn.Dense(2, 2) for _ in range(2)])
            self.named = nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(2, 1)})
            self.scale = Parameter(Tensor([2.0]), name="scale", requires_grad=False)
            self.buffer = Tensor([1.0])

        def construct(self, x):
            for block in self.blocks:
                x = block(x)
            return self.named["b"](self.named["a"](x)) * self.scale

    net = fill(Net(), 5)
    print(net)
    print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
    print(show(net(Tensor([[1., 2.]]))), len(net.blocks), list(net.named.keys()))
    net.blocks.append(nn.Dense(2, 2))
    net.blocks.insert(0, nn.Dense(2, 2))
    net.insert_child_to_cell("extra", nn.ReLU())
    print(len(net.blocks), [n for n, _ in net.cells_and_names()])
    net.apply(lambda cell: isinstance(cell, nn.Dense) and cell.weight.set_data(initializer("ones", cell.weight.shape)))
    net.update_parameters_name("prefix_")
    print([p.name for p in net.get_parameters()], [p.name for p in net.get_parameters(expand=False)])
    for param in net.trainable_params():
        if "conv" in param.name:
            param.requires_grad = False
    print([p.name for p in net.trainable_params()], net.training, net.set_train().training, net.set_grad().requires_grad)
    print(net.set_train(False).training, net.conv.kernel_size, net.conv.stride, net.conv.out_channels, net.named["b"].in_channels if hasattr(net.named["b"], "in_channels") else "")
    print(net.cls_name, net.param_prefix, net.cell_init_args if False else "")
    print(net.cell_type, net.bprop_debug)
    seq = nn.SequentialCell([nn.Dense(2, 2), nn.ReLU()])
    seq.append(nn.Dense(2, 1))
    print(len(seq), seq[0], seq[-1], seq[:2])
    seq2 = nn.SequentialCell(dict(a=nn.ReLU(), b=nn.Sigmoid())) if False else nn.SequentialCell(nn.ReLU(), nn.Sigmoid())
    print(seq2(Tensor([-1., 1.])))
    print(ops.Squeeze()(net.buffer), net.init_parameters_data() is not None)


@part
def mistakes():
    net = Network()
    for wrong in (lambda: net(), lambda: net(Tensor(np.ones((2, 3), np.float32))), lambda: nn.Dense(3, "a"), lambda: nn.Dense(0, 2), lambda: nn.Conv2d(3, 4, 0), lambda: nn.Conv2d(3, 4, 3, pad_mode="x"),
                  lambda: nn.SequentialCell(3), lambda: nn.CellList([3]), lambda: initializer("foo", [2]), lambda: Parameter(None), lambda: nn.Dropout(p=2.0), lambda: nn.Cell()(Tensor([1.])), lambda: net.nothing):
        try:
            wrong()
            print("accepted")
        except Exception as e:
            print(type(e).__mro__[-3].__name__)
