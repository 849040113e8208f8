from minigraph.importers.onnx.signals import ROWS
from tests.importers.onnx.node_tests import failing


def test_node_tests_of_these_operators_pass():
    assert failing(ROWS) == {"test_dft_inverse", "test_dft_inverse_opset19"}
