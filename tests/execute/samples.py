"""Sample calls of kernels, and the requirements on kernels that write in place."""

import numpy as np
import pytest

from minigraph.core.types import type_of


def samples_of(op, seed=0):
    """Rows of a table: an operator, and the operands and attributes of a call."""
    for i, sample in enumerate(op.samples(np.random.default_rng(seed)) if op.samples else ()):
        attrs = op.canonical(*map(type_of, sample.args), **sample.attrs) if op.canonical else sample.attrs
        yield pytest.param(op, sample.args, attrs, id=f"{op}-{i}")


def check_in_place(op, args, attrs):
    """Check that an operator's result is the same when it is written in place on any operand."""
    expected = np.asarray(op.forward(*args, **attrs))
    for i, arg in enumerate(args):
        if arg.shape != expected.shape or arg.itemsize != expected.itemsize:
            continue
        block = np.frombuffer(bytearray(arg.tobytes()), arg.dtype).reshape(arg.shape)
        out = block.view(expected.dtype)
        operands = [block if j == i else other for j, other in enumerate(args)]
        assert np.asarray(op.forward(*operands, out=out, **attrs)).tobytes() == expected.tobytes()
