"""Repeating and turning against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.ways import slopes, values
from tests.tables import refusals

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
M, V = X[0], X[0, 0]


CASES = [
    (lambda x: ops.repeat_interleave(x, 2), X, X.repeat(2)),
    (lambda x: ops.repeat_interleave(x, 2, 1), X, X.repeat(2, 1)),
    (lambda x: ops.repeat_interleave(x, Tensor([1, 2, 0]), 1), X, X.repeat([1, 2, 0], 1)),
    (lambda x: ops.repeat_interleave(x, Tensor([3]), 0), X, X.repeat(3, 0)),
    (lambda x: ops.repeat_elements(x, 2, -1), X, X.repeat(2, -1)),
    (lambda x: ops.expand(x, Tensor([3, 4])), V, np.broadcast_to(V, (3, 4))),
    (lambda x: ops.expand_as(x, Tensor(M)), V, np.broadcast_to(V, M.shape)),
    (lambda x: ops.view_as(x, Tensor(M.T)), M, M.reshape(4, 3)),
    (lambda x: ops.ravel(x), X, X.ravel()),
    (lambda x: ops.roll(x, 5), X, np.roll(X, 5)),
    (lambda x: ops.roll(x, -1, 2), X, np.roll(X, -1, 2)),
    (lambda x: ops.roll(x, (1, 2), (0, -1)), X, np.roll(X, (1, 2), (0, -1))),
    *((lambda x, k=k: ops.rot90(x, k, (0, 1)), M, np.rot90(M, k)) for k in range(-1, 5)),
    (lambda x: ops.rot90(x, 1, (2, 0)), X, np.rot90(X, 1, (2, 0))),
    (lambda x: ops.flipud(x), M, np.flipud(M)),
    (lambda x: ops.fliplr(x), M, np.fliplr(M)),
    (lambda x: ops.reverse(x, [0, 2]), X, X[::-1, :, ::-1]),
    (lambda x: ops.moveaxis(x, 0, 2), X, np.moveaxis(X, 0, 2)),
    (lambda x: ops.movedim(x, (0, 1), (-1, 0)), X, np.moveaxis(X, (0, 1), (-1, 0))),
    (lambda x: ops.swapdims(x, 0, 2), X, X.swapaxes(0, 2)),
    (lambda x: ops.t(x), M, M.T),
    (lambda x: ops.t(x), V, V),
]


test_values = values(CASES, rtol=0)


test_slopes = slopes([(fn, array) for fn, array, _ in CASES[::3]])


def test_pixels_and_channels():
    x = np.arange(32.0).reshape(1, 8, 2, 2)
    shuffled = ops.pixel_shuffle(Tensor(x), 2)
    expected = x.reshape(1, 2, 2, 2, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 4)
    np.testing.assert_array_equal(shuffled.asnumpy(), expected)
    np.testing.assert_array_equal(ops.pixel_unshuffle(shuffled, 2).asnumpy(), x)
    turned = x.reshape(1, 2, 4, 2, 2).swapaxes(1, 2).reshape(x.shape)
    np.testing.assert_array_equal(ops.channel_shuffle(Tensor(x), 2).asnumpy(), turned)


test_refusals = refusals(
    (lambda: ops.roll(Tensor(X), (1, 2), (0,)), UsageError, "roll: 2 shifts for 1 axes; give one for each"),
    (lambda: ops.roll(Tensor(X), 1, 3), IndexError, "roll: axis 3 does not exist"),
    (lambda: ops.moveaxis(Tensor(X), (0, 1), 2), UsageError, "moveaxis: 2 axes to 1 places"),
    (lambda: ops.t(Tensor(X)), ShapeError, r"t: needs at most two axes, got f32\[2,3,4\]; use swapaxes"),
    (lambda: ops.repeat_interleave(Tensor(V), [1]), ShapeError, "repeat_interleave: 1 repeats for axis 0 of f32"),
)
