"""What ``GradOperation`` returns and refuses; ``test_grad.py`` compares its results with those of ``grad``."""

import pytest

from minigraph import GradOperation, Parameter, Tensor, jit, nn
from minigraph.core.errors import UsageError
from tests.inspection import to_lists

X = Tensor([1.0, 2.0])


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0, 6.0]), name="w")

    def construct(self, x):
        return x * x * self.w


OPERATIONS = {
    "the first input": (GradOperation(), [10.0, 24.0]),
    "all inputs": (GradOperation(get_all=True), ([10.0, 24.0],)),
    "all weights": (GradOperation(get_by_list=True), ([1.0, 4.0],)),
    "inputs and weights": (GradOperation(True, True), (([10.0, 24.0],), ([1.0, 4.0],))),
}


@pytest.mark.parametrize(("operation", "expected"), OPERATIONS.values(), ids=OPERATIONS)
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_gradients(operation, expected, wrapped):
    assert to_lists(wrapped(operation(Scale()))(X)) == expected


def test_the_last_argument_is_the_sensitivity():
    assert GradOperation(sens_param=True)(Scale())(X, Tensor([10.0, 100.0])).tolist() == [100.0, 2400.0]


def test_a_function_has_no_weights_of_its_own():
    with pytest.raises(UsageError, match="get_by_list of a function.*; give the weights"):
        GradOperation(get_by_list=True)(lambda x: x)
