"""Arguments with one integer per axis."""

import pytest

from minigraph import Tensor, errors
from minigraph.ops.functional.arguments import per_axis


@pytest.mark.parametrize("value", [2, (2,), [2, 2], (2, 2), Tensor([2, 2])])
def test_one_integer_for_all_axes_or_one_each(value):
    assert per_axis("pool", "stride", value, 2) == (2, 2)


@pytest.mark.parametrize("value", [0, 1.5, (1, 2, 3), (1, 0), "ab"])
def test_other_values_raise(value):
    with pytest.raises(
        errors.ArgValueError, match="pool: stride must be an integer >= 1, or one for each of 2 axes, got"
    ):
        per_axis("pool", "stride", value, 2, 1)
