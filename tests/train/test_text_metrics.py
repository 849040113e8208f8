"""BLEU, perplexity and cosine similarity: MindSpore's numbers, and errors."""

import numpy as np
import pytest

from minigraph import Tensor, train
from tests.tables import error_cases

CANDIDATES = [["a", "cat", "is", "on", "mat"], ["b", "c", "d", "e", "f"]]
REFERENCES = [[["a", "cat", "is", "on", "the", "mat"]], [["b", "c", "d", "x", "f"], ["b", "c", "d", "e"]]]
DESK = [["i", "have", "a", "pen", "on", "my", "desk"]]
DESKS = [[["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]]]
ROWS = np.array([[1, 3, 4], [2, 4, 2], [0, 1, 1]], np.float32)
SCORES, LABELS = Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), Tensor([1, 0, 1])

# printed by MindSpore 2.10
RECORDED = [
    (train.BleuScore(), (CANDIDATES, REFERENCES), 0.6398166741645538),
    (train.BleuScore(2, True), (DESK, DESKS), 0.9258200997725514),
    (train.CosineSimilarity("cosine", "mean", False), (ROWS,), [0.9504767, 0.9155767, 0.9455836]),
    (train.CosineSimilarity("dot", "sum"), (ROWS,), [29.0, 28.0, 13.0]),
    (train.Perplexity(), (SCORES, LABELS), 2.2314431850023855),
    (train.Perplexity(ignore_label=0), (SCORES, LABELS), 1.8257418694340384),
]


@pytest.mark.parametrize(("metric", "inputs", "expected"), RECORDED)
def test_mindspores_numbers(metric, inputs, expected):
    np.testing.assert_allclose(metric(*inputs), expected, rtol=1e-6)


def test_sentences_accumulate():
    metric = train.BleuScore()
    for candidate, several in zip(CANDIDATES, REFERENCES, strict=True):
        metric.update([candidate], [several])
    assert metric.eval() == pytest.approx(RECORDED[0][2])
    assert train.BleuScore()([["x"]], [[["y"]]]) == 0


test_errors = error_cases(
    (lambda: train.BleuScore(5), ValueError, "from 1 to 4"),
    (lambda: train.BleuScore()(CANDIDATES, REFERENCES[:1]), ValueError, "2 candidates"),
    (lambda: train.BleuScore().eval(), RuntimeError, "update has not been called"),
    (lambda: train.Perplexity("x"), ValueError, "ignore_label"),
    (lambda: train.Perplexity()(SCORES, Tensor([1])), ValueError, "needs probabilities"),
    (lambda: train.CosineSimilarity("sine"), ValueError, "similarity 'sine'"),
    (lambda: train.CosineSimilarity().eval(), RuntimeError, "update has not been called"),
)
