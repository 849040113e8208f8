"""Checks shared by tests of functions: bit-identical results in both modes, gradients by finite differences."""

import numpy as np

from minigraph import Tensor, grad, jit
from minigraph.core.pytree import flatten, leaves_of, unflatten
from tests.tables import table


def is_tensor(item):
    return isinstance(item, Tensor)


def arrays(result):
    """A pytree of tensors as arrays."""
    leaves, spec = flatten(result, is_tensor)
    return unflatten(spec, [leaf.asnumpy() for leaf in leaves])


def in_both_modes(fn, *tensors):
    """The results of a function as arrays; raises unless ``@jit`` returns the same bits."""
    eager = fn(*tensors)
    compiled = jit(lambda *inputs: fn(*inputs))(*tensors)
    for expected, result in zip(leaves_of(eager, is_tensor), leaves_of(compiled, is_tensor), strict=True):
        assert expected.dtype is result.dtype
        assert expected.asnumpy().tobytes() == result.asnumpy().tobytes()
    return arrays(eager)


def row_inputs(inputs, row):
    """The arrays of one row: its own, or the arrays shared by all rows."""
    return inputs or (row[0] if isinstance(row[0], tuple) else row)


def value_test(cases, *inputs, ids=None, **tolerances):
    """A test of values in both modes; a row is a function, its array or arrays (or all of ``inputs``), the value."""

    def check(fn, *row):
        result = in_both_modes(fn, *map(Tensor, row_inputs(inputs, row[:-1])))
        np.testing.assert_allclose(result, row[-1], **tolerances)

    return table(["fn", "expected"] if inputs else ["fn", "array", "expected"], cases, check, ids)


def gradient_test(cases, *inputs, ids=None, tolerance=1e-5):
    """A test of gradients; a row is a function and its array or arrays, or a function of all of ``inputs``."""
    names = ["fn"] if inputs else ["fn", "array"]
    return table(names, cases, lambda fn, *row: check_gradient(fn, *row_inputs(inputs, row), tolerance=tolerance), ids)


def constants_test(*rows, rtol=0.0):
    """A test of tensors; a row is a tensor and the array of its values."""

    def check(result, expected):
        assert result.shape == np.shape(expected)
        assert np.allclose(result.array, expected, rtol=rtol, atol=0.0)

    return table(["result", "expected"], rows, check)


def check_function(fn, expected, *inputs, gradient_at=None, rtol=1e-9, atol=0.0):
    """Checks a function of arrays in both modes, and its gradient at the inputs or at ``gradient_at``."""
    np.testing.assert_allclose(in_both_modes(fn, *map(Tensor, inputs)), expected, rtol=rtol, atol=atol)
    check_gradient(fn, *(gradient_at or inputs))


def check_gradient(fn, *values, tolerance=1e-5):
    """Checks the gradient of the sum of a function against central differences, in float64."""
    tensors = [Tensor(np.array(value, np.float64)) for value in values]
    weights = [np.cos(np.arange(t.size)).reshape(t.shape) + 1.5 for t in leaves_of(fn(*tensors), is_tensor)]

    def total(*inputs):
        result = list(leaves_of(fn(*inputs), is_tensor))
        return sum((tensor * Tensor(weight)).sum() for tensor, weight in zip(result, weights, strict=True))

    gradients = grad(total, tuple(range(len(tensors))))(*tensors)
    for at, gradient in enumerate(gradients if isinstance(gradients, tuple) else (gradients,)):
        np.testing.assert_allclose(
            gradient.asnumpy(), central_differences(total, tensors, at), rtol=tolerance, atol=tolerance
        )


def central_differences(total, tensors, at, step=1e-6):
    """Central differences of a number by every element of one operand."""
    result = np.zeros(tensors[at].shape)
    for position in np.ndindex(result.shape):
        ends = []
        for side in (step, -step):
            moved = tensors[at].asnumpy().copy()
            moved[position] += side
            ends.append(total(*tensors[:at], Tensor(moved), *tensors[at + 1 :]).item())
        result[position] = (ends[0] - ends[1]) / (2 * step)
    return result
