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


def test_distributions_by_their_moments():
    alpha = Tensor(np.array([0.5, 3.0], np.float32))
    for samples in (ops.RandomGamma(seed=1)(Tensor([20000]), alpha), ops.RandomPoisson(seed=1)((20000,), alpha)):
        assert samples.shape == (20000, 2) and (samples.asnumpy() >= 0).all()
        np.testing.assert_allclose(samples.asnumpy().mean(0), alpha.asnumpy(), rtol=0.05)
        np.testing.assert_allclose(samples.asnumpy().var(0), alpha.asnumpy(), rtol=0.1)
    truncated = ops.TruncatedNormal(seed=1)(Tensor([20000])).asnumpy()
    assert abs(truncated).max() <= 2 and abs(truncated.std() - 0.88) < 0.02
    bounds = (Tensor(np.array(n, np.float32)) for n in ([0.0, 5.0], [1.0, 2.0], [-1.0, 4.0], [2.0, 5.5]))
    rows = ops.ParameterizedTruncatedNormal(seed=1)(Tensor([2, 20000]), *bounds).asnumpy()
    assert (rows.min(1) >= [-1, 4]).all() and (rows.max(1) <= [2, 5.5]).all()
    np.testing.assert_allclose(rows.mean(1), [0.2296, 4.7593], atol=0.02)
    median, quarter = np.quantile(ops.Cauchy([20000], 3.0, 0.5)().asnumpy(), [0.5, 0.25])
    assert abs(median - 3) < 0.05 and abs(median - quarter - 0.5) < 0.05
    logs = np.log(ops.LogNormalReverse(2.0, 0.5)(Tensor(np.zeros(20000))).asnumpy())
    assert abs(logs.mean() - 2) < 0.02 and abs(logs.std() - 0.5) < 0.02
    whole = ops.NonDeterministicInts(int32)(Tensor([3, 4]))
    assert whole.shape == (3, 4) and whole.dtype == int32 and len(set(whole.reshape(-1).tolist())) > 1


def test_candidates_and_choices():
    classes = Tensor(np.array([[1, 7], [0, 4]]))
    sampled, true_counts, counts = ops.LogUniformCandidateSampler(2, 400, False, 10, 1)(classes)
    probability = np.log1p(1 / np.arange(1, 11)) / np.log(11)
    np.testing.assert_allclose(np.bincount(sampled.asnumpy(), minlength=10) / 400, probability, atol=0.07)
    np.testing.assert_allclose(true_counts.asnumpy(), 400 * probability[classes.asnumpy()], rtol=1e-5)
    np.testing.assert_allclose(counts.asnumpy(), 400 * probability[sampled.asnumpy()], rtol=1e-5)
    assert len(set(ops.LogUniformCandidateSampler(2, 9, True, 10)(classes)[0].tolist())) == 9
    mask = np.arange(12).reshape(3, 4) % 3 == 0
    index, found = ops.RandomChoiceWithMask(count=6)(Tensor(mask))
    assert found.tolist() == [True] * 4 + [False] * 2 and index[4:].tolist() == [[0, 0], [0, 0]]
    assert sorted(map(tuple, index[:4].tolist())) == list(zip(*map(list, np.nonzero(mask)), strict=True))
    drawn = ops.MultinomialWithReplacement(20, True)(Tensor([[0.0, 9.0, 4.0], [1.0, 0.0, 0.0]]), Tensor(2), Tensor(5))
    assert set(drawn[0].tolist()) == {1, 2} and drawn[1].tolist() == [0] * 20
