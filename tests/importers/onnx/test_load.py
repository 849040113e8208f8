import os

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import ModelError, UsageError
from minigraph.ir.text import parse
from tests.importers.onnx.node_tests import model, node, onnx
from tests.tables import cases

LINE = {"w": np.full((3, 2), 2.0, np.float32), "b": np.ones(2, np.float32)}


def test_a_file_and_its_bytes(tmp_path):
    data = model(node("Gemm", "x", "w", "b"), tensors=LINE, x=["batch", 3])
    (tmp_path / "net.onnx").write_bytes(data)
    for source in (data, bytearray(data), tmp_path / "net.onnx", str(tmp_path / "net.onnx")):
        net = ms.load_onnx(source)
        assert net(Tensor(np.ones((1, 3), np.float32))).tolist() == [[7, 7]]
        assert [p.name for p in net.trainable_params()] == ["w", "b"]


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # whose other end nobody opens
    for source, words in ((tmp_path / "none.onnx", "none.onnx' cannot be read: No such file"),
                          (tmp_path / "pipe", "not a regular file"), (tmp_path, "not a regular file"),
                          (None, "got NoneType; pass the path"), (3, "got int; pass the path")):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            ms.load_onnx(source)


@cases((-1,), (2.5,), ("2",), (True,), (None,))
def test_a_size_of_a_dim_is_a_number(size):
    with pytest.raises(UsageError, match="the dim 'batch' is"):
        ms.load_onnx(model(node("Relu", "x"), x=["batch", 3]), {"batch": size})


def test_a_network_trains():
    net = ms.load_onnx(model(node("Gemm", "x", "w", "b"), tensors=LINE, x=[4, 3]))
    x, optimizer = Tensor(np.ones((4, 3), np.float32)), ms.nn.SGD(net.trainable_params(), 0.01)
    step = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())
    losses = []
    for _ in range(3):
        loss, grads = step(x)
        optimizer(grads)
        losses.append(loss.item())
    assert losses[0] > losses[1] > losses[2]


def test_long_chains_and_any_names_are_right():
    names = [
        "x",
        'a"b',
        "<script>alert(1)</script>",
        "a\nb",
        "\x00\x1b[31m",
        "\u202e",
        "%0",
        "n" * 100_000,
        "'; import os",
    ]
    nodes = [node("Neg", a, outs=[b], name=b) for a, b in zip(names, [*names[1:], "v0"], strict=True)]
    nodes += [node("Neg", f"v{k}", outs=[f"v{k + 1}"]) for k in range(2_000)]
    net = ms.load_onnx(model(*nodes, outs=["v2000"], x=[2]))
    graph = ms.jit(net).graph(Tensor(np.ones(2, np.float32)), pipeline=())
    assert len(graph) == len(names) + 2_001 and net(Tensor(np.ones(2, np.float32))).tolist() == [-1, -1]
    assert len(parse(str(graph))) == len(graph)


def test_hostile_names_are_data_in_parameters_texts_and_programs(tmp_path):
    names = ['w"', "<b>", "a\nb", "'); raise SystemExit #", "{x}", "construct", "_params", "../w"]
    nodes = [node("Add", "x" if k == 0 else f"v{k}", name, outs=[f"v{k + 1}"]) for k, name in enumerate(names)]
    data = model(*nodes, outs=[f"v{len(names)}"], tensors=dict.fromkeys(names, np.ones(2, np.float32)), x=[2])
    net, x = ms.load_onnx(data), Tensor(np.zeros(2, np.float32))
    assert ms.jit(net)(x).tolist() == net(x).tolist() == [len(names)] * 2
    ms.save_checkpoint(net, str(tmp_path / "n.ckpt"))
    assert set(ms.load_checkpoint(str(tmp_path / "n.ckpt"))) == set(names)
    assert "\n\n" not in str(ms.jit(net).graph(x, pipeline=())).strip()


def test_scopes_from_node_names():
    nodes = [node("Neg", "x", outs=["a"], name="/layer1/layer1.0/Neg"), node("Neg", "a", name="Neg_1")]
    graph = ms.jit(ms.load_onnx(model(*nodes, x=[2]))).graph(Tensor(np.ones(2, np.float32)), pipeline=())
    assert [graph.loc(n)[0].scope for n in graph][1:] == ["ImportedNetwork/layer1/0", "ImportedNetwork"]
    assert onnx.defs.onnx_opset_version() >= 17
