"""Shared checks of ``ms.numpy``: a function returns the result of numpy's function of the same name, in both modes."""

import numpy as np

from minigraph import Tensor, jit
from minigraph import numpy as mnp
from minigraph.core.pytree import flatten, leaves_of, unflatten

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 3)).astype(np.float32), RNG.normal(size=(2, 3)).astype(np.float32)
V, W = np.array([0.5, -1.5, 2.0, 0.25], np.float32), np.array([1.0, 2.0, 3.5, 2.5], np.float32)
CUBE = RNG.normal(size=(2, 3, 4)).astype(np.float32)
INTEGERS = np.array([[3, -4, 5], [0, 7, 2]], np.int32)
GAPS = np.where(INTEGERS > 0, X, np.nan).astype(np.float32)


def is_tensor(item):
    return isinstance(item, Tensor)


def arrays(result):
    """The tensors in a result as arrays."""
    return [np.asarray(leaf.asnumpy() if is_tensor(leaf) else leaf) for leaf in leaves_of(result, is_tensor)]


def check(name, *args, compiled=True, **kwargs):
    """Compare a function of numpy arrays with numpy's, eager and (with ``compiled``) compiled."""
    function, expected = getattr(mnp, name), getattr(np, name)(*args, **kwargs)
    eager = function(*as_tensors(args), **kwargs)
    assert_same(eager, expected)
    if compiled:
        leaves, spec = flatten(as_tensors(args), is_tensor)
        assert_same(jit(lambda *leaves: function(*unflatten(spec, list(leaves)), **kwargs))(*leaves), expected)
    return eager


def check_each(name, *calls, **options):
    """``check`` for each of several calls; a tuple holds the arguments of one call."""
    for args in calls:
        check(name, *args, **options)


def as_tensors(item):
    """Arrays as tensors, in nested tuples and lists."""
    if isinstance(item, np.ndarray):
        return Tensor(item)
    return type(item)(map(as_tensors, item)) if isinstance(item, tuple | list) else item


def assert_same(result, expected):
    expected = expected if isinstance(expected, tuple | list) else (expected,)
    result = arrays(result)
    assert len(result) == len(expected)
    for array, reference in zip(result, expected, strict=True):
        assert array.shape == np.shape(reference)
        np.testing.assert_allclose(array, reference, rtol=2e-5, atol=2e-6)
