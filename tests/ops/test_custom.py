"""Operators of numpy arrays; primitives that change or observe gradients."""

import pytest

from minigraph import Tensor, float32, grad, jit, ops
from tests.tables import cases, error_cases

# ---- Custom ----------------------------------------------------------------------------------------


def multiply(x, y):
    return x * y


def gradients(x, y, out, dout):
    return y * dout, x * dout


def shapes(x, y):
    return x


OPTIONS = [
    {"out_shape": shapes, "out_dtype": shapes, "func_type": "pyfunc"},
    {"out_shape": (2,), "out_dtype": float32, "func_type": "pyfunc"},
    {"out_shape": [2], "out_dtype": float32, "func_type": "pyfunc"},
    {},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("wrap", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_custom_operators(options, wrap):
    op = ops.Custom(multiply, bprop=gradients, **options)
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert wrap(lambda x, y: op(x, y))(x, y).tolist() == [3.0, 8.0]
    assert [g.tolist() for g in wrap(grad(op, (0, 1)))(x, y)] == [[3.0, 4.0], [1.0, 2.0]]
    assert op(x, 2.0).tolist() == [2.0, 4.0]


def test_several_results_names_and_changed_gradients():
    # several results of a custom operator
    op = ops.Custom(lambda x: (x, x + 1), lambda s: (s, s), lambda d: (d, d), "pyfunc")
    assert [t.tolist() for t in jit(lambda x: op(x))(Tensor([1.0]))] == [[1.0], [2.0]]
    # a custom operator prints its function
    assert repr(ops.Custom(multiply)) == "Prim[Custom]<func_name=multiply, func_type=hybrid>"
    # InsertGradientOf changes the incoming gradient
    x = Tensor([1.0, 2.0])
    probe = ops.InsertGradientOf(lambda g: g * 3)
    assert probe(x).asnumpy().tolist() == [1.0, 2.0]
    assert grad(lambda x: probe(x) * 2)(x).tolist() == [6.0, 6.0]
    assert grad(jit(lambda x: probe(x) * 2))(x).tolist() == [6.0, 6.0]
    assert repr(probe) == "Prim[InsertGradientOf]"


test_what_is_no_custom_operator = error_cases(
    ((multiply, (2,), float32, "x"), ValueError, "'func_type' must be one of .'hybrid', 'akg', 'tbe', 'aicpu', 'aot',"),
    ((multiply, None, float32, "pyfunc"), TypeError, "'out_shape' must be one of .tuple, list, function., but got"),
    ((multiply, (2,), None, "pyfunc"), TypeError, "'out_dtype' must be one of .dtype, tuple, list, function., but"),
    (("./a.so:f", (2,), float32, "aot"), ValueError, "func_type 'aot' needs a compiler, only Python is supported"),
    ((3, (2,), float32, "pyfunc"), TypeError, "For 'Custom', 'func' must be of type function or str, but got <class"),
    by=lambda arguments: ops.Custom(*arguments),
)


# ---- hooks -----------------------------------------------------------------------------------------


@cases((lambda g: None, [6.0]), (lambda g: g[0] * 2, [12.0]), (lambda g: (g[0] * 3,), [18.0]))
def test_a_hook_observes_or_replaces_the_gradient(answer, expected):
    seen = []

    def hook(gradients):
        seen.append(gradients[0].tolist())
        return answer(gradients)

    probe = ops.HookBackward(hook)
    assert grad(lambda x: probe(x * 2) * 3)(Tensor([1.0])).tolist() == expected
    assert seen == [[3.0]]


def test_a_hook_that_returns_a_tuple_of_another_length_is_refused():
    def twice(gradients):
        return gradients * 2  # of a tuple: two gradients

    with pytest.raises(TypeError, match="The output type of function: twice should be a tensor but got tuple"):
        grad(lambda x: ops.HookBackward(twice)(x) * 2)(Tensor([1.0]))
