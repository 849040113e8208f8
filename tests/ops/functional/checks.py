"""What the tests of functions share: equal in both modes, gradients that differences confirm."""

import numpy as np

from minigraph import Tensor, grad, jit
from minigraph.core.pytree import flatten as taken_apart
from minigraph.core.pytree import leaves_of, unflatten
from tests.tables import table


def is_tensor(item):
    return isinstance(item, Tensor)


def arrays(found):
    """Tensors as arrays, in whatever structure they stand."""
    leaves, spec = taken_apart(found, is_tensor)
    return unflatten(spec, [leaf.asnumpy() for leaf in leaves])


def both_ways(fn, *tensors):
    """What a function gives, as arrays; raises unless ``@jit`` gives the very same bits."""
    eager = fn(*tensors)
    compiled = jit(lambda *inputs: fn(*inputs))(*tensors)
    for one, other in zip(leaves_of(eager, is_tensor), leaves_of(compiled, is_tensor), strict=True):
        assert one.dtype is other.dtype
        assert one.asnumpy().tobytes() == other.asnumpy().tobytes()
    return arrays(eager)


def given_to(inputs, row):
    """The arrays that a row's function is called with: those of all rows, else its own."""
    return inputs or (row[0] if isinstance(row[0], tuple) else row)


def values(cases, *inputs, ids=None, **tolerances):
    """A test of values in both modes: rows of a function, its array or arrays, and the value; or all of ``inputs``."""

    def check(fn, *row):
        found = both_ways(fn, *map(Tensor, given_to(inputs, row[:-1])))
        np.testing.assert_allclose(found, row[-1], **tolerances)

    return table(["fn", "expected"] if inputs else ["fn", "array", "expected"], cases, check, ids)


def slopes(cases, *inputs, ids=None, tolerance=1e-5):
    """A test of gradients: rows of a function and its array or arrays; or functions, all of ``inputs``."""
    names = ["fn"] if inputs else ["fn", "array"]
    return table(names, cases, lambda fn, *row: check_slope(fn, *given_to(inputs, row), tolerance=tolerance), ids)


def holds(*rows, rtol=0.0):
    """A test of what is there: each row is a tensor, and the array that it holds."""

    def check(found, expected):
        assert found.shape == np.shape(expected)
        assert np.allclose(found.array, expected, rtol=rtol, atol=0.0)

    return table(["found", "expected"], rows, check)


def check_function(fn, wanted, *inputs, slope_at=None, rtol=1e-9, atol=0.0):
    """The value of a function of arrays in both modes, and its gradient: there, or at the smaller arrays given."""
    np.testing.assert_allclose(both_ways(fn, *map(Tensor, inputs)), wanted, rtol=rtol, atol=atol)
    check_slope(fn, *(slope_at or inputs))


def check_slope(fn, *values, tolerance=1e-5):
    """The gradient of the sum of a function against central differences, in float64."""
    tensors = [Tensor(np.array(value, np.float64)) for value in values]
    weights = [np.cos(np.arange(t.size)).reshape(t.shape) + 1.5 for t in leaves_of(fn(*tensors), is_tensor)]

    def total(*inputs):
        found = list(leaves_of(fn(*inputs), is_tensor))
        return sum((one * Tensor(weight)).sum() for one, weight in zip(found, weights, strict=True))

    slopes = grad(total, tuple(range(len(tensors))))(*tensors)
    for at, slope in enumerate(slopes if isinstance(slopes, tuple) else (slopes,)):
        np.testing.assert_allclose(slope.asnumpy(), differences(total, tensors, at), rtol=tolerance, atol=tolerance)


def differences(total, tensors, at, step=1e-6):
    """Central differences of a number by every element of one operand."""
    found = np.zeros(tensors[at].shape)
    for place in np.ndindex(found.shape):
        ends = []
        for side in (step, -step):
            moved = tensors[at].asnumpy().copy()
            moved[place] += side
            ends.append(total(*tensors[:at], Tensor(moved), *tensors[at + 1 :]).item())
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found
