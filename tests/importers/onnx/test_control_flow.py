import numpy as np

import minigraph as ms
from minigraph import Tensor
from minigraph.importers.onnx.control_flow import CONVERTERS
from tests.importers.onnx.node_tests import failing_tests, model, node, onnx, run
from tests.tables import cases


def test_node_tests_of_these_operators_pass():
    assert failing_tests(CONVERTERS) == set()


def graph_of(nodes, ins, outs):
    """A body."""
    infos = [[onnx.helper.make_empty_tensor_value_info(name) for name in names] for names in (ins, outs)]
    return onnx.helper.make_graph(nodes, "b", *infos)


X = Tensor(np.array([1, -2], np.float32))
DOUBLE = graph_of(
    [node("Less", "s", "limit", outs=["d"]), node("Add", "s", "s", outs=["t"])], ["i", "c", "s"], ["d", "t"]
)
STACK = graph_of([node("Identity", "c", outs=["d"]), node("Add", "s", "x", outs=["t"]), node("Neg", "t", outs=["r"])],
                 ["i", "c", "s"], ["d", "t", "r"])  # fmt: skip
TOTAL = graph_of([node("Add", "s", "r", outs=["t"]), node("Identity", "t", outs=["u"])], ["s", "r"], ["t", "u"])
BRANCHES = {"then_branch": graph_of([node("Neg", "x", outs=["a"])], [], ["a"]),
            "else_branch": graph_of([node("Add", "x", "x", outs=["b"])], [], ["b"])}  # fmt: skip


@cases(
    ([node("ReduceSum", "x", outs=["s"], keepdims=0), node("Greater", "s", "z", outs=["c"]),
      node("If", "c", **BRANCHES)], {"z": np.zeros((), np.float32)}, [2, -4]),
    ([node("Loop", "n", "", "x", outs=["y", "rows"], body=STACK), node("Neg", "rows", outs=["z"])],
     {"n": np.array(3)}, [4, -8]),
    ([node("Loop", "n", "", "x", outs=["y", "rows"], body=STACK), node("Neg", "rows", outs=["z"])],
     {"n": np.array(100)}, [101, -202]),
    ([node("ReduceSum", "x", outs=["s"], keepdims=0), node("Neg", "s", outs=["p"]),
      node("Loop", "n", "", "p", body=DOUBLE)], {"n": np.array(1 << 62), "limit": np.array(20, np.float32)}, 64),
    ([node("Scan", "x", "m", outs=["y", "rows"], body=TOTAL, num_scan_inputs=1)],
     {"m": np.ones((4, 2), np.float32)}, [5, 2]),
)  # fmt: skip
def test_control_flow_eager_and_captured(nodes, tensors, expected):
    assert run(model(*nodes, tensors=tensors, x=[2]), X).tolist() == expected


@cases(
    ({"tensors": {"n": np.array(0)}}, []),
    ({"tensors": {"n": np.array(9), "c": np.array(False)}}, []),
    ({"tensors": {"n": np.array(900), "c": np.array(False)}}, []),
    ({"n": np.array(0)}, [Tensor(0)]),
)
def test_a_loop_without_iterations_stacks_no_rows_of_the_shape_of_one(inputs, more):
    test = "c" if "c" in inputs.get("tensors", ()) else ""
    nodes = [node("Loop", "n", test, "x", outs=["y", "rows"], body=STACK)]
    net = ms.load_onnx(model(*nodes, outs=["y", "rows"], **{"x": [2], **inputs}))
    results = [net(X, *more)] if more else [net(X), ms.jit(net)(X)]
    for y, rows in results:
        assert (y.tolist(), rows.shape, str(rows.type)) == ([1, -2], (0, 2), "f32[0,2]")


@cases(("LSTM", 4), ("GRU", 3), ("RNN", 1))
def test_recurrent_layers_are_one_loop_and_train(kind, gates):
    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(size=(1, gates * 3, 2)), "r": rng.normal(size=(1, gates * 3, 3))}
    tensors = {name: value.astype(np.float32) for name, value in weights.items()}
    data = model(node(kind, "x", "w", "r", hidden_size=3), tensors=tensors, x=[5, 1, 2])
    x = Tensor(rng.normal(size=(5, 1, 2)).astype(np.float32))
    assert run(data, x).shape == (5, 1, 1, 3)
    net = ms.load_onnx(data)
    assert "scan" in {str(op) for op in ms.jit(net).graph(x, pipeline=()).operators()}
    _, grads = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
    assert all(abs(g.asnumpy()).max() > 0 for g in grads)
