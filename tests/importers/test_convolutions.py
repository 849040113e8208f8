import numpy as np

from minigraph import Tensor, ops
from minigraph.importers.convolutions import convolve, convolve_transposed
from tests.tables import cases

RNG = np.random.default_rng(0)


@cases(
    ((7,), (2,), ((1, 0),), (1,), 1, (1,)),
    ((7, 6), (2, 3), ((1, 2), (0, 1)), (2, 1), 2, (1, 0)),
    ((5, 6, 4), (2, 1, 2), ((1, 0), (1, 1), (0, 2)), (1, 2, 1), 2, (1, 0, 1)),
)
def test_the_transpose_is_the_adjoint(sizes, stride, pads, dilation, group, extra):
    """<convolve(x), g> = <x, transposed(g)>, where the result of the transpose has the shape of x."""
    weight = Tensor(RNG.normal(size=(4, 4 // group, *(2,) * len(sizes))))
    g = Tensor(RNG.normal(size=(2, 4, *sizes)))
    x = convolve_transposed(g, weight, stride, pads, dilation, group, extra)
    forward = convolve(Tensor(np.ones(x.shape)), weight, stride, pads, dilation, group)
    assert forward.shape == g.shape
    np.testing.assert_allclose(float(ops.reduce_sum(forward * g)), float(ops.reduce_sum(x)), 1e-9)


def test_a_convolution_of_sequences_is_numpys():
    x, w = RNG.normal(size=6), RNG.normal(size=3)
    out = convolve(Tensor(x.reshape(1, 1, -1)), Tensor(w.reshape(1, 1, -1)), (1,), ((0, 0),), (1,), 1)
    np.testing.assert_allclose(out.asnumpy()[0, 0], np.correlate(x, w), 1e-9)
