import numpy as np

from minigraph import Tensor
from minigraph.importers.onnx.table import TABLE
from tests.importers.onnx.node_tests import model, node, onnx, run
from tests.tables import cases

X = Tensor(np.array([[1, -2, 3], [4, 0, -6]], np.float32))


def test_rows_are_of_operators_that_onnx_has_and_take_its_required_operands():
    for name in TABLE.names:
        schema = onnx.defs.get_schema(name)
        for since in TABLE.versions(name):
            converter = TABLE.find(name, max(since, 7))
            assert converter is not None and converter.required_operands <= schema.max_input, name


def test_rows_begin_at_versions_in_which_onnx_changed_the_operator():
    versions = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        versions.setdefault(schema.name, set()).add(schema.since_version)
    wrong = [(n, s) for n in TABLE.names for s in TABLE.versions(n) if s and s not in versions[n]]
    assert wrong == []


@cases(
    (7, "Clip", {"min": -1.0, "max": 2.0}, {}, [[1, -1, 2], [2, 0, -1]]),
    (13, "Clip", {}, {"low": np.float32(-1)}, [[1, -1, 3], [4, 0, -1]]),
    (7, "Slice", {"starts": [1], "ends": [3], "axes": [1]}, {}, [[-2, 3], [0, -6]]),
    (10, "Slice", {}, {"starts": np.array([1]), "ends": np.array([2])}, [[4, 0, -6]]),
    (7, "Unsqueeze", {"axes": [0]}, {}, [[[1, -2, 3], [4, 0, -6]]]),
    (13, "Unsqueeze", {}, {"axes": np.array([-1])}, [[[1], [-2], [3]], [[4], [0], [-6]]]),
    (7, "ReduceSum", {"axes": [1], "keepdims": 0}, {}, [2, -2]),
    (13, "ReduceSum", {"keepdims": 0}, {"axes": np.array([0])}, [5, -2, -3]),
    (17, "ReduceMax", {"axes": [0]}, {}, [[4, 0, 3]]),
    (18, "ReduceMax", {}, {"axes": np.array([0])}, [[4, 0, 3]]),
    (7, "Pad", {"pads": [0, 1, 0, 0], "value": 9.0}, {}, [[9, 1, -2, 3], [9, 4, 0, -6]]),
    (11, "Pad", {}, {"pads": np.array([0, 0, 0, -1])}, [[1, -2], [4, 0]]),
    (11, "Hardmax", {"axis": 0}, {}, [[0, 0, 0], [1, 0, 0]]),
    (13, "Hardmax", {"axis": 0}, {}, [[0, 0, 1], [1, 1, 0]]),
    (7, "Upsample", {"scales": [1.0, 2.0]}, {}, [[1, 1, -2, -2, 3, 3], [4, 4, 0, 0, -6, -6]]),
    (9, "Upsample", {}, {"scales": np.array([2, 1], np.float32)}, [[1, -2, 3]] * 2 + [[4, 0, -6]] * 2),
    (10, "Resize", {}, {"scales": np.array([1, 2], np.float32)}, [[1, 1, -2, -2, 3, 3], [4, 4, 0, 0, -6, -6]]),
    (7, "Split", {"axis": 1, "split": [1, 2]}, {}, [[1], [4]]),
    (7, "Dropout", {"ratio": 0.5}, {}, [[1, -2, 3], [4, 0, -6]]),
)
def test_operators_of_old_and_new_opsets(opset, kind, attrs, operands, expected):
    outs = ["y", "z"] if kind == "Split" else ["y"]
    data = model(node(kind, "x", *operands, outs=outs, **attrs), tensors=operands, opset=opset, x=[2, 3])
    assert run(data, X).tolist() == expected
