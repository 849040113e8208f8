import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.errors import ModelError
from minigraph.importers import size_limits
from minigraph.importers.size_limits import MAX_TABLE_ELEMENTS, check_count, is_too_large
from minigraph.importers.weights import constant


def test_counts_are_bounded():
    assert check_count(MAX_TABLE_ELEMENTS) == MAX_TABLE_ELEMENTS
    with pytest.raises(ModelError, match="elements are too many"):
        check_count(1 << 62)


def test_a_computed_tensor_may_have_a_part_of_the_memory_and_a_view_any_size(monkeypatch):
    assert size_limits.MAX_BYTES > 1 << 26
    monkeypatch.setattr(size_limits, "MAX_BYTES", 400)
    ones = np.ones(100, np.float32)
    assert not is_too_large(Tensor(ones)) and is_too_large(Tensor(np.ones(101, np.float32)))
    view = constant(np.broadcast_to(ones, (1000, 100)))
    assert view.array.nbytes > 400 and not is_too_large(view)
    assert not is_too_large(Tensor(np.ones((0, 1000), np.float32)))
