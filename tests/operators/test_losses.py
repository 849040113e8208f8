"""Cross entropy against its formula; one-hot vectors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float32, grad, int32
from minigraph.core.op import apply
from tests.tables import error_cases, every

RNG = np.random.default_rng(0)
LOGITS, LABELS = RNG.normal(size=(5, 4)), np.array([0, 3, 1, -100, 2])


def by_formula(reduction, smoothing=0.0):
    logs = LOGITS - np.log(np.exp(LOGITS).sum(1, keepdims=True))
    rows = [
        -(1 - smoothing) * logs[i, label] - smoothing * logs[i].mean() if label != -100 else 0.0
        for i, label in enumerate(LABELS)
    ]
    return {"none": np.array(rows), "sum": np.sum(rows), "mean": np.sum(rows) / 4}[reduction]


@every(smoothing=[0.0, 0.3], reduction=["none", "sum", "mean"])
def test_values(reduction, smoothing):
    attrs = {"reduction": reduction, "label_smoothing": smoothing}
    result = apply("cross_entropy", Tensor(LOGITS), Tensor(LABELS), **attrs)
    np.testing.assert_allclose(result.array, by_formula(reduction, smoothing), rtol=1e-12)


def test_ignored_rows_and_invalid_classes():
    # an ignored row has no gradient
    gradient = grad(lambda x: apply("cross_entropy", x, Tensor(LABELS)))(Tensor(LOGITS)).array
    assert not gradient[3].any()
    np.testing.assert_allclose(gradient.sum(1), 0, atol=1e-15)
    # all rows ignored has no mean
    assert np.isnan(apply("cross_entropy", Tensor(LOGITS), Tensor(np.full(5, -100))).item())
    # an impossible class has no effect unless it is the label
    logits = Tensor([[0.0, -np.inf]], float32)
    assert apply("cross_entropy", logits, Tensor([0])).item() == 0.0
    assert apply("cross_entropy", logits, Tensor([1])).item() == np.inf


test_errors = error_cases(
    (np.array([0, 3, 1, 4, 2]), {}, errors.RangeError, "label 4 for 4 classes"),
    (np.array([0, 3, 1, -1, 2]), {}, errors.RangeError, "label -1 for 4 classes"),
    (np.zeros(4, int), {}, errors.ShapeError, r"labels of shape \[4\] for logits \[5, 4\]"),
    (np.zeros(5), {}, errors.DTypeError, "labels are integers, got Float64"),
    (LABELS, {"reduction": "average"}, errors.UsageError, "one of none, mean, sum"),
    by=lambda labels, attrs: apply("cross_entropy", Tensor(LOGITS), Tensor(labels), **attrs),
)


def test_one_hot():
    result = apply("one_hot", Tensor([0, 2, 5]), depth=3, dtype=int32)
    assert (result.dtype, result.tolist()) == (int32, [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    assert apply("one_hot", Tensor([[1]]), depth=2, axis=0).shape == (2, 1, 1)
    with pytest.raises(errors.DTypeError, match="one_hot: needs integer"):
        apply("one_hot", Tensor([0.0]), depth=2)


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_the_gradient_alone_checks_labels_too(wrapped, smoothing):
    def loss(x):
        return apply("cross_entropy", x, Tensor([1, 9]), label_smoothing=smoothing)

    with pytest.raises(errors.RangeError, match="cross_entropy: label 9 for 4 classes"):
        wrapped(grad(loss))(Tensor(LOGITS[:2]))
