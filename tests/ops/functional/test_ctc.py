"""The CTC loss against the sum over all alignments, in both modes, with gradients."""

from itertools import product

import numpy as np
import pytest

from minigraph import Tensor, errors, int32, ops
from tests.ops.functional.checks import check_function
from tests.tables import error_cases, every

RANDOM = np.random.default_rng(8)
SCORES = RANDOM.standard_normal((3, 4))
LABELS = np.array([[1, 2, -1, 0], [0, -1, 3, 1], [3, 2, 1, 0]], np.int32)
REDUCE = {"none": lambda rows: rows, "mean": np.mean, "sum": np.sum}


def path_probability(target, logs, blank):
    """The sum over all paths of classes that read as the target without repeats and blanks."""
    total = 0.0
    for path in product(range(logs.shape[1]), repeat=len(logs)):
        read = [label for at, label in enumerate(path) if label != blank and (at == 0 or path[at - 1] != label)]
        total += np.exp(sum(logs[at, label] for at, label in enumerate(path))) if read == list(target) else 0.0
    return total


LOGS = np.log(RANDOM.dirichlet(np.ones(4), (5, 3)))  # [T, N, C]
TARGETS = np.array([[1, 2, 2], [3, 1, 2], [1, 0, 0]])
LENGTHS, TARGET_LENGTHS = np.array([5, 4, 3]), np.array([3, 2, 0])


@every(reduction=REDUCE)
def test_the_loss_is_the_sum_over_all_paths(reduction):
    cases = enumerate(zip(LENGTHS, TARGET_LENGTHS, strict=True))
    rows = [-np.log(path_probability(TARGETS[n, :reference], LOGS[:length, n], 0)) for n, (length, reference) in cases]
    expected = REDUCE[reduction](np.array(rows) / (np.maximum(TARGET_LENGTHS, 1) if reduction == "mean" else 1))
    text = [Tensor(numbers, int32) for numbers in (TARGETS, LENGTHS, TARGET_LENGTHS)]
    check_function(lambda x: ops.ctc_loss(x, *text, reduction=reduction)[0], expected, LOGS)


def test_another_blank_and_impossible_alignments():
    twice = Tensor([[1, 1]], int32)
    result, _ = ops.ctc_loss(Tensor(LOGS[:4, :1]), twice, Tensor([4]), Tensor([2]), 3, "none")
    assert result.asnumpy()[0] == pytest.approx(-np.log(path_probability((1, 1), LOGS[:4, 0], 3)))
    for zero, reference in ((False, np.inf), (True, 0.0)):
        assert ops.ctc_loss(Tensor(LOGS[:2, :1]), twice, [2], [2], 0, "none", zero)[0].asnumpy()[0] == reference


test_errors = error_cases(
    (lambda: ops.ctc_loss(Tensor(SCORES), Tensor(LABELS), [1], [1]), r"ctc_loss: needs log_probs \[T,N,C\]"),
    error=errors.ShapeError,
)


def test_greedy_decoding_merges_repetitions_and_drops_blanks():
    best = np.array([[0, 0, 2, 0, 1], [2, 2, 2, 2, 2]]).T
    scores = Tensor(np.eye(3, dtype=np.float32)[best])
    positions, classes, shape, totals = ops.ctc_greedy_decoder(scores, Tensor([5, 3]))
    assert (positions.tolist(), classes.tolist()) == ([[0, 0], [0, 1], [0, 2]], [0, 0, 1])
    assert (shape.tolist(), totals.tolist()) == ([2, 3], [[-5.0], [-3.0]])
    assert ops.ctc_greedy_decoder(scores, Tensor([5, 3]), False)[1].tolist() == [0, 0, 0, 1]
