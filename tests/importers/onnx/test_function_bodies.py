import numpy as np

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
