"""Samples have the moments and shares of their distributions; shuffling keeps the rows."""

import numpy as np

from minigraph import Tensor, int32, jit, ops, set_seed
from tests.tables import error_cases


def test_moments_of_the_laplace_distribution():
    set_seed(1)
    samples = ops.laplace((20000,), Tensor(3.0), Tensor(2.0)).asnumpy()
    assert abs(samples.mean() - 3) < 0.1 and abs(samples.var() - 8) < 0.5
    assert abs(np.abs(ops.standard_laplace((20000,)).asnumpy()).mean() - 1) < 0.05
    set_seed(1)
    assert ops.laplace((20000,), Tensor(3.0), Tensor(2.0)).asnumpy().tobytes() == samples.tobytes()


def test_shares_of_classes():
    set_seed(2)
    weights = Tensor([[1.0, 3.0, 0.0], [1.0, 1.0, 2.0]])
    drawn = ops.multinomial_with_replacement(weights, 0, 0, 8000, True).asnumpy()
    shares = np.stack([np.bincount(row, minlength=3) / 8000 for row in drawn])
    np.testing.assert_allclose(shares, [[0.25, 0.75, 0], [0.25, 0.25, 0.5]], atol=0.03)
    drawn = ops.random_categorical(ops.log(weights + 1e-30), 8000, dtype=int32)
    assert drawn.dtype is int32 and drawn.shape == (2, 8000)
    assert abs((drawn[0] == 1).astype(int32).sum().item() / 8000 - 0.75) < 0.03


def test_shuffled_rows():
    rows = Tensor(np.arange(20.0).reshape(10, 2))
    once, again = (ops.shuffle(rows, seed=3).tolist() for _ in range(2))
    assert once != again and sorted(once) == sorted(again) == rows.tolist()


def test_candidates_are_unique_and_true_classes_last():
    true = Tensor([[0, 3], [5, 3]], int32)
    for run in (lambda fn: fn, jit):
        sampled, of_true, of_sampled = run(
            lambda classes: ops.uniform_candidate_sampler(classes, 2, 5, True, 7, 0, True)
        )(true)
        assert sampled.dtype == int32 and set(sampled.tolist()[:4]) == {1, 2, 4, 6} and sampled.tolist()[4] in (0, 3, 5)
        assert of_true.shape == (2, 2) and of_sampled.shape == (5,) and abs(of_true[0, 0].item() - 5 / 7) < 1e-6
    repeated = ops.UniformCandidateSampler(2, 1000, False, 7)(true)[0].asnumpy()
    assert (np.bincount(repeated, minlength=7) > 100).all() and repeated.max() == 6


test_errors = error_cases(
    (lambda: ops.uniform_candidate_sampler(Tensor([[0]]), 2, 2, True, 5), ValueError, "needs classes"),
    (lambda: ops.uniform_candidate_sampler(Tensor([[0]]), 1, 6, True, 5), ValueError, "unique samples"),
    (lambda: ops.random_categorical(Tensor([1.0]), 2), ValueError, "needs logits"),
    (lambda: ops.multinomial_with_replacement(Tensor([1.0]), 0, 0, 0), ValueError, "must be positive"),
)
