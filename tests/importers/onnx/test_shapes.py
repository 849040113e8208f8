from minigraph.importers.onnx.shapes import CONVERTERS
from tests.importers.onnx.node_tests import failing_tests


def test_node_tests_of_these_operators_pass():
    assert failing_tests(CONVERTERS) == set()
