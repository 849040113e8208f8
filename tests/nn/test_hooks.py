"""Hooks of Cells, in both modes; the expected values come from MindSpore 2.10 in PyNative mode."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, grad, nn, ops
from tests.inspection import to_lists

X = Tensor([[1.0, -2.0]])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.dense = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        return self.dense(self.relu(x) * 2)


class Two(nn.Cell):
    def construct(self, x, y):
        return x * y, x + y


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "Graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


REPLACEMENTS = [  # (where, kind, hook, result of the call, its gradient in x)
    ("", "forward_pre_hook", lambda cell, inputs: (inputs[0] + 10,), [[38, 38]], [[4, 4]]),
    ("", "forward_pre_hook", lambda cell, inputs: inputs[0] + 10, [[38, 38]], [[4, 4]]),
    ("", "forward_pre_hook", lambda cell, inputs: None, [[2, 2]], [[4, 0]]),
    ("", "forward_hook", lambda cell, inputs, output: output * 0 + 7, [[7, 7]], [[0, 0]]),
    ("relu", "forward_hook", lambda cell, inputs, output: output + inputs[0], [[0, 0]], [[8, 4]]),
    ("relu", "backward_hook", lambda cell, inputs, outputs: (inputs[0] * 0 + 5,), [[2, 2]], [[5, 5]]),
    ("relu", "backward_hook", lambda cell, inputs, outputs: inputs[0] * 0 + 5, [[2, 2]], [[5, 5]]),
    ("relu", "backward_hook", lambda cell, inputs, outputs: outputs[0] * 3, [[2, 2]], [[12, 12]]),
    ("relu", "backward_hook", lambda cell, inputs, outputs: None, [[2, 2]], [[4, 0]]),
    ("relu", "backward_pre_hook", lambda cell, outputs: (outputs[0] * 0 + 5,), [[2, 2]], [[5, 0]]),
    ("", "backward_pre_hook", lambda cell, outputs: outputs[0] * 3, [[2, 2]], [[12, 0]]),
]


@pytest.mark.parametrize(("where", "kind", "hook", "value", "gradient"), REPLACEMENTS)
def test_results_of_a_hook_replace_the_values_until_it_is_removed(where, kind, hook, value, gradient):
    net = Net()
    net(X)  # compiled before, in Graph mode
    handle = getattr(getattr(net, where) if where else net, f"register_{kind}")(hook)
    assert (net(X).tolist(), grad(net)(X).tolist()) == (value, gradient)
    handle.remove()
    assert (net(X).tolist(), grad(net)(X).tolist()) == ([[2, 2]], [[4, 0]])


@pytest.mark.filterwarnings("ignore::minigraph.compilation.op_by_op.OpByOpWarning")
def test_hooks_see_the_values_in_the_order_of_the_computation():
    net, seen = Net(), []
    for cell in (net, net.relu, net.dense):
        name = type(cell).__name__
        cell.register_forward_pre_hook(lambda cell, inputs, n=name: seen.append(("pre", n, to_lists(inputs))))
        cell.register_forward_hook(lambda cell, inputs, output, n=name: seen.append(("after", n, to_lists(output))))
        cell.register_backward_pre_hook(lambda cell, outputs, n=name: seen.append(("out", n, to_lists(outputs))))
        cell.register_backward_hook(lambda cell, inputs, outputs, n=name: seen.append(("in", n, to_lists(inputs))))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert grad(net)(X).tolist() == [[4, 0]]
    assert seen == [
        ("pre", "Net", ([[1, -2]],)), ("pre", "ReLU", ([[1, -2]],)), ("after", "ReLU", [[1, 0]]),
        ("pre", "Dense", ([[2, 0]],)), ("after", "Dense", [[2, 2]]), ("after", "Net", [[2, 2]]),
        ("out", "Net", ([[1, 1]],)), ("out", "Dense", ([[1, 1]],)), ("in", "Dense", ([[2, 2]],)),
        ("out", "ReLU", ([[4, 4]],)), ("in", "ReLU", ([[4, 0]],)), ("in", "Net", ([[4, 0]],)),
    ]  # fmt: skip


def test_several_hooks_run_in_their_order_and_one_may_be_put_first():
    net = Net()
    first = net.register_forward_hook(lambda cell, inputs, output: output + 1)
    net.register_forward_hook(lambda cell, inputs, output: output * 10)
    assert net(X).tolist() == [[30, 30]]
    net.register_forward_hook(lambda cell, inputs, output: output - 2, prepend=True)
    assert net(X).tolist() == [[10, 10]]
    first.remove()
    assert net(X).tolist() == [[0, 0]]


def test_several_inputs_and_outputs_have_tuples_of_gradients():
    net = Two()
    net.register_backward_hook(lambda cell, inputs, outputs: (inputs[0] * 10, inputs[1] + outputs[0]))
    gradients = grad(net, (0, 1))(Tensor([2.0]), Tensor([3.0]))
    assert to_lists(gradients) == ([40.0], [4.0])


def test_keyword_arguments_are_given_on_request_and_a_hook_may_run_after_an_error():
    class Power(nn.Cell):
        def construct(self, x, exponent=2):
            return ops.pow(x, exponent)

    net = Power()
    net.register_forward_pre_hook(lambda cell, inputs, kwargs: (inputs, {"exponent": 3}), with_kwargs=True)
    net.register_forward_hook(lambda cell, inputs, kwargs, output: output + kwargs["exponent"], with_kwargs=True)
    assert net(Tensor([2.0])).tolist() == [11.0]
    called = []
    net.register_forward_hook(lambda cell, inputs, output: called.append(output), always_call=True)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(TypeError):
        net("two")
    assert called == [None]


def test_an_input_that_is_not_differentiated_has_no_gradient():
    net, seen = Net(), []
    net.dense.register_backward_hook(lambda cell, inputs, outputs: seen.append((inputs, to_lists(outputs))))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    grad(net, None, net.trainable_params())(X)
    assert seen == [((None,), ([[1, 1]],))]


def test_a_hook_is_a_function():
    for kind in ("forward_pre_hook", "forward_hook", "backward_pre_hook", "backward_hook"):
        with pytest.raises(TypeError, match="Expected a callable hook function, but got str"):
            getattr(Net(), f"register_{kind}")("hook")


def test_training_with_a_hook_on_gradients():
    net = Net()
    net.relu.register_backward_hook(lambda cell, inputs, outputs: (inputs[0] * 2,))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01))
    assert step(X, X).item() == pytest.approx(8.5)
    assert np.isfinite(step(X, X).item())


def test_gradients_of_outputs_are_those_after_forward_hooks():
    # MindSpore 2.10 printed the gradients 6 of the input and 1 of the output
    net = nn.ReLU()
    net.register_forward_hook(lambda cell, inputs, output: output + inputs[0] * 5)
    net.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 10 + grad_output[0],))
    assert ms.grad(net)(Tensor([3.0])).asnumpy().tolist() == [61.0]
