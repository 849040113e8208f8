import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import ModelError, UsageError
from minigraph.core.op import apply
from minigraph.importers.model import Input, Model, Ref, Step
from minigraph.importers.network import ImportedNetwork, Listing
from minigraph.importers.weights import constant, parameter
from tests.tables import cases


def network(dims=None):
    """``relu(x @ w + b)`` with a shape computed on the way."""
    w, b = parameter(np.ones((3, 2), np.float32), "w"), parameter(np.zeros(2, np.float32), "b")
    x, product, total = Ref("x"), Ref("p"), Ref("s")
    steps = [
        Step("MatMul", "dense/MatMul", lambda a, b: a @ b, (x, Ref("w")), {}, ("p",), "dense"),
        Step("Shape", "shape", lambda t: constant(np.array(t.shape)), (product,), {}, ("n",)),
        Step("Add", "add", lambda a, b: a + b, (product, Ref("b")), {}, ("s",), "dense"),
        Step(
            "Reshape", "again", lambda t, n: apply("reshape", t, shape=tuple(n.tolist())), (total, Ref("n")), {}, ("r",)
        ),
        Step("Relu", "act", lambda t: apply("relu", t), (Ref("r"),), {}, ("y",)),
    ]
    inputs = [Input("x", ms.float32, ("batch", 3))]
    return ImportedNetwork(Model("net.onnx", inputs, {"w": w, "b": b}, steps, ["y"]), dims)


def test_eager_and_captured_calls_agree_and_train():
    net, x = network(), Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert net(x).tolist() == ms.jit(net)(x).tolist() == [[3, 3], [12, 12]]
    _, grads = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
    assert [g.tolist() for g in grads] == [[[3, 3], [5, 5], [7, 7]], [2, 2]]


def test_nodes_keep_lines_scopes_names_and_no_shape_arithmetic():
    net = network()
    graph = ms.jit(net).graph(Tensor(np.ones((2, 3), np.float32)), pipeline=())
    nodes = {str(graph.op(node)): graph.loc(node)[0] for node in graph if graph.loc(node)}
    assert [str(graph.op(node)) for node in graph] == [
        "input",
        "parameter",
        "matmul",
        "parameter",
        "add",
        "reshape",
        "relu",
    ]
    assert str(nodes["matmul"]) == "<net.onnx>:1" and nodes["matmul"].text == "p = MatMul(x, w)"
    assert nodes["add"].scope == "ImportedNetwork/dense" and graph.attrs(graph.inputs[0])["name"] == "x"


def test_parameters_are_saved_and_loaded(tmp_path):
    net, other = network(), network()
    net.trainable_params()[0].set_data(Tensor(np.full((3, 2), 5, np.float32)))
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    ms.load_param_into_net(other, ms.load_checkpoint(str(tmp_path / "net.ckpt")))
    assert other.trainable_params()[0].tolist() == [[5, 5]] * 3


@cases(
    ([np.ones((2, 4), np.float32)], "the input x: f32[batch,3] got f32[2,4]"),
    ([np.ones((2, 3))], "the input x: f32[batch,3] got f64[2,3]"),
    ([np.ones(3, np.float32)], "the input x: f32[batch,3] got f32[3]"),
    ([], "takes 1 inputs, got 0: x: f32[batch,3]"),
)
def test_arguments_of_other_types(arrays, message):
    with pytest.raises(ModelError, match="net.onnx: ") as error:
        network()(*map(Tensor, arrays))
    assert message in str(error.value)


def test_symbolic_dims():
    assert network({"batch": 4}).example_inputs()[0].shape == (4, 3)
    with pytest.raises(UsageError, match="the input x: f32.batch,3. are not all known; give --dim batch=8"):
        network().example_inputs()
    with pytest.raises(UsageError, match="no input has the symbolic dim 'bach'"):
        network({"bach": 4})


def test_errors_of_a_step_name_the_node():
    steps = [Step("Odd", "odd", lambda x: {}["key"], (Ref("x"),), {}, ("y",))]
    net = ImportedNetwork(Model("net.onnx", [Input("x")], {}, steps, ["y"]))
    with pytest.raises(ModelError, match="net.onnx: Odd node 'odd' cannot be computed: KeyError: 'key'"):
        net(Tensor(1.0))


def test_listings_of_equal_titles_have_names_of_their_own():
    model = Model("same.onnx", [Input("x")], {}, [], ["x"])
    first, second = Listing(model), Listing(model)
    assert (first.file, second.file) == ("<same.onnx>", "<same.onnx#2>")
