"""Reductions: dtypes, ties, empty axes, and bits that do not depend on the layout."""

import numpy as np
import pytest

from minigraph import Tensor, bool_, errors, float16, float32, grad, int8, int32, int64
from minigraph.core.op import apply
from minigraph.operators.reduce import repeated_axes
from tests.tables import cases, every


@every(keepdims=[True, False], axis=[None, 0, -1, (0, 2)], name=["sum", "mean", "max", "min", "logsumexp"])
def test_values_are_numpys(name, axis, keepdims):
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    reference = {"logsumexp": lambda x, **kw: np.log(np.sum(np.exp(x), **kw))}.get(name) or getattr(np, name)
    found = apply(name, Tensor(x), axis=axis, keepdims=keepdims).array
    np.testing.assert_allclose(found, reference(x, axis=axis, keepdims=keepdims), rtol=1e-14)


@every(
    dtype=[np.float16, np.float32, np.float64],
    name=["sum", "mean", "max", "min", "logsumexp", "normalize", "softmax", "log_softmax"],
)
def test_bits_do_not_depend_on_the_layout(name, dtype):
    x = np.random.default_rng(0).normal(size=(37, 53)).astype(dtype)
    layouts = [x, np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2], x[::-1].copy()[::-1]]
    for axis in (0, 1):
        found = {apply(name, Tensor.from_numpy(a), axis=axis).array.tobytes() for a in layouts}
        assert len(found) == 1


def test_integers_add_up_to_int64_and_keep_their_dtype_in_a_mean():
    assert [Tensor([1, 2], d).sum().dtype for d in (int8, int32, int64, bool_)] == [int64] * 4
    assert Tensor([100, 100], int8).sum().item() == 200
    mean = Tensor([-3, -4]).mean()
    assert (mean.dtype, mean.item()) == (int64, -3)


def test_a_mean_of_halves_does_not_overflow():
    assert Tensor(np.full(70000, 2.0), float16).mean().item() == 2.0


def test_ties_share_the_gradient():
    found = grad(lambda x: x.max())(Tensor([1.0, 3.0, 3.0]))
    assert found.tolist() == [0.0, 0.5, 0.5]


def test_max_of_nan_is_nan():
    assert np.isnan(Tensor([1.0, np.nan]).max().item())


def test_a_maximum_of_nothing_is_refused():
    with pytest.raises(errors.ShapeError, match="max"):
        Tensor(np.zeros((0, 2))).max(0)


def test_sums_of_nothing_are_zero():
    assert Tensor(np.zeros((0, 2))).sum(0).tolist() == [0.0, 0.0]


def test_argmax_is_the_first_of_the_largest():
    x = Tensor([[1.0, 3.0, 3.0], [5.0, 0.0, 5.0]])
    assert x.argmax(-1).tolist() == [1, 0]
    assert (x.argmax().item(), x.argmax().dtype) == (3, int64)
    assert apply("argmin", x, axis=0).tolist() == [0, 1, 0]


def test_an_axis_that_does_not_exist_is_named():
    with pytest.raises(errors.RangeError, match=r"sum: axis 2 does not exist in a tensor of rank 2 in .*; use -2 to 1"):
        Tensor([[1.0]]).sum(2)


def test_all_and_any():
    x = Tensor([[True, False], [True, True]])
    assert apply("all", x, axis=1).tolist() == [False, True]
    assert apply("any", x, axis=None).item() is True
    assert apply("all", Tensor([[1.0, 0.0], [2.0, np.nan]]), axis=1).tolist() == [False, True]


@cases(((4, 2, 3), (2, 1), (0, 2)), ((2, 3), (2, 3), ()), ((2, 3), (), (0, 1)), ((1, 3), (1, 3), ()))
def test_repeated_axes(wide, shape, axes):
    assert repeated_axes(wide, shape) == axes


def test_sum_to_undoes_broadcasting_and_refuses_anything_else():
    x = np.arange(6.0).reshape(2, 3)
    assert apply("sum_to", Tensor(x), shape=(1, 3)).tolist() == [[3.0, 5.0, 7.0]]
    with pytest.raises(errors.ShapeError, match="sum_to"):
        apply("sum_to", Tensor(x), shape=(2,))


def test_logsumexp_does_not_overflow():
    found = apply("logsumexp", Tensor([[1000.0, 1000.0], [-np.inf, -np.inf]], float32), axis=-1)
    np.testing.assert_allclose(found.array, [1000 + np.log(2), -np.inf], rtol=1e-6)
