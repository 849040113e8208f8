"""The sampled softmax loss: numbers recorded from MindSpore 2.10, the softmax over all classes, and errors."""

import numpy as np

from minigraph import Tensor, grad, int32, jit, nn, ops
from tests.nn.cells import assert_close
from tests.tables import error_cases

WEIGHTS = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3) / 10)
BIASES, FEATURES = Tensor([0.1, 0.2, 0.3, 0.4]), Tensor([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0]])


def test_all_classes_as_a_sample_give_the_softmax_loss_of_one_more_score():
    loss, labels = nn.SampledSoftmaxLoss(4, 4, remove_accidental_hits=False), Tensor([1, 3])
    scores = ops.matmul(FEATURES, WEIGHTS.T) + BIASES
    true = scores[ops.arange(2), labels].expand_dims(1)
    expected = -ops.log_softmax(ops.concat((true, scores), 1), 1)[:, 0]
    for run in (lambda fn: fn, jit):
        assert_close(run(loss)(WEIGHTS, BIASES, labels, FEATURES), expected.asnumpy())


def test_given_samples_and_several_true_classes():
    counts = Tensor([[0.5, 0.1], [0.4, 0.2]]), Tensor([0.5, 0.4, 0.3])
    loss = nn.SampledSoftmaxLoss(3, 4, 2, sampled_values=(Tensor([0, 3, 2]), *counts), reduction="sum")
    labels = Tensor([[1, 2], [3, 0]], int32)
    true = (WEIGHTS[labels] * FEATURES.expand_dims(1)).sum(-1) + BIASES[labels] - ops.log(counts[0])
    others = ops.matmul(FEATURES, WEIGHTS[Tensor([0, 3, 2])].T) + BIASES[Tensor([0, 3, 2])] - ops.log(counts[1])
    scores = np.concatenate([true.asnumpy(), others.asnumpy()], 1).astype(np.float64)
    logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    assert_close(loss(WEIGHTS, BIASES, labels, FEATURES), -logs[:, :2].mean(1).sum())
    assert grad(loss, 0)(WEIGHTS, BIASES, labels, FEATURES).shape == (4, 3)


def test_true_classes_are_not_sampled_if_there_are_others():
    loss = nn.SampledSoftmaxLoss(2, 3, seed=1)
    value = loss(Tensor([[1.0], [2.0], [3.0]]), Tensor([0.0, 0.0, 0.0]), Tensor([0]), Tensor([[1.0]]))
    assert_close(value, [np.log(1 + np.e + np.e**2)])


test_errors = error_cases(
    (lambda: nn.SampledSoftmaxLoss(9, 4), ValueError, "num_sampled"),
    (lambda: nn.SampledSoftmaxLoss(2, 4, 5), ValueError, "num_true"),
    (lambda: nn.SampledSoftmaxLoss(2, 4, seed=-1), ValueError, "seed"),
    (lambda: nn.SampledSoftmaxLoss(2, 4, sampled_values=3), TypeError, "list or tuple"),
    (lambda: nn.SampledSoftmaxLoss(2, 4, sampled_values=(1, 2)), ValueError, "equal to 3"),
    (lambda: nn.SampledSoftmaxLoss(2, 4)(WEIGHTS, BIASES, Tensor([1.0]), FEATURES), TypeError, "Int32 or Int64"),
)
