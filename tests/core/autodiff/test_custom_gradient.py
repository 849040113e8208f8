"""User-defined gradients: used in every mode and order, called once, refused if they are invalid."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, grad, jit
from minigraph.core.autodiff.custom_gradient import CustomGradient, custom_gradient
from minigraph.core.errors import DTypeError
from tests.tables import results

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def product(x, y):
    return x * y


def lists(gradients):
    return [gradient.tolist() for gradient in gradients]


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_the_users_gradient_is_used(wrapped):
    double = custom_gradient(lambda x: x * 2.0, lambda x, out, dout: dout * 10.0 + out * 0.0)
    assert wrapped(grad(lambda x: double(x) * 3.0))(X).tolist() == [30.0, 30.0]
    assert wrapped(lambda x: double(x))(X).tolist() == [2.0, 4.0]
    assert grad(jit(lambda x: double(x) * 3.0))(X).tolist() == [30.0, 30.0]


def test_a_bprop_for_several_inputs_is_called_once():
    calls = []

    def bprop(x, y, out, dout):
        calls.append(out.tolist())
        return dout * y, dout * x

    assert lists(grad(custom_gradient(product, bprop), (0, 1))(X, Y)) == [[3.0, 4.0], [1.0, 2.0]]
    assert calls == [[3.0, 8.0]]


def test_a_bprop_is_differentiated_and_its_function_may_return_its_argument():
    cube = custom_gradient(lambda x: x**3, lambda x, out, dout: dout * 3.0 * x * x)
    assert grad(grad(cube))(X).tolist() == [6.0, 12.0]
    assert grad(custom_gradient(lambda x: x, lambda x, out, dout: dout * 5.0))(X).tolist() == [5.0, 5.0]


def test_inputs_that_are_not_tensors_are_passed_and_keywords_reach_the_function_only():
    scaled = custom_gradient(lambda x, k: x * k, lambda x, k, out, dout: (dout * k * 100.0, None))
    assert grad(scaled)(X, 3).tolist() == [300.0, 300.0]
    scaled = custom_gradient(lambda x, *, k: x * k, lambda x, out, dout: dout * 7.0)
    assert (scaled(X, k=2.0).tolist(), grad(scaled)(X, k=2.0).tolist()) == ([2.0, 4.0], [7.0, 7.0])


test_any_sequence_of_enough_gradients_is_accepted_and_none_means_none = results(
    lambda bprop: grad(custom_gradient(lambda x: x * 2.0, lambda x, out, dout: bprop(dout)))(X).tolist(),
    *((bprop, [0.0, 0.0]) for bprop in (lambda dout: None, lambda dout: (None,), lambda dout: [None])),
    *((bprop, [1.0, 1.0]) for bprop in (lambda dout: (dout,), lambda dout: [dout, dout, dout])),
)


def test_too_few_gradients_and_gradients_of_a_wrong_shape_are_refused():
    short = custom_gradient(product, lambda x, y, out, dout: (dout,))
    with pytest.raises(RuntimeError, match="Grad size should lager than forward inputs, but got 1 vs 2") as caught:
        grad(short)(X, Y)
    assert "in `grad(short)(X, Y)` (test_custom_gradient.py:" in str(caught.value)
    with pytest.raises(ValueError, match=r"f32\[\] cannot be summed to shape \[2\]"):
        grad(custom_gradient(lambda x: x * 2.0, lambda x, out, dout: Tensor(1.0)))(X)
    assert (repr(CustomGradient(product, 2, 1)), repr(CustomGradient(partial(product, X), 1, 1))) == (
        "product",
        "partial",
    )


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
@pytest.mark.parametrize("wrong", [3.0, np.ones(2), "one"])
def test_a_gradient_that_is_not_a_tensor_is_refused(wrapped, wrong):
    def invalid_bprop(x, out, dout):
        return wrong

    kind = type(wrong).__name__
    text = rf"bprop '.*invalid_bprop': a gradient is a Tensor or None, got {kind} in .*; wrap"
    with pytest.raises(DTypeError, match=text):
        wrapped(grad(custom_gradient(lambda x: x * 2.0, invalid_bprop)))(X)
