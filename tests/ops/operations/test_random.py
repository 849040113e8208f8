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


def test_samples_of_primitives():
    x = Tensor(np.ones((4, 8, 2, 2), np.float32))
    assert set(np.unique(ops.Bernoulli()(x, Tensor(0.5)).asnumpy())) == {0, 1}
    dropped, mask = ops.Dropout2D(0.5)(x)
    assert set(np.unique(dropped.asnumpy())) == {0, 2} and (mask.asnumpy() == (dropped.asnumpy() != 0)).all()
    assert (dropped.asnumpy() == dropped.asnumpy()[..., :1, :1]).all()
    assert ops.Dropout3D(0.5)(x.expand_dims(-1))[0].shape == (4, 8, 2, 2, 1)
    assert ops.Multinomial()(Tensor([0.0, 1.0]), 3).tolist() == [1, 1, 1] and ops.StandardLaplace()((2, 3)).shape == (
        2,
        3,
    )
    assert ops.RandomCategorical()(Tensor([[0.0, 100.0]]), 2, 1).tolist() == [[1, 1]]
    assert sorted(ops.RandomShuffle()(Tensor([3, 1, 2])).tolist()) == [1, 2, 3]
    assert sorted(ops.RandpermV2()(3).tolist()) == [0, 1, 2]
