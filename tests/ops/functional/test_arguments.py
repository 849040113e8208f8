"""Arguments that give one integer per axis."""

import pytest

from minigraph import Tensor, errors
from minigraph.ops.functional.arguments import per_axis


@pytest.mark.parametrize("given", [2, (2,), [2, 2], (2, 2), Tensor([2, 2])])
def test_one_for_all_or_one_each(given):
    assert per_axis("pool", "stride", given, 2) == (2, 2)


@pytest.mark.parametrize("given", [0, 1.5, (1, 2, 3), (1, 0), "ab"])
def test_anything_else_is_refused(given):
    with pytest.raises(errors.ValueArgument, match="pool: stride is a number from 1, or one for each of 2 axes, got"):
        per_axis("pool", "stride", given, 2, 1)
