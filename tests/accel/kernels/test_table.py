"""The tuned kernels of operators: which have them, and that kernels without checks give the same bits."""

import numpy as np
import pytest

from minigraph.accel.kernels.table import FORWARDS, KERNELS
from minigraph.core.op import TABLE, Op, forward_of
from minigraph.core.types import type_of


def test_operators_of_users_have_their_own_forward():
    op = Op("mine", lambda x: x, lambda x: x)
    assert forward_of(op) is op.forward


@pytest.mark.parametrize("op", FORWARDS, ids=str)
def test_tuned_kernels_belong_to_operators_of_the_table(op):
    assert TABLE[op.name] is op
    assert forward_of(op) is FORWARDS[op]


def samples_with_kernels():
    for op in TABLE.values():
        for i, sample in enumerate(op.samples(np.random.default_rng(0)) if op in KERNELS and op.samples else ()):
            attrs = op.canonical(*map(type_of, sample.args), **sample.attrs) if op.canonical else sample.attrs
            kernel = KERNELS[op](*sample.args, **attrs)
            if kernel is not None:
                yield pytest.param(op, kernel, sample.args, attrs, id=f"{op}-{i}")


@pytest.mark.parametrize(("op", "kernel", "args", "attrs"), [*samples_with_kernels()])
def test_a_kernel_gives_the_bits_of_the_forward(op, kernel, args, attrs):
    expected = forward_of(op)(*args, **attrs)
    assert np.asarray(kernel(*args)).tobytes() == np.asarray(expected).tobytes()
    if op.into and not op.view:
        out = np.empty(expected.shape, expected.dtype)
        assert kernel(*args, out) is out if kernel is np.ndarray.dot else kernel(*args, out=out) is out
        assert out.tobytes() == np.asarray(expected).tobytes()
