"""Jacobians and their products against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, jacfwd, jacrev, jvp, nn, ops, vjp
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError, UsageError
from tests.ops.functional.checks import arrays, in_both_modes
from tests.tables import error_cases, every

X, Y = np.array([0.5, 1.0, 2.0]), np.array([4.0, 5.0, 6.0])
MATRIX = np.arange(6.0).reshape(2, 3)


def function(x, y):
    return ops.sin(x) * y.sum() + x * y


def two_results(x, y):
    return x * y, x.sum() - y * y


BY_X, BY_Y = np.diag(np.cos(X) * 15 + Y), np.sin(X)[:, None] + np.diag(X)


@every(jacobian=[jacrev, jacfwd])
def test_jacobians(jacobian):
    t, u = Tensor(X), Tensor(Y)
    by_both = in_both_modes(jacobian(function, (0, 1)), t, u)
    (first_x, first_y), (second_x, second_y) = in_both_modes(jacobian(two_results, (0, 1)), t, u)
    for result, expected in (
        (in_both_modes(jacobian(function), t, u), BY_X),
        (in_both_modes(jacobian(function, 1), t, u), BY_Y),
        (by_both[0], BY_X),
        (by_both[1], BY_Y),
        (first_x, np.diag(Y)),
        (first_y, np.diag(X)),
        (second_x, np.ones((3, 3))),
        (second_y, np.diag(-2 * Y)),
    ):
        np.testing.assert_allclose(result, expected)


@every(jacobian=[jacrev, jacfwd])
def test_shapes_of_jacobians(jacobian):
    result, eye = in_both_modes(jacobian(lambda m: ops.matmul(m, m.swapaxes(0, 1))), Tensor(MATRIX)), np.eye(2)
    assert result.shape == (2, 2, 2, 3)
    np.testing.assert_allclose(result, np.einsum("ik,jl->ijkl", eye, MATRIX) + np.einsum("jk,il->ijkl", eye, MATRIX))
    assert in_both_modes(jacobian(lambda m: m.sum()), Tensor(MATRIX)).shape == (2, 3)


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_auxiliary_results(jacobian):
    result, aux = arrays(jacobian(two_results, has_aux=True)(Tensor(X), Tensor(Y)))
    np.testing.assert_allclose(result, np.diag(Y))
    np.testing.assert_allclose(aux, X.sum() - Y * Y)
    assert len(jacobian(lambda x: (x * x, x, x + 1), has_aux=True)(Tensor(X))[1]) == 2
    with pytest.raises(ArgValueError, match="requires more than one outputs"):
        jacobian(function, has_aux=True)(Tensor(X), Tensor(Y))


def test_second_derivatives_in_both_modes():
    # both ways agree twice
    for outer in (jacrev, jacfwd):
        hessian = outer(jacrev(lambda x: (ops.exp(x) * x).sum()))(Tensor(X))
        np.testing.assert_allclose(hessian.asnumpy(), np.diag(np.exp(X) * (X + 2)))
    # derivatives of elements
    for order, expected in ((1, 3 * X**2), (2, 6 * X), (3, 6 + 0 * X), (4, 0 * X)):
        out, result = ops.derivative(lambda x: x**3, Tensor(X), order)
        np.testing.assert_allclose(out.asnumpy(), X**3)
        np.testing.assert_allclose(result.asnumpy(), expected, atol=1e-12)


def test_jacobian_products():
    t, u, v = Tensor(X), Tensor(Y), Tensor(np.array([1.0, -1.0, 2.0]))
    out, along = in_both_modes(lambda a, b, c: jvp(function, (a, b), (c, c)), t, u, v)
    np.testing.assert_allclose(out, np.sin(X) * 15 + X * Y)
    np.testing.assert_allclose(along, (BY_X + BY_Y) @ v.asnumpy())
    back = in_both_modes(lambda a, b, c: vjp(function, a, b)[1](c), t, u, v)
    np.testing.assert_allclose(back[0], v.asnumpy() @ BY_X)
    np.testing.assert_allclose(back[1], v.asnumpy() @ BY_Y)
    assert isinstance(vjp(ops.sin, t)[1](v), tuple)
    pairs = vjp(two_results, t, u)[1]
    np.testing.assert_array_equal(pairs(t, u)[0].asnumpy(), pairs((t, u))[0].asnumpy())


def test_vjp_of_weights_and_auxiliary_results():
    # products with auxiliary results
    out, along, aux = arrays(jvp(two_results, (Tensor(X), Tensor(Y)), (Tensor(Y), Tensor(X)), has_aux=True))
    np.testing.assert_allclose((out, along, aux), (X * Y, Y * Y + X * X, X.sum() - Y * Y))
    out, pull, aux = vjp(two_results, Tensor(X), Tensor(Y), has_aux=True)
    np.testing.assert_allclose(pull(Tensor(X))[0].asnumpy(), X * Y)
    np.testing.assert_allclose(aux.asnumpy(), X.sum() - Y * Y)
    # products by weights
    layer = nn.Dense(3, 2)
    weights = layer.trainable_params()
    _, pull = vjp(layer, Tensor(MATRIX.astype(np.float32)), weights=weights)
    (by_input,), by_weights = pull(Tensor(np.ones((2, 2), np.float32)))
    assert by_input.shape == (2, 3)
    assert [jacobian.shape for jacobian in by_weights] == [weight.shape for weight in weights]
    assert isinstance(weights[0], Parameter)


T, U = Tensor(X), Tensor(MATRIX)


test_errors = error_cases(
    (lambda: vjp(ops.sin, 1.0), ArgTypeError, "vjp: expected tensors, got float"),
    (
        lambda: vjp(ops.sin, T)[1](U),
        ShapeError,
        r"vjp: expected vectors of shapes \[\[3\]\], one for each, got \[\[2, 3\]\]",
    ),
    (lambda: vjp(ops.sin, T)[1](), ShapeError, r"vjp: expected vectors of shapes \[\[3\]\], one for each, got \[\]"),
    (lambda: jvp(two_results, (T, T), (T,)), ShapeError, "jvp: expected vectors of shapes"),
    (lambda: ops.derivative(ops.sin, T, 0), ArgValueError, "derivative: order must be an integer >= 1, got 0"),
    (lambda: ops.derivative(ops.sin, 1.0, 1), UsageError, "derivative: expected one tensor, got float"),
)


def test_derivatives_along_a_curve():
    value, derivatives = ops.jet(ops.sin, Tensor([1.0]), Tensor([[1.0], [0.0]]))
    np.testing.assert_allclose(value.asnumpy(), [0.8414709568023682], rtol=1e-6)  # MindSpore 2.10
    np.testing.assert_allclose(derivatives.asnumpy(), [[0.5403022766113281], [-0.8414709568023682]], rtol=1e-6)
    with pytest.raises(ValueError, match="derivatives"):
        ops.jet(ops.sin, Tensor([1.0]), Tensor(1.0))


def test_a_linearized_function_maps_changes():
    value, change = ops.linearize(lambda x, y: x * y, (Tensor([3.0]), Tensor([4.0])))
    assert (value.tolist(), change(Tensor([1.0]), Tensor([2.0])).tolist()) == ([12.0], [10.0])


def test_integers_are_differentiated_as_floats():
    out, result = ops.derivative(ops.sin, Tensor([0, 1]), 1)
    np.testing.assert_allclose(result.asnumpy(), np.cos([0, 1]), rtol=1e-6)
    assert out.dtype is result.dtype is float32
