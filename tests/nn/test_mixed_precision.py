"""``to_float`` in both modes; the expected dtypes come from MindSpore 2.10 in PyNative mode."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, bfloat16, float16, float32, grad, nn, ops
from tests.tables import in_one_test

X = Tensor(np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32))


class Operators(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((4, 4), np.float32)), name="w")

    def construct(self, x, i):
        y = x.astype(float32)
        return (
            x, x * 2, ops.sin(x), ops.matmul(x, self.w), self.w, self.w + 1, i, i * 2, x.sum(), ops.softmax(x), y,
            ops.exp(y), ops.zeros((2,), float32) + 1, x[0], x.reshape(-1), x > 0, ops.stack([x, x]),
        )  # fmt: skip


class Branches(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            return x * 2
        return x * 3


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu, self.dense, self.norm = nn.ReLU(), nn.Dense(4, 3), nn.LayerNorm([4])

    def construct(self, x):
        return self.relu(x), self.dense(x), self.norm(x), x + 1


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "Graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


OPERATORS = [
    "f32",
    "f16",
    "f16",
    "f16",
    "f32",
    "f16",
    "i64",
    "i64",
    "f16",
    "f16",
    "f32",
    "f16",
    "f16",
    "f16",
    "f16",
    "bool",
    "f16",
]


@in_one_test([(float16, X, "f16"), (bfloat16, X, "bf16"), (float32, X.astype(float16), "f32")])
def test_operators_cast_their_float_operands(dtype, x, short):
    results = Operators().to_float(dtype)(x, Tensor([1, 2]))
    expected = [short if kind == "f16" else x.dtype.short if k == 0 else kind for k, kind in enumerate(OPERATORS)]
    assert [result.dtype.short for result in results] == expected


def test_a_branch_on_a_tensor_casts_too():
    net = Branches().to_float(float16)
    assert net(Tensor([1.0])).dtype is net(Tensor([-1.0])).dtype is float16


@in_one_test([("relu", float16, "f16 f32 f32 f32"), ("dense", float16, "f32 f16 f32 f32")])
def test_only_the_cells_below_compute_in_the_dtype(name, dtype, expected):
    net = Layers()
    net(X)  # compiled before, in Graph mode
    getattr(net, name).to_float(dtype)
    assert [result.dtype.short for result in net(X)] == expected.split()


def test_a_cell_within_may_compute_in_another_dtype():
    net = Layers().to_float(float16)
    net.dense.to_float(float32)
    assert [result.dtype.short for result in net(X)] == ["f16", "f32", "f16", "f16"]


def test_parameters_and_gradients_keep_their_dtype_and_values_are_rounded():
    net = nn.Dense(4, 1, weight_init="ones", bias_init="zeros").to_float(float16)
    gradients = grad(lambda x: net(x).astype(float32).sum(), 0, net.trainable_params())(X)
    assert [net.weight.dtype, gradients[0].dtype, *(g.dtype for g in gradients[1])] == [float32] * 4
    expected = X.asnumpy().astype(np.float16).astype(np.float32).sum(0)
    np.testing.assert_allclose(gradients[1][0].asnumpy()[0], expected, rtol=2e-3)


def test_other_dtypes_are_refused():
    with pytest.raises(ValueError, match="For 'to_float', the argument 'dst_type' must be mstype.float32"):
        nn.ReLU().to_float(ms.int32)


def test_the_type_of_one_cell_is_read_and_set():
    net = nn.SequentialCell(nn.Dense(2, 1, "ones", "zeros"))
    assert str(net.get_mixed_precision_type()) == "MixedPrecisionType.NOTSET"
    half = nn.ReLU().to_float(ms.float16).get_mixed_precision_type()
    net[0].set_mixed_precision_type(half)
    assert int(net[0].get_mixed_precision_type()) == 1 and int(net.get_mixed_precision_type()) == 0
    assert net(ms.Tensor([[1.0, 2.0]])).dtype is ms.float16
    with pytest.raises(TypeError, match="needs a MixedPrecisionType, got str"):
        net.set_mixed_precision_type("fp16")
