"""Markers without effect, and their errors."""

import pytest

from minigraph import Tensor, jit, jit_class, mutable


@jit_class
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def test_marked_classes_and_mutable_tensors_in_captured_code():
    # objects of a marked class are used in captured code
    @jit
    def run(x):
        return Scale(3)(x)

    assert run(Tensor([1.0, 2.0])).tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="Decorator jit_class can only be used for class type, but got 3."):
        jit_class(3)

    # mutable tensors are inputs
    @jit
    def total(pair):
        return pair[0] + pair[1]

    for first in (1.0, 5.0):
        assert total(mutable((Tensor(first), Tensor(2.0)))).item() == first + 2.0
    assert len(total.cache_info().reasons) == 1


@pytest.mark.parametrize("value", [3, 2.5, True, (1, 2), [1], {"a": 1}])
def test_mutable_returns_its_value(value):
    assert mutable(value) is value


def test_immutable_values_raise():
    with pytest.raises(TypeError, match="For 'mutable', the 'input_data' should be one of .*, but got str: x."):
        mutable("x")
