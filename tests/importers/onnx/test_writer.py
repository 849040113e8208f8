import os
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.core.errors import ModelError
from minigraph.importers.onnx.writer import GraphWriter
from tests.importers.onnx.node_tests import onnx
from tests.tables import cases

X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))


def evaluate(graph, *args):
    """The results of onnx's reference evaluator, which equal the results of the network that is read back."""
    proto = GraphWriter().model(graph)
    feeds = {item.name: arg.array for item, arg in zip(proto.graph.input, args, strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the evaluator's numpy
        reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(proto).run(None, feeds)
    restored = ms.load_onnx(proto.SerializeToString())(*args)
    for a, b in zip(reference, restored if isinstance(restored, tuple) else (restored,), strict=True):
        np.testing.assert_allclose(a, b.array, 1e-5, 1e-6)
    return reference


class Net(nn.Cell):
    """Convolutions, normalisation, pooling and a product."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2)
        self.pool, self.dense = nn.MaxPool2d(2, 2), nn.Dense(8, 3)

    def construct(self, x):
        return self.dense(ops.flatten(self.pool(ops.relu(self.norm(self.conv(x))))))


def set_items(x, key, value):
    """A copy of the tensor with elements set."""
    result = x * 1
    result[key] = value
    return result


def training_step(net, x, labels):
    """The loss and the gradients of all weights."""
    loss = ms.value_and_grad(lambda x: ops.cross_entropy(net(x), labels), None, net.trainable_params())
    return ms.trace(lambda x: loss(x), x)


@cases(
    (lambda x: ops.softmax(x @ x.T + 1, -1),),
    (lambda x: x[:, 1:] * x[0, ::-1][None, :2],),
    (lambda x: ops.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1),),
    (lambda x: ops.while_loop(lambda v: v.sum() < 10, lambda v: v + 1, x),),
    (lambda x: ops.fori_loop(0, 3, lambda i, v: v * 2 + i, x),),
    (lambda x: ops.scan(lambda c, r: (c + r, c * r), x[0], x)[1],),
    (lambda x: ops.layer_norm(x, 3, ops.ones(3), ops.zeros(3)),),
    (lambda x: ops.gelu(x) + ops.concat([x, x], 1)[:, ::2] ** 2,),
    (ms.grad(lambda x: (ops.tanh(x) * ops.exp(x)).sum()),),
    (ms.grad(lambda x: (x[Tensor([1, 0, -1]), :, None] * x[None, Tensor([[0], [1]]), 0].sum()).sum()),),
    (lambda x: x[Tensor([1, 0]), :, None][Tensor([0, -1, 1]), Tensor([[-1], [0]])],),
    (lambda x: set_items(x, x > 0, 7.0) + set_items(x, x[:, 0] < 0, 5) + set_items(x, Tensor([-1]), x[0, 1:2]),),
    (lambda x: (ops.log1p(x * 1e-6), ops.expm1(x * 1e-6), ops.log1p(x + np.inf), ops.expm1(x * 1000)),),
)
def test_the_reference_evaluator_computes_the_same(fn):
    graph = ms.trace(fn, X)
    expected = ms.interpret(graph, X)
    for a, b in zip(evaluate(graph, X), expected, strict=True):
        np.testing.assert_allclose(a, b.array, 1e-5, 1e-6)


def test_a_training_step_round_trips():
    net, x = Net(), Tensor(np.random.default_rng(0).normal(size=(2, 1, 4, 4)).astype(np.float32))
    graph = training_step(net, x, Tensor([2, 0]))
    results = evaluate(graph, x)
    assert len(results) == 1 + len(net.trainable_params())
    for a, b in zip(results, ms.interpret(graph, x), strict=True):
        np.testing.assert_allclose(a, b.array, 1e-4, 1e-5)


def test_a_network_before_and_after_passes_round_trips(tmp_path):
    net, x = Net(), Tensor(np.random.default_rng(0).normal(size=(2, 1, 4, 4)).astype(np.float32))
    for pipeline in ((), None):
        graph = ms.jit(net).graph(x, **({} if pipeline is None else {"pipeline": ()}))
        np.testing.assert_allclose(evaluate(graph, x)[0], net(x).array, 1e-4, 1e-5)
    ms.to_onnx(net, tmp_path / "net.onnx", x)
    onnx.checker.check_model(str(tmp_path / "net.onnx"))
    restored = ms.load_onnx(tmp_path / "net.onnx")
    trained = [{p.name: p.requires_grad for p in cell.get_parameters()} for cell in (net, restored)]
    assert trained[0] == trained[1] and not trained[1]["norm.moving_mean"]
    np.testing.assert_allclose(restored(x).array, net(x).array, 1e-5, 1e-6)


@cases(
    (lambda x: ops.erfinv(x), r"to_onnx: 'erfinv' has no ONNX form \(.*:\d+\); compute it outside"),
    (lambda x: ops.print_(x), "to_onnx: 'print' has an effect .*, which ONNX cannot express"),
    (lambda x: set_items(x, x[:, 0] > 0, x[0]), "to_onnx: this use of a mask as an index is not supported; use where"),
    (lambda x: x.astype(ms.complex64), "to_onnx: tensors of complex64 are not supported"),
)
def test_graphs_that_onnx_cannot_express_are_refused_before_writing(tmp_path, fn, message):
    with pytest.raises(ModelError, match=message):
        ms.to_onnx(fn, tmp_path / "net.onnx", X)
    assert os.listdir(tmp_path) == []
