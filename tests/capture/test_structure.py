"""Arguments and results: tensor leaves, names of inputs, and results that are refused."""

import functools

import pytest

from minigraph import Tensor, nn, trace
from minigraph.capture.structure import input_names, is_tensor
from minigraph.core.errors import CaptureError

X = Tensor([1.0, 2.0])


def test_inputs_of_a_cell_have_the_names_of_its_construct_and_others_numbers():
    class Net(nn.Cell):
        def construct(self, image):
            return image * 2.0

    assert input_names(Net(), (X,), {}) == ["image"]
    assert input_names(functools.wraps(net := Net())(lambda *args: net(*args)), (X,), {}) == ["image"]
    assert input_names(max, (X, X), {}) == ["x0", "x1"]
    assert is_tensor(X) and not is_tensor(1)
    with pytest.raises(CaptureError, match="returns tensors inside of a set"):
        trace(lambda x: {x}, X)


async def wait(x):
    return x


async def wait_and_give(x):
    yield x


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("fn", [wait, wait_and_give, lambda x: (y for y in [x]), lambda x: [x, (y for y in [1])]])
def test_results_whose_code_has_not_run_are_refused(fn):
    with pytest.raises(CaptureError, match="returns a (coroutine|async_generator|generator); return tensors"):
        trace(fn, X)


def test_inputs_have_the_names_of_the_functions_parameters():
    def step(image, pair, *rest, scale):
        return image * pair[0] + pair[1] * rest[0] + scale["a"]

    x = Tensor(1.0)
    graph = trace(step, x, (x, x), x, scale={"a": x})
    assert [graph.attrs(node)["name"] for node in graph.inputs] == ["image", "pair.0", "pair.1", "rest", "scale.0"]
