"""Primitives of sizes, orders, places and random numbers: what only they do."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, int32, int64, jit, ops, set_seed
from minigraph.ops.operations import places
from tests.ops.functional.ways import both_ways, check_function
from tests.tables import cases, every

X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_sizes_are_python_numbers_in_both_modes():
    for fn in (ops.Shape(), ops.Size(), ops.Rank()):
        eager = fn(Tensor(X))
        found = jit(lambda x, fn=fn: x * (fn(x) if isinstance(fn(x), int) else sum(fn(x))))(Tensor(X))
        np.testing.assert_allclose(found.asnumpy(), X * (eager if isinstance(eager, int) else sum(eager)))
    assert (ops.Shape()(Tensor(X)), ops.Size()(Tensor(X)), ops.Rank()(Tensor(X))) == ((2, 3), 6, 2)


def test_new_tensors_and_taking_apart():
    # new tensors
    assert ops.Fill()(int32, (2,), 3).tolist() == [3, 3]
    assert ops.FillV2()((2,), Tensor(1.5)).tolist() == [1.5, 1.5]
    assert ops.FillV2()(Tensor([2]), Tensor(7)).tolist() == [7, 7]
    assert ops.Eye()(2, 3, float32).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ops.Range()(Tensor(1), Tensor(6), Tensor(2)).tolist() == [1, 3, 5]
    assert ops.InvertPermutation()((2, 0, 1)) == (1, 2, 0)
    assert [one.shape for one in ops.Meshgrid(indexing="ij")((Tensor([1, 2]), Tensor([3])))] == [(2, 1)] * 2
    # taking apart
    pieces = both_ways(lambda x: ops.Split(axis=1, output_num=3)(x), Tensor(X))
    np.testing.assert_array_equal(np.concatenate(pieces, 1), X)
    for kind in (ops.Unstack, ops.Unpack):
        np.testing.assert_array_equal(np.stack(both_ways(kind(axis=-1), Tensor(X)), -1), X)
    padded = both_ways(ops.Pad(((1, 0), (0, 2))), Tensor(X))
    np.testing.assert_array_equal(padded, np.pad(X, ((1, 0), (0, 2))))


@every(reverse=[False, True], exclusive=[False, True])
@cases((ops.CumSum, np.cumsum, 0.0), (ops.CumProd, np.cumprod, 1.0))
def test_running_totals(exclusive, reverse, kind, fold, none):
    turned = X[:, ::-1] if reverse else X
    if exclusive:
        turned = np.concatenate([np.full((2, 1), none), turned[:, :-1]], 1)
    wanted = fold(turned, 1)[:, ::-1] if reverse else fold(turned, 1)
    check_function(lambda x: kind(exclusive=exclusive, reverse=reverse)(x, 1), wanted, X, rtol=1e-7)


def test_orders_and_slices_added_in_place():
    # orders
    found, values = both_ways(ops.ArgMaxWithValue(axis=1), Tensor(X))
    assert (found.tolist(), values.tolist()) == ([0, 1], [3, 4])
    found, values = both_ways(ops.ArgMinWithValue(axis=0, keep_dims=True), Tensor(X))
    assert (found.tolist(), values.tolist()) == ([[1, 0, 1]], [[0.5, -1, -2]])
    assert ops.Argmax(axis=0, output_type=int64)(Tensor(X)).dtype is int64
    assert ops.Argmin()(Tensor(X)).dtype is int32
    assert ops.SearchSorted(right=True)(Tensor([1.0, 2.0]), Tensor([2.0])).tolist() == [2]
    # slices are added in place
    weight = Parameter(Tensor(X), name="weight")
    ops.IndexAdd(axis=1)(weight, Tensor([0, 2]), Tensor(np.ones((2, 2))))
    np.testing.assert_array_equal(weight.asnumpy(), X + np.array([1, 0, 1]))


SCATTERED = [
    (name, getattr(places, name)) for name in places.__all__ if name.startswith("Scatter") and name != "ScatterNd"
]


@pytest.mark.parametrize(("name", "kind"), SCATTERED)
def test_parameters_are_changed_in_place(name, kind):
    weight = Parameter(Tensor(X), name="weight")
    indices, updates = (Tensor([1, 0]), Tensor(X[::-1].copy()))
    if "Nd" in name:
        indices = Tensor([[1], [0]])
    found = kind()(weight, indices, updates)
    np.testing.assert_array_equal(weight.asnumpy(), found.asnumpy())
    wanted = {"Update": X, "Add": X * 2, "Sub": X * 0, "Mul": X * X, "Div": X / X, "Max": X, "Min": X}
    np.testing.assert_allclose(weight.asnumpy(), wanted[name.removeprefix("Scatter").removeprefix("Nd")])


def test_a_seed_is_a_sequence_of_its_own():
    for primitive in (ops.StandardNormal, ops.UniformReal):
        set_seed(3)
        first = [primitive(seed=5)((2,)).tolist() for _ in range(2)]
        set_seed(3)
        primitive()((4,))
        assert [primitive(seed=5)((2,)).tolist() for _ in range(2)] == first
        assert first[0] != first[1] != primitive(seed=5, seed2=1)((2,)).tolist()
    whole = ops.UniformInt(seed=1)((100,), Tensor(2), Tensor(5))
    assert (whole.dtype, set(whole.tolist())) == (int32, {2, 3, 4})
