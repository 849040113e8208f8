import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import ModelError
from minigraph.importers.onnx.quantization import CONVERTERS
from tests.importers.onnx.node_tests import failing_tests, model, node, onnx


def test_node_tests_of_these_operators_pass():
    assert failing_tests(CONVERTERS) == set()


def test_numbers_are_not_quantised_to_float8():
    zero = onnx.helper.make_tensor("z", onnx.TensorProto.FLOAT8E4M3FN, [], [0.0])
    proto = onnx.load_model_from_string(model(node("QuantizeLinear", "x", "s", "z"), opset=19,
                                              tensors={"s": np.array(0.5, np.float32)}, x=[2]))  # fmt: skip
    proto.graph.initializer.append(zero)
    with pytest.raises(ModelError, match="QuantizeLinear node 'y': numbers are quantised to integers only"):
        ms.load_onnx(proto.SerializeToString())(Tensor([1.0, 2.0]))
