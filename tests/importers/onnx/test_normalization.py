from minigraph.importers.onnx.normalization import CONVERTERS
from tests.importers.onnx.node_tests import failing_tests


def test_node_tests_of_these_operators_pass():
    assert failing_tests(CONVERTERS) == {
        "test_training_dropout",
        "test_training_dropout_default",
        "test_training_dropout_default_mask",
        "test_training_dropout_mask",
    }
