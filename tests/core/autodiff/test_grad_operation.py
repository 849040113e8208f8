"""Results and errors of ``GradOperation``; ``test_grad.py`` compares its results with ``grad``."""

import pytest

from minigraph import GradOperation, Parameter, Tensor, get_grad, grad, jit, nn
from minigraph.core.errors import UsageError
from tests.inspection import to_lists
from tests.tables import in_one_test

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


NESTED = ((Tensor([2.0]), (Tensor([3.0]),)), lambda a, t: a * t[0] * t[1][0])


@in_one_test([
    (lambda f: GradOperation(get_all=True)(f)(Tensor([5.0]), NESTED[0]), NESTED[1], ([6.0],)),
    (lambda f: grad(f, (0, 1))(Tensor([5.0]), NESTED[0]), NESTED[1], [6.0]),
    (lambda f: grad(f, 1)(Tensor([5.0]), NESTED[0]), NESTED[1], ()),
    (lambda f: GradOperation(get_all=True)(f)(Tensor([2.0]), 3), lambda x, n: x * n, ([3.0],)),
    (lambda f: GradOperation(get_all=True)(f)(3, Tensor([2.0])), lambda n, x: x * n, ([3.0],)),
    (lambda f: GradOperation(get_all=True)(f)({"a": Tensor([2.0])}), lambda d: d["a"] * 2, ()),
    (lambda f: GradOperation()(f)((Tensor([2.0]),)), lambda t: t[0] * 2, ()),
    (lambda f: grad(f, (0, 1), return_ids=True)(Tensor([2.0]), 3), lambda x, n: x * n, (0, [3.0])),
])  # fmt: skip
def test_arguments_other_than_tensors_are_left_out_as_in_mindspore(gradient, function, expected):
    assert to_lists(gradient(function)) == expected


def test_get_grad_finds_a_position_or_a_parameter():
    p = Parameter(Tensor([2.0]), name="p")
    gradients = grad(lambda x, y: x * y * p, (0, 1), [p], return_ids=True)(Tensor([3.0]), Tensor([4.0]))
    assert [get_grad(gradients, key).tolist() for key in (0, 1, p)] == [[8.0], [6.0], [12.0]]
    with pytest.raises(RuntimeError, match="there is no gradient of 2"):
        get_grad(gradients, 2)
