"""Input values: types, distributions and simpler arrays."""

import numpy as np
import pytest

from minigraph.core.types import DTYPES, TensorType, bool_, float32, float64, int8, int64, uint8
from passes.validate.input_values import DISTRIBUTIONS, FINITE_DISTRIBUTIONS, SIMPLE_VALUES, draw_values, simpler_arrays


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (4, 5)])
def test_values_have_the_requested_type(dtype, distribution, shape):
    array = draw_values(np.random.default_rng(1), TensorType(shape, dtype), distribution)
    assert isinstance(array, np.ndarray)
    assert (array.shape, array.dtype) == (shape, dtype.numpy)


def test_distributions():
    rng = np.random.default_rng(0)
    type = TensorType((2000,), float64)
    assert set(draw_values(rng, type, "simple")) == set(SIMPLE_VALUES)
    assert (draw_values(rng, type, "positive") > 0).all()
    adversarial = draw_values(rng, type, "adversarial")
    assert np.isnan(adversarial).any() and np.isposinf(adversarial).any() and np.isneginf(adversarial).any()
    assert (np.signbit(adversarial) & (adversarial == 0)).any()
    assert (np.abs(adversarial[np.isfinite(adversarial)]) > 1e20).any()
    assert all(np.isfinite(draw_values(rng, type, distribution)).all() for distribution in FINITE_DISTRIBUTIONS)
    assert "adversarial" not in FINITE_DISTRIBUTIONS


def test_integers_include_the_limits_of_the_dtype_and_stay_in_a_range():
    rng = np.random.default_rng(0)
    assert {-128, 127} <= set(draw_values(rng, TensorType((200,), int8), "adversarial").tolist())
    assert set(draw_values(rng, TensorType((200,), int8), "simple").tolist()) == {-2, -1, 0, 1, 2, 3}
    assert set(draw_values(rng, TensorType((200,), uint8), "simple").tolist()) == {0, 1, 2, 3}
    assert set(draw_values(rng, TensorType((200,), int64), "adversarial", (2, 4)).tolist()) == {2, 3, 4}


def test_simpler_arrays_come_simplest_first_and_differ():
    array = np.array([[0.3, 1.0]], np.float32)
    simpler = simpler_arrays(array)
    assert [c.tolist() for c in simpler[:2]] == [[[0.0, 0.0]], [[1.0, 1.0]]]
    assert np.array([[0.0, 1.0]], np.float32).tobytes() in [c.tobytes() for c in simpler]
    assert all(c.dtype == np.float32 and c.shape == (1, 2) and c.tobytes() != array.tobytes() for c in simpler)


def test_simple_numbers_fit_the_type_and_the_simplest_array_has_no_simpler_one():
    for array, numbers in ((np.ones((), bool_.numpy), {0}), (np.full(2, 7, np.uint8), {0, 1, 2})):
        assert {element for c in simpler_arrays(array) for element in c.reshape(-1).tolist()} - {7} == numbers
    assert simpler_arrays(np.zeros(3, float32.numpy)) == []
    assert [c.tolist() for c in simpler_arrays(np.ones(2))] == [[0.0, 0.0]]
