"""Forms: one object for arrays that are alike, forgotten with the array, and never of another one."""

import copy
import pickle

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops
from minigraph.accel import array_forms as forms
from minigraph.accel.array_forms import form_of
from minigraph.core.tensor.tensor import give
from tests.tables import cases


def made(*shape, dtype=np.float32):
    return Tensor.from_numpy(np.ones(shape, dtype))


def test_arrays_of_one_shape_order_and_dtype_have_one_form():
    assert form_of(made(2, 3)) is form_of(made(2, 3))
    others = [made(3, 2), made(2, 3, dtype=np.float64), Tensor.from_numpy(np.ones((3, 2), np.float32).T)]
    assert len({id(form_of(tensor)) for tensor in [made(2, 3), *others]}) == 4


@cases(
    pytest.param(np.ones((2, 3)), True, True, id="in C order"),
    pytest.param(np.ones((2, 3)).T, False, False, id="in another order"),
    pytest.param(np.ones(()), True, False, id="a number"),
)
def test_a_form_says_how_elements_lie(array, ordered, plain):
    form = form_of(Tensor.from_numpy(array))
    assert (form.ordered, form.plain, form.shape, form.dtype) == (ordered, plain, array.shape, array.dtype)
    assert repr(form) == f"<form float64{list(array.shape)}, strides {list(array.strides)}>"


def test_a_tensor_remembers_its_form_until_it_is_given_another_array():
    x = made(2)
    assert x.form is None
    assert x.form is not form_of(x) is x.form
    give(x, np.ones(3, np.float32))
    assert x.form is None and form_of(x).shape == (3,)


def test_results_come_with_their_form():
    x, row = made(2, 3), made(3)
    for _ in range(2):
        for out in (x + x, x * row, x * 2.0, -x, x.sum(0), x.T, x < row, made() + made(), x.T + x.T):
            known = out.form
            assert known is None or known is form_of(Tensor.from_numpy(out.array))
    assert (x + x).form is (x * row).form is (-x).form is form_of(x)


def test_what_is_assigned_may_be_of_another_form():
    weight = Parameter(made(2, 2))
    _ = weight * weight
    ops.assign(weight, Tensor.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32).T))
    assert (weight * weight).tolist() == [[1.0, 9.0], [4.0, 16.0]]
    weight.set_data(made(3), slice_shape=True)
    assert (weight + weight).shape == (3,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_who_changes_the_shape_of_a_shared_array_leaves_the_tensor_alone():
    given = np.ones((2, 2), np.float32)
    x = Tensor.from_numpy(given)
    _ = x + x
    for array in (given, x.asnumpy(), x.numpy()):
        array.shape = (4,)
        array[0] += 1.0
    assert (x + x).tolist() == [[8.0, 2.0], [2.0, 2.0]]


def test_copies_find_their_form_themselves():
    x = made(2)
    _ = x + x
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.form is None
        assert (other + x).form is form_of(x)


def test_so_many_forms_are_known_and_no_more(monkeypatch):
    monkeypatch.setattr(forms, "KEPT", 3)
    monkeypatch.setattr(forms, "_forms", {})
    for size in range(1, 8):
        x = made(size)
        assert (x + x).tolist() == [2.0] * size
        assert len(forms._forms) <= 3
