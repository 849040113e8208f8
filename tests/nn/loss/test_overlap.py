"""DiceLoss, MultiClassDiceLoss and FocalLoss: numbers recorded from MindSpore 2.10, and errors."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, nn
from tests.tables import error_cases

rng = np.random.RandomState(0)
A, B = Tensor(rng.randn(2, 3).astype(np.float32)), Tensor(rng.rand(2, 3).astype(np.float32))
WEIGHTS = Tensor(rng.rand(3, 1).astype(np.float32))
LOGITS = Tensor(rng.randn(2, 3, 2).astype(np.float32))
CLASSES = Tensor(rng.randint(0, 3, (2, 1, 2)).astype(np.int32))
MASKS = Tensor(rng.randint(0, 3, (2, 3, 2)).astype(np.int32))


def test_mindspores_numbers():
    for loss, expected in DICE:
        np.testing.assert_allclose(loss(A, B).asnumpy(), expected, rtol=1e-5)
    for loss, labels, expected in FOCAL:
        np.testing.assert_allclose(loss(LOGITS, labels).asnumpy(), expected, rtol=1e-4)


DICE = [
    (nn.DiceLoss(), 0.5327575),
    (nn.DiceLoss(smooth=0.5), 0.5463688),
    (nn.MultiClassDiceLoss(), 0.3596073),
    (nn.MultiClassDiceLoss(WEIGHTS, 1, "sigmoid"), [0.0462032]),
]
FOCAL = [
    (nn.FocalLoss(), CLASSES, 0.9200882),
    (nn.FocalLoss(), MASKS, 0.7711626),
    (nn.FocalLoss(Tensor([1.0, 2.0, 3.0]), 1.0, "sum"), CLASSES, 5.3053669),
    (nn.FocalLoss(Tensor([1.0, 2.0, 3.0]), 1.0, "sum"), MASKS, 15.8445310),
    (nn.FocalLoss(reduction="none"), CLASSES, [0.8584501, 0.9817262]),
    (nn.FocalLoss(reduction="none"), MASKS, [[0.0, 0.4106385, 0.9280255], [0.2038749, 0.0904495, 2.9939878]]),
]

test_errors = error_cases(
    (lambda: nn.DiceLoss()(A, A[:1]), ValueError, "label_shape"),
    (lambda: nn.DiceLoss(smooth=1), TypeError, "smooth"),
    (lambda: nn.MultiClassDiceLoss(weights=3), TypeError, "weights"),
    (lambda: nn.FocalLoss(weight=3), TypeError, "weight"),
    (lambda: nn.FocalLoss(reduction="x"), ValueError, "reduction"),
    (lambda: nn.FocalLoss()(LOGITS, Tensor([1, 2], ms.int32)), ValueError, "do not fit"),
)
