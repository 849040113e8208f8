"""Cross entropy of labels that are all classes: the bits of the operators' own forwards, also for other labels."""

import numpy as np
import pytest

from minigraph.accel.kernels import losses
from minigraph.errors import RangeError
from minigraph.operators.losses import CROSS_ENTROPY, CROSS_ENTROPY_GRAD, REDUCTIONS
from tests.tables import every

RNG = np.random.default_rng(0)
LABELS = {
    "classes": np.array([0, 2, 1, 1]), "narrow": np.array([0, 2, 1, 1], np.int32), "ignored": np.array([0, -100, 2, 1]),
    "pixels": np.array([[0, 1], [2, 2]]), "none": np.zeros(0, int),
}  # fmt: skip


@every(reduction=REDUCTIONS, smoothing=[0.0, 0.1], ignore_index=[-100, 1], labels=LABELS, dtype=["f2", "f4", "f8"])
def test_the_bits_are_the_references(labels, reduction, smoothing, ignore_index, dtype):
    if labels == "none" and reduction == "mean":
        return  # 0 / 0
    labels = LABELS[labels]
    logits = RNG.normal(size=(len(labels), 3, *labels.shape[1:])).astype(dtype)
    attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": smoothing}
    if ignore_index == 1 and (labels == -100).any():
        with pytest.raises(RangeError, match="label -100 for 3 classes"):
            losses.cross_entropy(logits, labels, **attrs)
        with pytest.raises(RangeError, match="label -100 for 3 classes"):
            losses.cross_entropy_grad(np.ones((), dtype), logits, labels, **attrs)
        return
    loss = CROSS_ENTROPY.forward(logits, labels, **attrs)
    assert losses.cross_entropy(logits, labels, **attrs).tobytes() == loss.tobytes()
    g = np.asarray(RNG.normal(size=loss.shape)).astype(dtype)
    grad = CROSS_ENTROPY_GRAD.forward(g, logits, labels, **attrs)
    assert losses.cross_entropy_grad(g, logits, labels, **attrs).tobytes() == grad.tobytes()
    out = np.empty_like(grad)
    assert losses.cross_entropy_grad(g, logits, labels, **attrs, out=out) is out and out.tobytes() == grad.tobytes()
