"""The guard of Parameters compares shapes and dtypes, not values."""

import numpy as np

from minigraph import Parameter, Tensor
from minigraph.capture.parameter_types import ParameterTypesGuard, types_of


def test_types_are_shapes_and_dtypes():
    weight = Parameter(Tensor([1.0]), name="w")
    guard = ParameterTypesGuard((weight,), types_of([weight]))
    weight.set_data(Tensor([2.0]))
    assert (guard.holds, guard.description) == (True, "a Parameter's shape or dtype")
    weight.array = weight.array.astype(np.float64)
    assert (guard.holds, guard.description) == (False, "the shape or dtype of Parameter 'w'")
