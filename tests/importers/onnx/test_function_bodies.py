import gc
from types import ModuleType

import numpy as np

import minigraph as ms
from minigraph import Tensor
from minigraph.importers.onnx.function_bodies import with_missing_operands
from minigraph.importers.onnx.table import TABLE
from tests.importers.onnx.node_tests import model, node, run


def test_operators_without_a_row_are_computed_by_their_own_definition():
    x = Tensor(np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3))
    assert "HannWindow" not in TABLE.names and "SoftmaxCrossEntropyLoss" not in TABLE.names
    labels = Tensor(np.array([0, 2]))
    got = run(model(node("SoftmaxCrossEntropyLoss", "x", "t", reduction="sum"), x=(2, 3), t=labels.array), x, labels)
    rows = np.exp(x.array) / np.exp(x.array).sum(1, keepdims=True)
    assert abs(got.item() + np.log(rows[0, 0] * rows[1, 2])) < 1e-5


def test_missing_arguments_are_none():
    assert with_missing_operands((1,), ["a", "b"]) == (1, None)


def test_a_network_does_not_keep_the_file_in_memory():
    labels = Tensor(np.array([0, 2]))
    nodes = node("SoftmaxCrossEntropyLoss", "x", "t"), node("HannWindow", "n", outs=["window"])
    network = ms.load_onnx(model(*nodes, x=(2, 3), t=labels.array, n=labels.array[0], outs=["y", "window"]))
    network(Tensor(np.ones((2, 3), np.float32)), labels, Tensor(4))
    assert not [item for item in reachable(network.model) if type(item).__module__.startswith("onnx")]


def reachable(root):
    """All objects that an object refers to, but for the globals of functions, modules and classes."""
    worklist, seen = [root], {id(root)}
    for item in worklist:
        inner = [part for part in gc.get_referents(item) if not isinstance(part, ModuleType | type)]
        inner = [part for part in inner if id(part) not in seen and not (type(part) is dict and "__builtins__" in part)]
        seen |= {id(part) for part in inner}
        worklist += inner
    return worklist
