from minigraph.importers.onnx.elementwise import ROWS
from tests.importers.onnx.node_tests import failing


def test_node_tests_of_these_operators_pass():
    assert failing(ROWS) == set()
