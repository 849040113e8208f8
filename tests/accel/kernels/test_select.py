"""Branch-free ``where``: the same bits as numpy's, for all numbers."""

import numpy as np

from minigraph.accel.kernels.select import where
from minigraph.core.machine import MIN_MASKED_SELECT_ELEMENTS
from minigraph.operators.comparison import WHERE
from tests.tables import every

RNG = np.random.default_rng(0)
DTYPES = ["f2", "f4", "f8", "i1", "i4", "i8", "?", "c8"]
SPECIAL = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan]


@every(other=["zero", "number", "array", "row"], size=[3, MIN_MASKED_SELECT_ELEMENTS], dtype=DTYPES)
def test_the_bits_are_numpys(dtype, size, other):
    with np.errstate(invalid="ignore"):
        x, y = (RNG.choice(SPECIAL, (2, size)).astype(dtype) for _ in range(2))
        y = {"zero": np.zeros((), dtype), "number": np.array(1.5).astype(dtype), "array": y, "row": y[0]}[other]
    for condition in (RNG.random((2, size)) < 0.5, np.ones((2, size), bool)[:, ::-1]):
        expected = WHERE.forward(condition, x, y)
        assert where(condition, x, y).tobytes() == expected.tobytes()
        out = np.empty_like(expected)
        assert where(condition, x, y, out=out) is out and out.tobytes() == expected.tobytes()
        assert where(condition, np.asfortranarray(x), y).tobytes() == expected.tobytes()
