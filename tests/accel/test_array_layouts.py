"""Array layouts: interned, cached with a tensor's array, and dropped with it."""

import copy
import pickle

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops
from minigraph.accel import array_layouts
from minigraph.accel.array_layouts import layout_of
from minigraph.core.tensor.tensor import set_array
from tests.tables import cases


def ones(*shape, dtype=np.float32):
    return Tensor.from_numpy(np.ones(shape, dtype))


def test_arrays_of_one_shape_strides_and_dtype_have_one_layout():
    assert layout_of(ones(2, 3)) is layout_of(ones(2, 3))
    others = [ones(3, 2), ones(2, 3, dtype=np.float64), Tensor.from_numpy(np.ones((3, 2), np.float32).T)]
    assert len({id(layout_of(tensor)) for tensor in [ones(2, 3), *others]}) == 4


@cases(
    pytest.param(np.ones((2, 3)), True, True, id="in C order"),
    pytest.param(np.ones((2, 3)).T, False, False, id="in another order"),
    pytest.param(np.ones(()), True, False, id="a number"),
)
def test_a_layout_has_the_flags_shape_and_dtype_of_its_array(array, contiguous, contiguous_nd):
    layout = layout_of(Tensor.from_numpy(array))
    assert (layout.c_contiguous, layout.c_contiguous_nd) == (contiguous, contiguous_nd)
    assert (layout.shape, layout.dtype) == (array.shape, array.dtype)
    assert repr(layout) == f"<layout float64{list(array.shape)}, strides {list(array.strides)}>"


def test_a_tensor_caches_its_layout_until_it_gets_another_array():
    x = ones(2)
    assert x.array_layout is None
    assert x.array_layout is not layout_of(x) is x.array_layout
    set_array(x, np.ones(3, np.float32))
    assert x.array_layout is None and layout_of(x).shape == (3,)


def test_results_have_their_layout_cached():
    x, row = ones(2, 3), ones(3)
    for _ in range(2):
        for out in (x + x, x * row, x * 2.0, -x, x.sum(0), x.T, x < row, ones() + ones(), x.T + x.T):
            assert out.array_layout is None or out.array_layout is layout_of(Tensor.from_numpy(out.array))
    assert (x + x).array_layout is (x * row).array_layout is (-x).array_layout is layout_of(x)


def test_an_assigned_value_may_have_another_layout():
    weight = Parameter(ones(2, 2))
    _ = weight * weight
    ops.assign(weight, Tensor.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32).T))
    assert (weight * weight).tolist() == [[1.0, 9.0], [4.0, 16.0]]
    weight.set_data(ones(3), slice_shape=True)
    assert (weight + weight).shape == (3,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_changing_the_shape_of_a_shared_array_leaves_the_tensor_unchanged():
    shared = np.ones((2, 2), np.float32)
    x = Tensor.from_numpy(shared)
    _ = x + x
    for array in (shared, x.asnumpy(), x.numpy()):
        array.shape = (4,)
        array[0] += 1.0
    assert (x + x).tolist() == [[8.0, 2.0], [2.0, 2.0]]


def test_copies_do_not_copy_the_cached_layout():
    x = ones(2)
    _ = x + x
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.array_layout is None
        assert (other + x).array_layout is layout_of(x)


def test_the_table_of_layouts_is_bounded(monkeypatch):
    monkeypatch.setattr(array_layouts, "MAX_LAYOUTS", 3)
    monkeypatch.setattr(array_layouts, "_layouts", {})
    for size in range(1, 8):
        x = ones(size)
        assert (x + x).tolist() == [2.0] * size
        assert len(array_layouts._layouts) <= 3
