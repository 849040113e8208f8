"""Random matrices."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.common.initializer import Orthogonal, Sparse

rng = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (5, 5), (3, 2, 2, 2)])
def test_rows_or_columns_are_orthogonal(shape):
    result = Orthogonal(2.0).sample(rng, shape).reshape(shape[0], -1)
    short = result if result.shape[0] <= result.shape[1] else result.T
    assert np.allclose(short @ short.T, 4 * np.eye(len(short)))


def test_a_share_of_each_column_is_zero():
    result = Sparse(0.3, 2.0).sample(rng, (10, 400))
    assert ((result == 0).sum(0) == 3).all()
    assert result[result != 0].std() == pytest.approx(2, rel=0.05)
    assert len({tuple(column == 0) for column in result.T}) > 50


@pytest.mark.parametrize(("rule", "shape"), [(Orthogonal(), (3,)), (Sparse(0.5), (3, 3, 3))])
def test_unsupported_shapes_raise(rule, shape):
    with pytest.raises(ms.errors.ShapeError, match=f"^{type(rule).__name__}: supports 2 dimensions"):
        rule.sample(rng, shape)
