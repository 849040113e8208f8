"""Reductions: dtypes, ties, empty axes, and bits that do not depend on the layout."""

import numpy as np

from minigraph import Tensor, bool_, errors, float16, float32, grad, int8, int32, int64
from minigraph.core.op import apply
from minigraph.operators.reduce import broadcast_axes
from tests.tables import cases, error_cases, every


@every(keepdims=[True, False], axis=[None, 0, -1, (0, 2)], name=["sum", "mean", "max", "min", "logsumexp"])
def test_values_are_numpys(name, axis, keepdims):
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    reference = {"logsumexp": lambda x, **kw: np.log(np.sum(np.exp(x), **kw))}.get(name) or getattr(np, name)
    result = apply(name, Tensor(x), axis=axis, keepdims=keepdims).array
    np.testing.assert_allclose(result, reference(x, axis=axis, keepdims=keepdims), rtol=1e-14)


@every(
    dtype=[np.float16, np.float32, np.float64],
    name=["sum", "mean", "max", "min", "logsumexp", "normalize", "softmax", "log_softmax"],
)
def test_bits_do_not_depend_on_the_layout(name, dtype):
    x = np.random.default_rng(0).normal(size=(37, 53)).astype(dtype)
    layouts = [x, np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2], x[::-1].copy()[::-1]]
    for axis in (0, 1):
        assert len({apply(name, Tensor.from_numpy(a), axis=axis).array.tobytes() for a in layouts}) == 1


def test_dtypes_of_sums_and_sum_to():
    # integers add up to int64 and keep their dtype in a mean
    assert [Tensor([1, 2], d).sum().dtype for d in (int8, int32, int64, bool_)] == [int64] * 4
    assert Tensor([100, 100], int8).sum().item() == 200
    mean = Tensor([-3, -4]).mean()
    assert (mean.dtype, mean.item()) == (int64, -3)
    # a mean of halves does not overflow
    assert Tensor(np.full(70000, 2.0), float16).mean().item() == 2.0
    # sum to undoes broadcasting
    assert apply("sum_to", Tensor(np.arange(6.0).reshape(2, 3)), shape=(1, 3)).tolist() == [[3.0, 5.0, 7.0]]


def test_ties_nan_and_empty_operands():
    # ties share the gradient
    gradient = grad(lambda x: x.max())(Tensor([1.0, 3.0, 3.0]))
    assert gradient.tolist() == [0.0, 0.5, 0.5]
    # max of nan is nan
    assert np.isnan(Tensor([1.0, np.nan]).max().item())
    # sums of empty tensors are zero
    assert Tensor(np.zeros((0, 2))).sum(0).tolist() == [0.0, 0.0]
    # logsumexp does not overflow
    gradient = apply("logsumexp", Tensor([[1000.0, 1000.0], [-np.inf, -np.inf]], float32), axis=-1)
    np.testing.assert_allclose(gradient.array, [1000 + np.log(2), -np.inf], rtol=1e-6)


test_errors = error_cases(
    (lambda: Tensor(np.zeros((0, 2))).max(0), errors.ShapeError, "max"),
    (lambda: Tensor([[1.0]]).sum(2), errors.RangeError, r"axis 2 does not exist in a tensor of rank 2.*; use -2 to 1"),
    (lambda: apply("sum_to", Tensor(np.ones((2, 3))), shape=(2,)), errors.ShapeError, "sum_to"),
)


def test_argmax_all_and_any():
    # argmax is the first of the largest
    x = Tensor([[1.0, 3.0, 3.0], [5.0, 0.0, 5.0]])
    assert x.argmax(-1).tolist() == [1, 0]
    assert (x.argmax().item(), x.argmax().dtype) == (3, int64)
    assert apply("argmin", x, axis=0).tolist() == [0, 1, 0]
    # all and any
    x = Tensor([[True, False], [True, True]])
    assert apply("all", x, axis=1).tolist() == [False, True]
    assert apply("any", x, axis=None).item() is True
    assert apply("all", Tensor([[1.0, 0.0], [2.0, np.nan]]), axis=1).tolist() == [False, True]


@cases(((4, 2, 3), (2, 1), (0, 2)), ((2, 3), (2, 3), ()), ((2, 3), (), (0, 1)), ((1, 3), (1, 3), ()))
def test_broadcast_axes(wide, shape, axes):
    assert broadcast_axes(wide, shape) == axes
