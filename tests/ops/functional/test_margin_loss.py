"""Margin losses against their formulas and loops, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest
from scipy.special import expit

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import check_function, check_gradient, in_both_modes
from tests.tables import error_cases, every

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4, 3)).astype(np.float32), RNG.normal(size=(4, 3)).astype(np.float32)
P = expit(Y)
SIGNS = np.sign(Y)
COSINE = (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1)
ELEMENTWISE = [
    (ops.margin_ranking_loss, (X, Y, SIGNS), np.maximum(-SIGNS * (X - Y), 0)),
    (ops.hinge_embedding_loss, (X, SIGNS), np.where(SIGNS == 1, X, np.maximum(1 - X, 0))),
    (ops.soft_margin_loss, (X, SIGNS), np.log1p(np.exp(-SIGNS * X))),
    (ops.cosine_embedding_loss, (X, Y, np.array([1, -1, 1, -1])), np.where([1, 0, 1, 0], 1 - COSINE, COSINE.clip(0))),
    (ops.triplet_margin_loss, (X, Y, P), np.maximum(
        np.linalg.norm(X - Y + 1e-6, axis=1) - np.linalg.norm(X - P + 1e-6, axis=1) + 1, 0)),
]  # fmt: skip
REDUCTION_FUNCTIONS = {"none": lambda x: x, "sum": np.sum, "mean": np.mean}


of_elements = pytest.mark.parametrize(
    ("fn", "args", "expected"), ELEMENTWISE, ids=lambda part: getattr(part, "__name__", "")
)


@every(reduction=REDUCTION_FUNCTIONS)
@of_elements
def test_values(fn, args, expected, reduction):
    result = in_both_modes(lambda *tensors: fn(*tensors, reduction=reduction), *map(Tensor, args))
    np.testing.assert_allclose(result, REDUCTION_FUNCTIONS[reduction](expected), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(("fn", "args"), [(fn, args) for fn, args, _ in ELEMENTWISE])
def test_gradients(fn, args):
    check_gradient(lambda x: fn(x, *(Tensor(arg.astype(np.float64)) for arg in args[1:]), reduction="none"), args[0])


def test_swapped_triplets_and_cosines():
    x, y = Tensor(X), Tensor(Y)
    swapped = ops.triplet_margin_loss(x, y, Tensor(P), swap=True, reduction="none")
    near = np.linalg.norm(X - Y + 1e-6, axis=1)
    far = np.minimum(np.linalg.norm(X - P + 1e-6, axis=1), np.linalg.norm(Y - P + 1e-6, axis=1))
    np.testing.assert_allclose(swapped.asnumpy(), np.maximum(near - far + 1, 0), rtol=1e-4)
    np.testing.assert_allclose(ops.cosine_similarity(x, y).asnumpy(), COSINE, rtol=1e-4)


RANDOM = np.random.default_rng(8)
SCORES = RANDOM.standard_normal((3, 4))
CLASSES = np.array([1, 3, 0], np.int32)
WEIGHTS = np.array([1.0, 2.0, 0.5, 3.0])
SEVERAL = np.array([[1, 2, -1, 0], [0, -1, 3, 1], [3, 2, 1, 0]], np.int32)
REDUCE = {"none": lambda rows: rows, "mean": np.mean, "sum": np.sum}


@every(reduction=REDUCE)
@pytest.mark.parametrize(("p", "margin", "weight"), [(1, 1, None), (2, 1, None), (2, 0.5, WEIGHTS)])
def test_multi_margin_loss(reduction, p, margin, weight):
    rows = []
    for row, own in zip(SCORES, CLASSES, strict=True):
        short = [max(0, margin - row[own] + row[j]) ** p for j in range(4) if j != own]
        rows.append(sum(short) * (1 if weight is None else weight[own]) / 4)
    tensor = None if weight is None else Tensor(weight)
    call = partial(
        ops.multi_margin_loss, target=Tensor(CLASSES), p=p, margin=margin, weight=tensor, reduction=reduction
    )
    check_function(call, REDUCE[reduction](np.array(rows)), SCORES)


@every(reduction=REDUCE)
def test_multilabel_margin_loss(reduction):
    rows = []
    for row, targets in zip(SCORES, SEVERAL.tolist(), strict=True):
        own = targets[: targets.index(-1)] if -1 in targets else targets
        rows.append(sum(max(0, 1 - row[i] + row[j]) for i in own for j in range(4) if j not in own) / 4)
    reference = REDUCE[reduction](np.array(rows))
    check_function(lambda x: ops.multilabel_margin_loss(x, Tensor(SEVERAL), reduction), reference, SCORES)
    assert ops.multilabel_margin_loss(Tensor(SCORES[0]), Tensor(SEVERAL[0])).item() == pytest.approx(rows[0])


@every(weight=[None, WEIGHTS])
def test_multilabel_soft_margin_loss(weight):
    target = (RANDOM.random((3, 4)) > 0.5).astype(float)
    chance = 1 / (1 + np.exp(-SCORES))
    each = -(target * np.log(chance) + (1 - target) * np.log(1 - chance)) * (1 if weight is None else weight)
    tensor = None if weight is None else Tensor(weight)
    check_function(lambda x, t: ops.multilabel_soft_margin_loss(x, t, tensor), each.mean(), SCORES, target)


test_errors = error_cases(
    (lambda: ops.multi_margin_loss(Tensor(SCORES[0]), Tensor(CLASSES)), "multi_margin_loss: needs scores"),
    (lambda: ops.multilabel_margin_loss(Tensor(SCORES), Tensor(CLASSES)), "multilabel_margin_loss: needs scores"),
    error=errors.ShapeError,
)
