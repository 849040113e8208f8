import itertools

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import MinigraphError, ModelError
from minigraph.importers import size_limits
from tests.importers.onnx.fuzz import LOADED, fuzz
from tests.importers.onnx.node_tests import model, node, onnx, run
from tests.tables import cases

GOOD = model(node("Relu", "x"), x=[2, 3])


def field(number, content):
    """A field of a protobuf message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(number):
    """A number as protobuf writes it."""
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def nested_model(depth):
    """A model with branches in branches."""
    graph = b""
    for _ in range(depth):
        branch = field(1, b"then_branch") + field(6, graph) + varint(20 << 3) + varint(5)
        graph = field(1, field(4, b"If") + field(5, branch))
    return varint(1 << 3) + varint(9) + field(7, graph) + field(8, varint(2 << 3) + varint(17))


def with_functions(*bodies):
    """A model that calls F0; ``bodies`` are the operators that each function calls, one after the other."""
    proto = onnx.load_model_from_string(model(node("F0", "x", domain="f"), x=[2]))
    proto.opset_import.add(domain="f", version=1)
    for k, calls in enumerate(bodies):
        names = ["x", *[f"v{i}" for i in range(len(calls) - 1)], "y"]
        nodes = [
            node(op, a, outs=[b], domain="f" if op[0] == "F" else "")
            for op, a, b in zip(calls, names, names[1:], strict=False)
        ]
        opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("f", 1)]
        proto.functions.append(onnx.helper.make_function("f", f"F{k}", ["x"], ["y"], nodes, opsets))
    return proto.SerializeToString()


def model_of_operator(kind, *operands, **attrs):
    """A model of one operator with constant operands."""
    tensors = {f"c{k}": np.asarray(value) for k, value in enumerate(operands)}
    return model(node(kind, "x", *tensors, **attrs), tensors=tensors, x=[2, 3])


@cases(
    (b"hello world", "not an ONNX model, or damaged"),
    (b"", "not an ONNX model: it has no graph or no opset"),
    (GOOD[: len(GOOD) // 2], "not an ONNX model"),
    (nested_model(10_000), "not an ONNX model, or damaged"),
    (model(node("Relu", "a", outs=["b"]), node("Relu", "b", outs=["a"]), node("Relu", "x"), x=[2]), "sort the nodes"),
    (model(node("Relu", "x"), node("Relu", "x"), x=[2]), "Relu node 'y' defines 'y' again"),
    (model(node("Relou", "x"), x=[2]), "no ONNX operator 'Relou' at model: Relou node 'y'; did you mean 'Relu'?"),
    (model(node("Re\nl\u202eou", "x"), x=[2]), "no ONNX operator 'Re\\nl\\u202eou' at model: Re\\nl\\u202eou node 'y'"),
    (model(node("Relu", "x", kernal=3), x=[2]), "there is no attribute 'kernal'"),
    (model(node("LeakyRelu", "x", alpha=3), x=[2]), "the attribute 'alpha' is int, not float"),
    (model(node("Transpose", "x", perm=[0, 7]), x=[2, 3]), "axis 7 does not exist in a tensor of rank 2"),
    *[(model(node(kind, "x", **attrs), opset=12, x=[2]), f"axis {axis} does not exist in a tensor of rank {rank}")
      for kind, attrs, axis, rank in (
          ("ReduceSum", {"axes": [7]}, 7, 1), ("ReduceMax", {"axes": [-2]}, -2, 1), ("Squeeze", {"axes": [3]}, 3, 1),
          ("ArgMax", {"axis": 4}, 4, 1), ("Flatten", {"axis": 7}, 7, 1), ("Flatten", {"axis": -2}, -2, 1),
          ("LpNormalization", {"axis": 3}, 3, 1), ("Hardmax", {"axis": 9}, 9, 1), ("Unsqueeze", {"axes": [2]}, 2, 2),
      )],
    (model(node("Relu", "x", name="QQQQ"), x=[2]).replace(b"QQQQ", b"\xff\xfe\x00\n"), "a name is not valid UTF-8"),
    (model_of_operator("Slice", [0], [2], [5]), "Slice node 'y': axis 5 does not exist in a tensor of rank 2"),
    (model(node("ReduceMax", "x", axes=[7]), x=[4]), "ReduceMax node 'y': axis 7 does not exist in a tensor of rank 1"),
    (model_of_operator("CumSum", 9), "axis 9 does not exist in a tensor of rank 2"),
    (model_of_operator("TopK", [4]), "k must be 0 to 3"),
    (model_of_operator("LayerNormalization", np.ones(3, np.float32), axis=9), "axis 9 does not exist"),
    (model(node("Concat", "x"), x=[2]), "the attribute 'axis' is missing"),
    (model(node("Relu", "x", domain="evil.com"), x=[2]), "no version of the domain 'evil.com'"),
    (model(node("Relu", "x"), opset=999, x=[2]), "opset 999 is not supported; use 1 to "),
    (model(node("Relu", "x"), opset=-5, x=[2]), "opset -5 is not supported"),
    (model(node("Add", "x"), x=[2]), "takes 2 operands, got 1"),
    (model(node("Relu", "x", "x"), x=[2]), "takes 1 operands, got 2"),
    (model(node("Relu", "x", outs=["y", "z"]), x=[2]), "has 1 results, the file names 2"),
    (with_functions(["F0"]), "the function calls itself"),
    (with_functions(*[[f"F{k + 1}"] for k in range(5000)], ["Relu"]), "are nested too deeply; export it without"),
    (with_functions(*[[f"F{k + 1}"] * 2 for k in range(40)], ["Relu"]), "expands to more than 500,000 nodes"),
    (model_of_operator("Expand", [1 << 40, 2, 3]), "which is too large"),
    (model_of_operator("Tile", [1 << 40, 1 << 20]), "which is too large"),
    (model_of_operator("Pad", [1 << 50, 0, 0, 0]), "which is too large"),
    (model_of_operator("OneHot", 1 << 50, [0.0, 1.0]), "elements are too many"),
    (model_of_operator("Conv", np.ones((1, 1, 2, 2), np.float32)), "needs x[N,C,...]"),
    (model(node("Loop", "n", "", "x", body=onnx.helper.make_graph(
        [node("Identity", "c", outs=["d"]), node("Concat", "s", "s", outs=["t"], axis=0)], "b",
        [onnx.helper.make_empty_tensor_value_info(n) for n in ("i", "c", "s")],
        [onnx.helper.make_empty_tensor_value_info(n) for n in ("d", "t")])), tensors={"n": np.array(60)}, x=[2, 3]),
     "which is too large"),
    ids=lambda value: value if isinstance(value, str) else "file",
)  # fmt: skip
def test_an_invalid_file_ends_in_one_clear_error(tmp_path, monkeypatch, data, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MinigraphError) as error:
        network = ms.load_onnx(data)
        ms.jit(network).graph(*network.example_inputs(), pipeline=())
    text = str(error.value)
    assert message in text and len(text.splitlines()) <= 3 and len(text) < 1000 and list(tmp_path.iterdir()) == []


def test_a_result_that_the_memory_cannot_hold_is_refused_before_the_next_one(monkeypatch):
    monkeypatch.setattr(size_limits, "MAX_BYTES", 400)
    names = ["x", *(f"v{k}" for k in range(1, 40)), "y"]
    nodes = [node("Concat", a, a, outs=[b], axis=0) for a, b in itertools.pairwise(names)]
    network = ms.load_onnx(model(*nodes, x=[2]))
    with pytest.raises(ModelError, match=r"Concat node 'v6' gives f32\[128\], which is too large"):
        network(Tensor(np.ones(2, np.float32)))


def test_mutated_files_end_in_clear_errors():
    results = [finding for _, finding in fuzz(150)]
    assert set(results) == {LOADED} and 15 < len(results) < 135


def test_functions_of_the_file_with_attributes():
    proto = onnx.load_model_from_string(model(node("Scale", "x", by=3.0, domain="f"), x=[2]))
    proto.opset_import.add(domain="f", version=1)
    factor = node("Constant", outs=["c"])
    factor.attribute.add(name="value_float", ref_attr_name="by", type=onnx.AttributeProto.FLOAT)
    opsets = [onnx.helper.make_opsetid("", 17)]
    nodes = [factor, node("Mul", "a", "c", outs=["b"])]
    proto.functions.append(onnx.helper.make_function("f", "Scale", ["a"], ["b"], nodes, opsets, ["by"]))
    assert run(proto.SerializeToString(), Tensor(np.array([1, 2], np.float32))).tolist() == [3, 6]


def test_functions_of_one_name_differ_by_their_overload():
    calls = [node("F", "x", outs=[name], domain="f") for name in ("p", "q")]
    proto = onnx.load_model_from_string(model(*calls, node("Add", "p", "q"), x=[2]))
    proto.opset_import.add(domain="f", version=1)
    opsets = [onnx.helper.make_opsetid("", 17)]
    for call, kind in zip(proto.graph.node, ("Neg", "Exp"), strict=False):
        function = onnx.helper.make_function("f", "F", ["a"], ["b"], [node(kind, "a", outs=["b"])], opsets)
        call.overload = function.overload = kind
        proto.functions.append(function)
    assert run(proto.SerializeToString(), Tensor(np.zeros(2, np.float32))).tolist() == [1, 1]


def test_which_initializers_are_weights():
    tensors = {
        "w": np.ones((1, 2), np.float32), "scale": np.ones((), np.float32), "shape": np.array([2, 1]),
        "mean": np.zeros(2, np.float32), "var": np.ones(2, np.float32), "g": np.ones(2, np.float32),
        "b": np.zeros(2, np.float32),
    }  # fmt: skip
    nodes = [
        node("Reshape", "x", "shape", outs=["r"]),
        node("MatMul", "r", "w", outs=["m"]),
        node("Mul", "m", "scale", outs=["s"]),
        node("BatchNormalization", "s", "g", "b", "mean", "var"),
    ]
    net = ms.load_onnx(model(*nodes, tensors=tensors, x=[2]))
    assert {p.name: p.requires_grad for p in net.get_parameters()} == {
        "w": True, "g": True, "b": True, "mean": False, "var": False
    }  # fmt: skip


def test_the_tensor_of_a_node_is_a_constant_also_after_a_round_trip(tmp_path):
    value = onnx.numpy_helper.from_array(np.ones(2, np.float32))
    net = ms.load_onnx(model(node("Constant", outs=["c"], value=value), node("Mul", "x", "c"), x=[2]))
    assert not list(net.get_parameters())
    ms.to_onnx(net, tmp_path / "net.onnx", Tensor([1.0, 2.0]))
    assert not list(ms.load_onnx(tmp_path / "net.onnx").get_parameters())
