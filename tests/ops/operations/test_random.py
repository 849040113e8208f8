"""Primitives of random samples and dropout, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, int32, ops, set_seed


def test_dropout_returns_its_mask():
    result, mask = ops.Dropout(keep_prob=0.75, Seed0=3)(Tensor(np.ones((40, 50))))
    np.testing.assert_allclose(result.asnumpy(), mask.asnumpy() / 0.75)
    assert 0.7 < mask.asnumpy().mean() < 0.8


def test_seeds_select_streams():
    for primitive in (ops.StandardNormal, ops.UniformReal):
        set_seed(3)
        first = [primitive(seed=5)((2,)).tolist() for _ in range(2)]
        set_seed(3)
        primitive()((4,))
        assert [primitive(seed=5)((2,)).tolist() for _ in range(2)] == first
        assert first[0] != first[1] != primitive(seed=5, seed2=1)((2,)).tolist()
    whole = ops.UniformInt(seed=1)((100,), Tensor(2), Tensor(5))
    assert (whole.dtype, set(whole.tolist())) == (int32, {2, 3, 4})
