"""The operator behind ``x[key] = value``; test_inplace.py has the tests of views."""

import numpy as np
import pytest

from minigraph import Tensor, errors, jit
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType, bool_, complex64, float32

X = Tensor(np.zeros((2, 3), np.float32))


def test_the_last_write_wins_and_the_operand_is_unchanged():
    # the operand is unchanged
    assert apply("set_item", X, 1, key=(0,)).tolist() == [[1, 1, 1], [0, 0, 0]]
    assert not X.asnumpy().any()
    # the last of several writes to an element wins
    out = apply("set_item", X, Tensor([[1.0] * 3, [2.0] * 3]), Tensor([0, 0]), key=((1,),))
    assert out.tolist() == [[2, 2, 2], [0, 0, 0]]


def test_a_mask_selects_where_it_is_true_for_any_number_of_elements():
    # a mask selects where it is true
    mask = Tensor([True, False])
    assert apply("set_item", X, Tensor([1.0, 2.0, 3.0]), mask, key=((1,),)).tolist() == [[1, 2, 3], [0, 0, 0]]
    assert jit(lambda m: apply("set_item", X, 5.0, m, key=((1,),)))(mask).tolist() == [[5, 5, 5], [0, 0, 0]]
    # inference does not need the number of selected elements
    types = [X.type, TensorType((1,), float32), TensorType((2, 3), bool_)]
    assert op_named("set_item").types(types, {"key": ((1,),)}) == (X.type,)


@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 1, 3)])
def test_a_value_that_does_not_broadcast_is_refused(shape):
    with pytest.raises(errors.ShapeError, match=r"does not fill the selected elements, f32\[2,3\]"):
        op_named("set_item").types([X.type, TensorType(shape, float32)], {"key": ((0, 2, 1),)})


def test_complex_numbers_do_not_become_real():
    with pytest.raises(errors.DTypeError, match="Complex64 does not fit into Float32; cast one of them"):
        op_named("set_item").types([X.type, TensorType((), complex64)], {"key": (0,)})
