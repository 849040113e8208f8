"""Composite operators as their parts, when kernels may round."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.accel.loops import joined
from minigraph.accel.loops.opened import opened
from minigraph.accel.schedule.plan import planned
from minigraph.core.context import set_context
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType, float32, float64

ROWS = TensorType((4, 8), float32)


@pytest.fixture
def rounding(monkeypatch):
    monkeypatch.setattr(joined, "available", lambda: True)
    set_context(kernel_backend="numba")


def parts(name, *types, **attrs):
    graph = opened(op_named(name), types, attrs)
    return graph and [graph.op(node).name for node in graph if not graph.op(node).is_leaf]


def test_a_softmax_is_five_steps(rounding):
    assert parts("softmax", ROWS, axis=1) == ["max", "sub", "exp", "sum", "div"]


def test_what_loops_cannot_compute_stays_closed(rounding):
    assert parts("gelu", ROWS, approximate="none") is None, "erf is numpy's"
    assert parts("softmax", TensorType((4, 8), float64), axis=1) is None, "polynomials are of float32"
    assert parts("matmul", ROWS, TensorType((8, 4), float32)) is None


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_nothing_is_opened_unless_kernels_may_round(backend, rounding):
    set_context(kernel_backend=backend)
    assert parts("softmax", ROWS, axis=1) is None


def test_parts_of_parts_are_steps_at_the_composites_line(rounding, monkeypatch):
    monkeypatch.setattr(joined, "MAX_UNFUSED_STEPS", 1 << 30)
    monkeypatch.setattr(joined, "MAX_UNFUSED_SMALL_STEPS", 1 << 30)
    tensors = [Tensor(np.ones(shape, np.float32)) for shape in ((4, 8), (8,), (8,))]
    steps = planned(trace(lambda x, gamma, beta: apply("layer_norm", x, gamma, beta), *tensors)).steps
    assert [step.op.name for step in steps] == ["mean", "sub", "mul", "mean", "add", "sqrt", "div", "mul", "add"]
    assert all(step.loc[-1].file.endswith("test_opened.py") for step in steps)
