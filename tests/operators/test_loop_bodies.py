import pytest

from minigraph import Tensor, jit, ops
from minigraph.core.types import float32, int64
from minigraph.operators.loop_bodies import constant_dtype
from tests.tables import cases


@cases((1, int64), (1.0, float32), (Tensor([1.0]), float32))
def test_numbers_have_the_default_dtype(leaf, dtype):
    assert constant_dtype(leaf) is dtype


def test_a_body_that_changes_the_structure_of_its_value_is_refused():
    @jit(fullgraph=True)
    def fn(x):
        return ops.while_loop(lambda v: v[0].sum() < 3, lambda v: (v[0] + 1, v[0]), (x,))

    with pytest.raises(TypeError, match="changes its structure between iterations"):
        fn(Tensor([0.0]))
