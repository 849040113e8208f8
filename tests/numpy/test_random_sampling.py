"""Random sampling: shapes, dtypes, ranges, new numbers at each call."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import numpy as mnp


@pytest.mark.parametrize(("draw", "mean", "deviation"), [(mnp.rand, 0.5, 12**-0.5), (mnp.randn, 0, 1)])
def test_distributions(draw, mean, deviation):
    values = draw(100, 100)
    assert values.shape == draw((100, 100)).shape == (100, 100)
    assert values.dtype is ms.float32
    assert draw(2, dtype=ms.float64).dtype is ms.float64
    assert values.asnumpy().mean() == pytest.approx(mean, abs=0.05)
    assert values.asnumpy().std() == pytest.approx(deviation, rel=0.05)
    assert not np.array_equal(values.asnumpy(), draw(100, 100).asnumpy())


def test_bounds_and_dtypes_by_name():
    # the bound of randint is excluded
    assert set(mnp.randint(2, 5, (200,)).asnumpy().tolist()) == {2, 3, 4}
    assert set(mnp.randint(2, shape=(50,)).asnumpy().tolist()) == {0, 1}
    assert mnp.randint(3).dtype is ms.int32
    # dtypes by name
    assert mnp.rand(2, dtype="float64").dtype is ms.float64
    assert mnp.randn((2, 3), dtype=ms.float16).dtype is ms.float16
    assert mnp.randint(1, 5, (2, 3), "int64").dtype is ms.int64
    assert mnp.randint(5, shape=None).shape == (1,)


def test_a_seed_repeats_the_samples():
    ms.set_seed(3)
    first = mnp.randn(5).asnumpy()
    ms.set_seed(3)
    assert np.array_equal(mnp.randn(5).asnumpy(), first)
