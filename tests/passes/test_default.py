"""The default pipeline as a whole: a training step, in every mode, to the bit."""

from functools import partial

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.core.op import TABLE, apply
from passes import DEFAULT, PASSES
from tests.passes.comparison import keep_bits, optimize_exactly
from tests.passes.small_graphs import labels


def test_it_consists_of_registered_passes():
    assert all(PASSES[step.name] is step for step in DEFAULT)


def layer(x, w, b):
    """A dense layer with matches for many passes."""
    h = ops.relu(x @ w + b)
    return ops.tanh(h * 1 + (h - 0) * 2.0) / 1


def test_an_optimised_layer_equals_eager_to_the_bit():
    rng = np.random.default_rng(0)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    for _ in range(20):
        arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((2, 3), (3, 4), (4,))]
        arrays[0].flat[rng.integers(6)] = rng.choice(special)
        graph = optimize_exactly("default", layer, *map(Tensor, arrays))
        assert labels(graph) == ["MatMulBiasRelu", "elementwise"] and len(graph) == 5


@pytest.mark.parametrize(("auto_depend", "tied"), [(True, True), (True, False), (False, True), (False, False)])
def test_an_update_with_a_depend_is_never_lost_and_one_without_only_without_auto_depend(auto_depend, tied):
    w = Parameter(Tensor([1.0, 2.0]), name="w")

    @jit(auto_depend=auto_depend)
    def step(x):
        updated = ops.assign(w, w - x)
        return ops.depend(x * x, updated) if tied else x * x

    step(Tensor([0.5, 0.5]))
    assert w.asnumpy().tolist() == ([0.5, 1.5] if auto_depend or tied else [1.0, 2.0])


PURE = [op for op in TABLE.values() if op.samples and op.role == "compute" and not op.effects]


@pytest.mark.parametrize("op", PURE, ids=str)
def test_every_operator_keeps_its_bits(op):
    for sample in op.samples(np.random.default_rng(1)):
        inputs = [Tensor(np.asarray(array)) for array in sample.args]

        def call(*args, op=op, attrs=sample.attrs):
            return apply(op, *args, **attrs), apply(op, *args, **attrs)

        graph = trace(call, *inputs)
        keep_bits("default", graph, *inputs)
        assert len([n for n in graph if graph.op(n) is op]) <= 1


def test_constants_go_through_every_operator_unchanged():
    """The same with constant operands: constant folding gives the same bits."""
    rng = np.random.default_rng(2)
    for op in PURE:
        for sample in op.samples(rng):
            constants = [Tensor(np.asarray(array)) for array in sample.args]
            keep_bits("default", trace(partial(apply, op, *constants, **sample.attrs)))
