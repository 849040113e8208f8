"""In-place writes: views have the values that numpy's have, in every mode, and gradients are correct."""

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigraph as ms
from minigraph import Parameter, Tensor, grad, interpret, jit, ops, trace
from minigraph.core.tensor.inplace import MIN_PRUNED_VIEWS, assign_whole, assignment_name
from tests.inspection import to_lists
from tests.tables import cases

VIEWS = {
    "slice": lambda t: t[0:1],
    "row": lambda t: t[1],
    "reversed": lambda t: t[::-1],
    "element": lambda t: t[1, 2],
    "new axis": lambda t: t[None],
    "reshape": lambda t: t.reshape(3, 2),
    "transpose": lambda t: t.transpose((1, 0)),
    "swapaxes": lambda t: t.swapaxes(0, 1),
    "T": lambda t: t.T,
    "every other": lambda t: t[:, ::2],
    "all": lambda t: t[...],
}
COPIES = {"mask": lambda t: t[t > 2], "list": lambda t: t[[0, 1]], "sum": lambda t: t + 0}
KEYS = {
    "int": (0, 7.0),
    "negative": ((-1, -1), 7.0),
    "slice": ((slice(None), slice(0, 2)), [[1.0, 2.0], [3.0, 4.0]]),
    "row broadcast": (slice(None), [1.0, 2.0, 3.0]),
    "step": ((slice(None, None, -1), 0), [5.0, 6.0]),
    "ellipsis": (..., 3),
    "list": ([1, 0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "whole": ((), 2.0),
}


def new_array():
    return np.arange(6.0, dtype=np.float32).reshape(2, 3)


def tensor_of(value):
    return Tensor(value) if isinstance(value, list) else value


def modes(fn):
    return {"eager": fn, "traced": jit(fn, capture_mode="trace"), "translated": jit(fn, capture_mode="ast")}


@pytest.mark.parametrize(("key", "value"), KEYS.values(), ids=KEYS)
def test_a_write_is_numpys(key, value):
    expected = new_array()
    expected[key] = value

    def write(x):
        x[key] = tensor_of(value)
        return x * 1

    for fn in modes(write).values():
        x = Tensor(new_array())
        assert np.array_equal(fn(x).asnumpy(), expected)
        assert np.array_equal(x.asnumpy(), expected), "the caller's tensor is the same one"


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_and_its_base_see_each_others_writes(name):
    view = VIEWS[name]

    def writes_between_view_and_base(t):
        v = view(t)
        v[(0,) * v.ndim] = 99.0
        first = t * 1
        t[1, 2] = 55.0
        return first, v * 1, t * 1

    base = new_array()
    selection = np.asarray(view(base)) if name not in ("reshape", "element") else base.reshape(3, 2)
    if name == "element":
        selection = base[1, 2, ...]
    selection[(0,) * selection.ndim] = 99.0
    first = base.copy()
    base[1, 2] = 55.0
    for mode, fn in modes(writes_between_view_and_base).items():
        t = Tensor(new_array())
        actual = fn(t)
        for tensor, array in zip((*actual, t), (first, selection, base, base), strict=True):
            assert np.array_equal(tensor.asnumpy(), array), mode


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_not_views(copied):
    t = Tensor(new_array())
    duplicate = copied(t)
    duplicate[0] = 99.0
    assert np.array_equal(t.asnumpy(), new_array())
    t[...] = 0.0
    assert (duplicate.asnumpy() != 0).any()


STEPS = st.sampled_from(["slice", "row", "reversed", "new axis", "T", "every other", "all"])


@given(st.lists(STEPS, min_size=1, max_size=4), st.lists(st.integers(0, 4), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_chains_of_views_are_numpys(steps, writes):
    tensors, arrays = [Tensor(new_array())], [new_array()]
    for step in steps:
        has_row = step != "row" or len(arrays[-1]) > 1
        if (arrays[-1].ndim == 2 and has_row) or step in ("new axis", "T", "all"):
            tensors.append(VIEWS[step](tensors[-1]))
            arrays.append(VIEWS[step](arrays[-1]))
    for k, key in enumerate(writes):
        tensor, array = tensors[key % len(tensors)], arrays[key % len(tensors)]
        if array.size:
            tensor[(0,) * array.ndim] = array[(0,) * array.ndim] = float(k)
    for tensor, array in zip(tensors, arrays, strict=True):
        assert np.array_equal(tensor.asnumpy(), array)


def write_result(x):
    y = x * 2
    y[0] = 10.0
    return (y * y).sum()


def write_through_view(x):
    y = x * 2
    v = y[0:1]
    v[0] = 10.0
    return (y * y).sum()


def write_argument(x):
    x[0] = 10.0
    return (x * x).sum()


def write_value(x):
    y = x * 2
    y[0] = x[1] * 3
    return y


def write_by_index(x):
    y = x * 1
    y[Tensor([0, 0])] = x * 3
    return y


def write_operand(x):
    y = x * x
    y[...] = y * x
    return y


def write_saved_result(x):
    y = (x * x).sqrt()
    y[...] = y * 2
    return y


GRADIENTS = {
    write_operand: [3.0, 12.0],
    write_saved_result: [2.0, 2.0],
    write_result: [0.0, 16.0],
    write_through_view: [0.0, 16.0],
    write_argument: [0.0, 4.0],
    write_value: [0.0, 5.0],
    write_by_index: [0.0, 4.0],
}


@pytest.mark.parametrize("fn", GRADIENTS, ids=lambda fn: fn.__name__)
def test_gradients_follow_a_write(fn):
    for gradient in (grad(fn), jit(grad(fn)), grad(jit(fn)), grad(jit(fn, capture_mode="trace"))):
        assert gradient(Tensor([1.0, 2.0])).tolist() == GRADIENTS[fn]


def test_a_second_gradient_follows_a_write():
    def cube(x):
        y = x * x
        y[0] = x[0] ** 3
        return y.sum()

    second = grad(lambda x: grad(cube)(x).sum())
    for gradient in (second, jit(second)):
        assert gradient(Tensor([2.0, 3.0])).tolist() == [12.0, 2.0]


def test_a_gradient_leaves_the_argument_as_the_function_does():
    for gradient in (grad(write_argument), jit(grad(write_argument)), grad(jit(write_argument))):
        x = Tensor([1.0, 2.0])
        gradient(x)
        assert x.tolist() == [10.0, 2.0]


def test_a_parameter_is_written_to():
    w = Parameter(Tensor(new_array()), name="w")

    def write(x):
        w[0] = x
        v = w[1]
        w[1, 0] = 8.0
        v[1] = 9.0
        return w.sum()

    for fn in modes(write).values():
        w.set_data(Tensor(new_array()))
        assert fn(Tensor(7.0)).item() == 7.0 * 3 + 8 + 9 + 5
        assert w.asnumpy().tolist() == [[7, 7, 7], [8, 9, 5]]
    assert assignment_name(w) == "w"
    assert assignment_name(Tensor(1)) == "tensor"


def in_bodies(x):
    y = Tensor([0.0, 0.0, 0.0])
    v = x[0:1]
    if x.sum() > 0:
        x[0] = 100.0
        y[1] = v[0]
    while x.sum() < 300:
        x[1] = x[1] + 50.0
        z = Tensor([0.0])
        z[0] = z[0] + 1
        y[2] = y[2] + z[0]
    return y, v


translated = jit(in_bodies, capture_mode="ast")


@cases(([1, 2, 3], [0, 100, 4], [100], [100, 202, 3]), ([-1, -2, -3], [0, 0, 7], [-1], [-1, 348, -3]))
def test_branches_and_loops_write(start, y, v, x):
    for fn in (translated, in_bodies):
        argument = Tensor(list(map(float, start)))
        assert [out.tolist() for out in fn(argument)] == [y, v]
        assert argument.tolist() == x
    assert translated.cache_info().misses == 1


def test_old_values_stay_copies_are_independent_and_dead_views_are_pruned():
    x, written = Tensor(new_array()), Tensor([1.0, 2.0])
    array, total = written.asnumpy(), written + 0
    written[0] = 5.0
    assert array.tolist() == total.tolist() == [1.0, 2.0]
    for duplicate in (copy.deepcopy(x[0]), pickle.loads(pickle.dumps(x[0])), copy.copy(x[0])):
        duplicate[0] = 5.0
        assert np.array_equal(x.asnumpy(), new_array())
    for _ in range(40 * MIN_PRUNED_VIEWS):
        x[0]
    gc.collect()
    assert len(x.views) <= 2 * MIN_PRUNED_VIEWS


def test_a_whole_tensor_is_assigned_and_a_value_cast_to_the_tensors_dtype():
    x, integers = Tensor(new_array()), Tensor([1, 2, 3])
    assign_whole(x[0], Tensor([9.0, 9.0, 9.0]))
    integers[0] = 2.7
    assert to_lists([x, integers]) == [[[9, 9, 9], [3, 4, 5]], [2, 2, 3]]
    assert integers.dtype is ms.int64


@cases(
    (5, 1.0, IndexError, "index 5 is out of bounds for dimension with size 2"),
    (0, np.ones(3), TypeError, "only support numbers, Tensor, tuple, list as value.*wrap it in Tensor"),
    (0, Tensor(np.ones((2, 3))), ValueError, r"f64\[2,3\] does not fill the selected elements, f32\[3\]"),
    (0, "a", TypeError, "string"),
    (0, Tensor(1j), TypeError, "does not fit into"),
)
def test_an_incompatible_value_is_refused_and_nothing_changes(key, value, error, text):
    x = Tensor(new_array())
    with pytest.raises(error, match=f"(?s){text}"):
        x[key] = value
    assert np.array_equal(x.asnumpy(), new_array())


def test_a_write_to_an_outer_tensor_is_visible_outside_and_inner_tensors_are_created_at_each_call():
    outer = Tensor([1.0, 2.0])

    @jit
    def write(x):
        outer[0] = x
        inner = Tensor([0.0])
        inner[0] = inner[0] + x
        return outer * 1, inner

    for _ in range(3):
        assert to_lists(write(Tensor(5.0))) == ([5.0, 2.0], [5.0])
    assert outer.tolist() == [5.0, 2.0]


def test_a_shared_constant_is_not_written_to():
    shared, x = trace(lambda x: x * 2.0, Tensor(1.0)), ops.full((), 2.0)
    x[()] = 3.0
    assert (to_lists(interpret(shared, Tensor(2.0))), x.item()) == ((4.0,), 3.0)
