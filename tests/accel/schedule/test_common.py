"""What several steps begin with, computed once."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops, value_and_grad
from minigraph.accel.kernels.table import COMMON
from minigraph.core.errors import RangeError
from minigraph.core.op import TABLE, forward_of
from minigraph.core.types import type_of

RNG = np.random.default_rng(0)
LOGITS = Tensor(RNG.normal(size=(5, 3)).astype(np.float32))
LABELS = Tensor(np.array([0, 2, 1, 1, 0], np.int32))
IGNORED = Tensor(np.array([0, -100, 1, -100, 0], np.int32))


def loss(logits, labels, **attrs):
    return ops.apply("cross_entropy", logits, labels, **attrs)


def names(fn, *args):
    return [step.op.name for step in jit(fn).program(*args).plan.steps if "cross" in step.op.name]


def test_a_loss_and_its_gradient_look_at_the_rows_once():
    found = names(value_and_grad(loss), LOGITS, LABELS)
    assert found == ["cross_entropy_common", "cross_entropy", "cross_entropy_grad"]


def test_one_alone_and_those_that_differ_stay_as_they_are():
    assert names(grad(loss), LOGITS, LABELS) == ["cross_entropy_grad"]
    both = names(lambda x, y: loss(x, y) + loss(x, y, ignore_index=1) + loss(x * 2.0, y), LOGITS, LABELS)
    assert both == ["cross_entropy"] * 3


@pytest.mark.parametrize("labels", [LABELS, IGNORED])
@pytest.mark.parametrize("attrs", [{}, {"reduction": "sum"}, {"label_smoothing": 0.1}, {"ignore_index": 1}])
def test_bits_are_those_of_eager_mode(labels, attrs):
    if attrs == {"ignore_index": 1} and labels is IGNORED:
        labels = LABELS
    both = value_and_grad(lambda x, y: loss(x, y, **attrs))
    want, got = both(LOGITS, labels), jit(both)(LOGITS, labels)
    assert [a.asnumpy().tobytes() for a in got] == [a.asnumpy().tobytes() for a in want]


def test_labels_that_are_no_classes_are_told_as_ever():
    wrong = Tensor(np.array([0, 3, 1, 1, 0], np.int32))
    with pytest.raises(RangeError, match="label 3 for 3 classes"):
        jit(value_and_grad(loss))(LOGITS, wrong)


@pytest.mark.parametrize("op", [op for op in COMMON if TABLE.get(op.name) is op], ids=str)
def test_both_parts_make_the_forward(op):
    for sample in op.samples(np.random.default_rng(0)):
        attrs = op.canonical(*map(type_of, sample.args), **sample.attrs)
        common = COMMON[op]
        made = common.make(*(sample.args[i] for i in common.of), **{name: attrs[name] for name in common.attrs})
        want, got = forward_of(op)(*sample.args, **attrs), common.rest(made, *sample.args, **attrs)
        assert np.asarray(got).tobytes() == np.asarray(want).tobytes()
