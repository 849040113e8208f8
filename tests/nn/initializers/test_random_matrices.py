"""Random matrices."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.common.initializer import Orthogonal, Sparse

rng = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (5, 5), (3, 2, 2, 2)])
def test_rows_or_columns_are_orthogonal(shape):
    found = Orthogonal(2.0).sample(rng, shape).reshape(shape[0], -1)
    short = found if found.shape[0] <= found.shape[1] else found.T
    assert np.allclose(short @ short.T, 4 * np.eye(len(short)))


def test_a_share_of_each_column_is_zero():
    found = Sparse(0.3, 2.0).sample(rng, (10, 400))
    assert ((found == 0).sum(0) == 3).all()
    assert found[found != 0].std() == pytest.approx(2, rel=0.05)
    assert len({tuple(column == 0) for column in found.T}) > 50


@pytest.mark.parametrize(("rule", "shape"), [(Orthogonal(), (3,)), (Sparse(0.5), (3, 3, 3))])
def test_unsupported_shapes_raise(rule, shape):
    with pytest.raises(ms.errors.ShapeError, match=f"^{type(rule).__name__}: it fills 2 dimensions"):
        rule.sample(rng, shape)
