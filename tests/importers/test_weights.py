import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.errors import ModelError
from minigraph.importers import weights
from minigraph.importers.weights import MAX_TABLE_ELEMENTS, check_count, constant, is_too_large, parameter


def test_arrays_are_shared_not_copied():
    array = np.ones(3, np.float32)
    assert np.shares_memory(parameter(array, "w").array, array) and np.shares_memory(constant(array).array, array)
    assert array.flags.writeable and not constant(array).array.flags.writeable


def test_a_name_may_be_any_text():
    assert [parameter(np.ones(1), name).name for name in ("a.b", "", "<b>\n")] == ["a.b", "unnamed", "<b>\n"]


def test_counts_are_bounded():
    assert check_count(MAX_TABLE_ELEMENTS) == MAX_TABLE_ELEMENTS
    with pytest.raises(ModelError, match="elements are too many"):
        check_count(1 << 62)


def test_a_computed_tensor_may_have_a_part_of_the_memory_and_a_view_any_size(monkeypatch):
    assert weights.MAX_BYTES > 1 << 26
    monkeypatch.setattr(weights, "MAX_BYTES", 400)
    ones = np.ones(100, np.float32)
    assert not is_too_large(Tensor(ones)) and is_too_large(Tensor(np.ones(101, np.float32)))
    view = constant(np.broadcast_to(ones, (1000, 100)))
    assert view.array.nbytes > 400 and not is_too_large(view)
    assert not is_too_large(Tensor(np.ones((0, 1000), np.float32)))
