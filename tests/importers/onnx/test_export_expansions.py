"""Replacements of operators that ONNX lacks compute the same, also at the limits of float32."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.op import TABLE, apply
from minigraph.importers.onnx.export_expansions import EXPANSIONS

SIGNED_INPUTS = np.float32([1e-30, -1e-30, 1e-7, -1e-7, 1e-3, -0.5, 0.0, 3.0, 40.0])


def written_attributes(name, operands, attrs):
    """The attributes as a graph holds them: completed, axes from 0."""
    graph = trace(lambda *xs: apply(name, *xs, **attrs), *operands)
    return graph.attrs(list(graph.topological())[-1])


@pytest.mark.parametrize("name", EXPANSIONS)
def test_an_expansion_equals_its_operator_on_its_samples(name):
    for sample in TABLE[name].samples(np.random.default_rng(0)):
        operands = [Tensor(np.asarray(a)) for a in sample.args]
        if any(operand.dtype.kind == "c" for operand in operands):
            continue  # which to_onnx refuses
        expected = apply(name, *operands, **sample.attrs)
        computed = EXPANSIONS[name](*operands, **written_attributes(name, operands, sample.attrs))
        assert computed.dtype is expected.dtype and computed.shape == expected.shape
        np.testing.assert_allclose(computed.asnumpy(), expected.asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("name", ["expm1", "log1p"])
def test_small_numbers_are_not_cancelled(name):
    computed = EXPANSIONS[name](Tensor(SIGNED_INPUTS)).asnumpy()
    np.testing.assert_allclose(computed, getattr(np, name)(SIGNED_INPUTS.astype(np.float64)), 1e-6)


def test_signs_of_zeros_and_quadrants():
    zeros, ones = Tensor(np.float32([0.0, -0.0, 0.0, -0.0])), Tensor(np.float32([1.0, 1.0, -1.0, -1.0]))
    assert EXPANSIONS["signbit"](zeros).asnumpy().tolist() == [False, True, False, True]
    assert EXPANSIONS["copysign"](ones, zeros).asnumpy().tolist() == [1.0, -1.0, 1.0, -1.0]
    np.testing.assert_allclose(EXPANSIONS["atan2"](zeros, ones).asnumpy(), np.arctan2(zeros.array, ones.array), 1e-6)
