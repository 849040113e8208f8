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


def values(cases, *inputs, ids=None, **tolerances):
    """A test of values in both modes: rows of a function, its array or arrays, and the value; or all of ``inputs``."""

    def check(fn, *row):
        *given, expected = row
        arrays = inputs or (given[0] if isinstance(given[0], tuple) else given)
        np.testing.assert_allclose(both_ways(fn, *map(Tensor, arrays)), expected, **tolerances)

    return table(["fn", "expected"] if inputs else ["fn", "array", "expected"], cases, check, ids)


def slopes(cases, *inputs, ids=None, tolerance=1e-5):
    """A test of gradients: rows of a function and its array or arrays; or functions, all of ``inputs``."""

    def check(fn, *given):
        arrays = inputs or (given[0] if isinstance(given[0], tuple) else given)
        check_slope(fn, *arrays, tolerance=tolerance)

    return table(["fn"] if inputs else ["fn", "array"], cases, check, ids)


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
