"""Arithmetic: dtypes of the results, kinks of the gradients, Python's rules for // and %."""

from functools import partial

import numpy as np

import minigraph
from minigraph import Tensor, bool_, complex64, errors, float16, float32, float64, grad, int16, int32, int64
from minigraph.core.op import apply
from tests.tables import cases, error_cases, every, results


def gradient_at(function, *values):
    gradients = grad(function, tuple(range(len(values))))(*map(Tensor, values))
    return [g.item() for g in (gradients if isinstance(gradients, tuple) else (gradients,))]


@cases(
    ("i + 1", int64, [4]), ("i + 1.5", float32, [4.5]), ("i + f", float32, [4.5]), ("h + 1.5", float16, [2.5]),
    ("h + f", float32, [2.5]), ("i + h", float16, [4]), ("b + 1", int64, [2]), ("b * 1.5", float32, [1.5]),
    ("b + b", bool_, [True]), ("i / 2", float32, [1.5]), ("i // 2", int64, [1]), ("-i // 2", int64, [-2]),
    ("i % 2", int64, [1]), ("-i % 2", int64, [1]), ("i ** 2", int64, [9]), ("f ** 2", float32, [2.25]),
    ("f - 1", float32, [0.5]), ("1 - f", float32, [-0.5]), ("i ** -1", int64, [0]), ("i + [1]", int64, [4]),
    ("Tensor([1], ms.int8) + Tensor([1], ms.uint8)", int16, [2]), ("Tensor([1], ms.int32) + i", int64, [4]),
)  # fmt: skip
def test_dtypes_and_values_are_mindspores(expression, dtype, value):
    names = {"ms": minigraph, "Tensor": Tensor, "i": Tensor([3]), "f": Tensor([1.5])}
    names |= {"h": Tensor([1.0], float16), "b": Tensor([True])}
    result = eval(expression, names)
    assert (result.dtype, result.tolist()) == (dtype, value)


def test_powers_and_remainders_follow_python():
    # integers to negative powers keep the whole part
    assert (Tensor([2, 1, -1, -1, -2, 0]) ** Tensor([-1, -3, -3, -4, 2, 0])).tolist() == [0, 1, -1, 1, 4, 1]
    # floor mod has the sign of the divisor
    x, y = np.array([5.5, -5.5, 5.5, -5.5]), np.array([2.0, 2.0, -2.0, -2.0])
    assert (Tensor(x) % Tensor(y)).tolist() == (x % y).tolist()


test_gradients_at_kinks_and_ties = results(
    gradient_at,
    *((partial(apply, name), 0.0, [0.0]) for name in ("relu", "abs", "sign", "floor")),
    (partial(apply, "sqrt"), 0.0, [np.inf]),
    (lambda x: x**0.0, 0.0, [0.0]),
    (lambda x: x**2.0, 0.0, [0.0]),
    (lambda x: x**3.0, -2.0, [12.0]),
)


test_gradients_of_two_at_kinks_and_ties = results(
    gradient_at,
    *((partial(apply, name), 2.0, 2.0, [0.5, 0.5]) for name in ("maximum", "minimum")),
    (lambda x, y: x**y, 0.0, 3.0, [0.0, 0.0]),
)


def test_casts_and_the_dtype_of_a_gradient():
    # a gradient takes the dtype of its operand
    gradients = grad(lambda x, y: (x * y).sum(), (0, 1))(Tensor([1.0], float16), Tensor([2.0], float32))
    assert [g.dtype for g in gradients] == [float16, float32]
    # cast takes the whole part and the real part
    assert apply("cast", Tensor([2.7, -2.7]), dtype=int32).tolist() == [2, -2]
    assert apply("cast", Tensor([1 + 2j], complex64), dtype=float32).tolist() == [1.0]
    assert apply("cast", Tensor([0.0, 0.5]), dtype=bool_).tolist() == [False, True]
    # a cast to the same dtype is a copy
    x = Tensor([1.0])
    assert not np.shares_memory(apply("cast", x, dtype=float32).array, x.array)


test_refusals_name_the_operator_and_both_types = error_cases(
    (lambda: Tensor([1.0, 2.0]) * Tensor(np.ones(3)), errors.ShapeError, r"mul: f(32|64)\[2\] and f64\[3\]"),
    (lambda: -Tensor([True]), errors.DTypeError, "neg: needs integer or float or complex operands, got bool"),
)


@every(
    name=["exp", "log", "tanh", "sqrt", "rsqrt", "sin", "atan", "expm1", "log1p", "cosh"],
    dtype=[float16, float32, float64],
)
def test_functions_are_numpys_in_their_own_precision(name, dtype):
    x = np.linspace(0.1, 2, 7).astype(dtype.numpy)
    reference = {"rsqrt": lambda x: 1 / np.sqrt(x), "atan": np.arctan}.get(name) or getattr(np, name)
    result = apply(name, Tensor(x))
    assert result.dtype is dtype
    assert np.array_equal(result.array, reference(x))
