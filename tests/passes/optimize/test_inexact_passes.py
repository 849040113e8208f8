"""Random programs under inexact passes: equal within the tolerance, with the same printed text and effects."""

import random

import numpy as np
import pytest

from minigraph import Parameter, Tensor, interpret, ops, trace
from minigraph.ir.verify import verify
from passes import PASSES, as_pipeline
from tests.passes.programs import BUILT_IN, EQUIVALENT_FORMS, SHAPE, pass_list

TOLERANCE = 2e-3  # up to 12 steps of 1e-5 each, which products amplify
INEXACT_PASSES = [name for name in BUILT_IN if PASSES[name].tol]


def bounded_program(seed):
    """A random program that also assigns and prints; ``sin`` bounds its values, so that rounding errors stay small."""
    rng = random.Random(seed)
    parameter = Parameter(Tensor(np.zeros(SHAPE, np.float32)), name="p")

    def step(*inputs):
        pool = list(inputs)
        for _ in range(rng.randint(3, 12)):
            pool.append(ops.sin(rng.choice(EQUIVALENT_FORMS)(ops.sin(rng.choice(pool)), rng.choice(pool))))
            if rng.random() < 0.2:
                ops.assign(parameter, rng.choice(pool))
        ops.Print()(ops.round(rng.choice(pool)).shape[0])
        return tuple(rng.choice(pool) for _ in range(2))

    return trace(step, *(Tensor(np.zeros(SHAPE, np.float32)) for _ in range(2)))


def results(graph, seed):
    """Outputs and the Parameter afterwards, for inputs between -1 and 1."""
    rng = np.random.default_rng(seed)
    for parameter in graph.params.values():
        parameter.set_data(Tensor(np.zeros(SHAPE, np.float32)))
    outs = interpret(graph, *(Tensor(rng.uniform(-1, 1, SHAPE).astype(np.float32)) for _ in graph.inputs))
    return [out.array for out in outs] + [np.array(p.array) for p in graph.params.values()]


@pytest.mark.parametrize("seed", range(60))
def test_any_pass_list_stays_within_the_tolerance(seed):
    graph = bounded_program(seed)
    before = results(graph, seed)
    pipeline = pass_list(seed, BUILT_IN)
    for step in (*pipeline.steps, *INEXACT_PASSES):
        as_pipeline([step]).run(graph)
    verify(graph)
    for old, new in zip(before, results(graph, seed), strict=True):
        assert np.allclose(old, new, rtol=TOLERANCE, atol=TOLERANCE), str(pipeline)


def convolution_layer():
    """A layer of a convolutional network, which random programs do not have."""
    images, kernels = Tensor(np.zeros((16, 1, 20, 20), np.float32)), Tensor(np.zeros((2, 1, 5, 5), np.float32))
    return trace(lambda x, w: ops.apply("max_pool2d", ops.relu(ops.apply("conv2d", x, w)), kernel=2), images, kernels)


def weight_gradient():
    """The gradient of a weight that is used transposed, which random programs do not have either."""
    return trace(lambda x, g: (x.mT @ g).mT, *(Tensor(np.zeros(SHAPE, np.float32)) for _ in range(2)))


def test_inexact_passes_exist_and_change_programs():
    assert INEXACT_PASSES
    for name in INEXACT_PASSES:
        graphs = (convolution_layer(), weight_gradient(), *(bounded_program(seed) for seed in range(60)))
        assert any(as_pipeline([name]).run(graph)[-1].changed for graph in graphs), name
