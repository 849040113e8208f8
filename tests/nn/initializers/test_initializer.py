"""User-defined initializers."""

import numpy as np
import pytest

from minigraph import Tensor, errors, int32, nn
from minigraph.common.initializer import Initializer, initializer


class Descending(Initializer):
    def __init__(self, start):
        super().__init__(start=start)
        self.start = start

    def _initialize(self, arr):
        arr[:] = self.start - np.arange(arr.size).reshape(arr.shape)


def test_a_user_defined_initializer_fills_tensors_layers_and_arrays():
    assert initializer(Descending(3), (2, 2)).asnumpy().tolist() == [[3, 2], [1, 0]]
    assert nn.Dense(2, 1, weight_init=Descending(5)).weight.asnumpy().tolist() == [[5, 4]]
    assert Tensor(shape=(2,), dtype=int32, init=Descending(1)).asnumpy().tolist() == [1, 0]
    # a call fills an existing array
    values = np.ones(3)
    Descending(2)(values)
    assert values.tolist() == [2, 1, 0]


def test_an_initializer_without_initialize_raises():
    class Incomplete(Initializer):
        pass

    with pytest.raises(errors.UsageError, match=r"^Incomplete: an initializer must fill .* define _initialize\(self"):
        initializer(Incomplete(), (2,))
