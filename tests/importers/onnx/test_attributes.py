import pytest

from minigraph.core.errors import ModelError
from minigraph.importers.onnx.attributes import READERS, check_attributes, type_name
from tests.importers.onnx.node_tests import node


def test_attributes_are_read_by_their_types():
    values = {"i": 3, "f": 0.5, "s": "text", "xs": [1, 2], "names": ["a", "b"]}
    read = {item.name: READERS[type_name(item)](item) for item in node("Any", "x", **values).attribute}
    assert read == {"i": 3, "f": 0.5, "s": "text", "xs": (1, 2), "names": ("a", "b")}


def test_attributes_are_checked_against_the_schema():
    check_attributes(node("LeakyRelu", "x", alpha=0.5), 16, "m")
    with pytest.raises(ModelError, match="m: there is no attribute 'kernal'"):
        check_attributes(node("Relu", "x", kernal=3), 16, "m")
    with pytest.raises(ModelError, match="m: the attribute 'alpha' is int, not float; export it again"):
        check_attributes(node("LeakyRelu", "x", alpha=3), 16, "m")
    check_attributes(node("OfAnotherDomain", "x", anything=3), 16, "m")
