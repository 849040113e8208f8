"""Hooks of tensors; the expected values come from MindSpore 2.10 in PyNative mode."""

import gc

import pytest

from minigraph import Parameter, Tensor, grad, jit, nn, ops
from minigraph.core.autodiff.differentiability import GRADIENT_HOOKS
from tests.inspection import to_lists
from tests.tables import in_one_test

X = Tensor([1.0, 2.0])


def ten_times(x):
    y = x * 2
    y.register_hook(lambda gradient: gradient * 10)
    return y * x


def keep_gradient(x):
    y = x * 2
    y.register_hook(lambda gradient: None)
    return y * x


def remove_hook(x):
    y = x * 2
    y.register_hook(lambda gradient: gradient * 10).remove()
    return y * x


def of_the_argument(x):
    x.register_hook(lambda gradient: gradient * 10)
    return x * x


FUNCTIONS = [(ten_times, [22, 44]), (keep_gradient, [4, 8]), (remove_hook, [4, 8]), (of_the_argument, [20, 40])]


@in_one_test(FUNCTIONS)
def test_a_hook_replaces_the_gradient_of_a_result(function, expected):
    assert grad(function)(X).tolist() == jit(grad(function))(X).tolist() == expected
    assert function(X).tolist() == (X * X * (1 if function is of_the_argument else 2)).tolist()


def test_hooks_of_arguments_and_parameters_are_called_until_they_are_removed():
    x, p = Tensor([1.0, 2.0]), Parameter(Tensor([3.0]), name="p")
    handles = [x.register_hook(lambda gradient: gradient * 7), p.register_hook(lambda gradient: gradient * 100)]
    by_both = grad(lambda x: x * x * p, 0, [p])
    assert to_lists(by_both(x)) == ([42, 84], ([500],))
    for handle in handles:
        handle.remove()
    assert to_lists(by_both(x)) == ([6, 12], ([5],))


def test_hooks_end_with_their_tensor():
    before = len(GRADIENT_HOOKS)
    x = Tensor([1.0])
    x.register_hook(lambda gradient: gradient)
    assert len(GRADIENT_HOOKS) == before + 1
    del x
    gc.collect()
    assert len(GRADIENT_HOOKS) == before


def test_hook_backward_takes_several_tensors():
    hooked = ops.HookBackward(lambda gradients: (gradients[0], gradients[1] * 2))
    product = grad(lambda a, b: ops.mul(*hooked(a, b)), (0, 1))
    assert to_lists(product(Tensor([2.0]), Tensor([5.0]))) == ([5], [4])
    with pytest.raises(TypeError, match="Expected a callable"):
        X.register_hook(3)
    assert isinstance(nn.ReLU().register_forward_hook(print), type(X.register_hook(print)))
