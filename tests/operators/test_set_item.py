"""The operator behind ``x[key] = value``; what views see stands in test_inplace.py."""

import numpy as np
import pytest

from minigraph import Tensor, errors, jit
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType, bool_, complex64, float32

X = Tensor(np.zeros((2, 3), np.float32))


def test_the_last_write_counts_and_the_operand_stays_as_it_was():
    # the operand stays as it was
    assert apply("set_item", X, 1, key=(0,)).tolist() == [[1, 1, 1], [0, 0, 0]]
    assert not X.asnumpy().any()
    # of several writes to one place the last one counts
    out = apply("set_item", X, Tensor([[1.0] * 3, [2.0] * 3]), Tensor([0, 0]), key=((1,),))
    assert out.tolist() == [[2, 2, 2], [0, 0, 0]]


def test_a_mask_picks_where_it_is_true_and_is_not_asked_how_often():
    # a mask picks where it is true
    mask = Tensor([True, False])
    assert apply("set_item", X, Tensor([1.0, 2.0, 3.0]), mask, key=((1,),)).tolist() == [[1, 2, 3], [0, 0, 0]]
    assert jit(lambda m: apply("set_item", X, 5.0, m, key=((1,),)))(mask).tolist() == [[5, 5, 5], [0, 0, 0]]
    # a mask is not asked how many places it picks
    types = [X.type, TensorType((1,), float32), TensorType((2, 3), bool_)]
    assert op_named("set_item").types(types, {"key": ((1,),)}) == (X.type,)


@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 1, 3)])
def test_a_value_that_does_not_fill_the_places_is_refused(shape):
    with pytest.raises(errors.ShapeError, match=r"does not fill the picked places, f32\[2,3\]"):
        op_named("set_item").types([X.type, TensorType(shape, float32)], {"key": ((0, 2, 1),)})


def test_complex_numbers_do_not_become_real():
    with pytest.raises(errors.DTypeError, match="Complex64 does not fit into Float32; cast one of them"):
        op_named("set_item").types([X.type, TensorType((), complex64)], {"key": (0,)})
