"""Pooling vectorised over whole images has the bits of pooling window by window."""

import numpy as np

from minigraph.accel.kernels.pool import max_pool2d, max_pool2d_grad, max_pool_grad_in_layout
from minigraph.core.machine import POOL_TILE_BYTES
from minigraph.operators.pooling import MAX_POOL2D, MAX_POOL2D_GRAD
from tests.tables import every

IMAGES = np.random.default_rng(3).integers(-2, 3, size=(2, 3, 6, 7)).astype(np.float32)  # with many equal elements
WINDOWS_OF = [
    {"kernel": (2, 2), "stride": (2, 2), "padding": ((0, 0), (0, 0))},
    {"kernel": (3, 2), "stride": (1, 2), "padding": ((1, 0), (1, 1))},
    {"kernel": (2, 3), "stride": (3, 3), "padding": ((1, 1), (0, 2))},
]


@every(g_special=[None, np.inf, np.nan], special=[None, np.nan, np.inf, -np.inf], attrs=WINDOWS_OF)
def test_the_bits_equal_the_forward(attrs, special, g_special):
    x = IMAGES.copy()
    if special is not None:
        x[0, 0, 1, 1:3] = x[1, 2, 4, 4] = special
    result = max_pool2d(x, **attrs)
    assert result.tobytes() == MAX_POOL2D.forward(x, **attrs).tobytes()
    g = np.random.default_rng(4).normal(size=result.shape).astype(np.float32)
    if g_special is not None:
        g[0, 1, 1, 1] = g_special
    grad = max_pool2d_grad(g, x, result, **attrs)
    assert grad.tobytes() == MAX_POOL2D_GRAD.forward(g, x, result, **attrs).tobytes()


@every(attrs=WINDOWS_OF, shape=[(70, 2, 64, 64), (3, 40, 64, 80), (2, 1, 600, 600)])
def test_the_gradient_is_tiled_with_the_same_bits(attrs, shape):
    x = np.random.default_rng(5).integers(-2, 3, size=shape).astype(np.float32)
    assert x.nbytes > 2 * POOL_TILE_BYTES
    out = max_pool2d(x, **attrs)
    g = np.random.default_rng(6).normal(size=out.shape).astype(np.float32)
    gradient = max_pool2d_grad(g, x, out, **attrs)
    one_by_one = [max_pool2d_grad(*(a[i : i + 1] for a in (g, x, out)), **attrs) for i in range(len(x))]
    assert gradient.tobytes() == np.concatenate(one_by_one).tobytes()
    in_chwn = np.ascontiguousarray(x.transpose(1, 2, 3, 0)).transpose(3, 0, 1, 2)
    assert max_pool_grad_in_layout(g, in_chwn, out, **attrs).tobytes() == gradient.tobytes()
