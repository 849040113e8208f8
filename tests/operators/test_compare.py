"""Comparison and choice, NaN included."""

import operator

import numpy as np
import pytest

from minigraph import Tensor, bool_, errors, float32, float64, grad, int64
from minigraph.core.op import apply

VALUES = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan])


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons_are_numpys(compare):
    found = compare(Tensor(VALUES[:, None]), Tensor(VALUES))
    assert found.dtype is bool_
    assert np.array_equal(found.array, compare(VALUES[:, None], VALUES))


def test_comparing_with_none_is_no_operator():
    x = Tensor([1.0])
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


def test_a_number_takes_the_dtype_of_the_tensor_beside_it():
    assert (Tensor([1, 2]) > 1.5).tolist() == [False, True]


def test_where_promotes_its_choices_and_not_its_condition():
    found = apply("where", Tensor([True, False]), 1, Tensor([2.5]))
    assert (found.dtype, found.tolist()) == (float32, [1.0, 2.5])
    assert apply("where", Tensor([True, False]), 1, 0).dtype is int64


def test_where_refuses_a_condition_that_is_not_bool():
    with pytest.raises(errors.DTypeError, match="where: the condition must be Bool, got i64"):
        apply("where", Tensor([1, 0]), 1.0, 2.0)


def test_where_refuses_what_does_not_broadcast():
    with pytest.raises(errors.ShapeError, match=r"where: bool\[2\] and f32\[3\] and f32\[\]"):
        apply("where", Tensor([True, False]), Tensor([1.0, 2.0, 3.0]), 0.0)


def test_no_gradient_leaks_through_the_side_that_was_not_chosen():
    def safe_log(x):
        return apply("where", x > 0, apply("log", apply("where", x > 0, x, 1.0)), 0.0).sum()

    assert grad(safe_log)(Tensor(np.array([0.0, 2.0]))).tolist() == [0.0, 0.5]


def test_logic_reads_numbers_as_nonzero():
    x, y = Tensor([0.0, 2.0]), Tensor([3.0, 3.0])
    assert apply("logical_and", x, y).tolist() == [False, True]
    assert apply("logical_xor", x, y).tolist() == [True, False]
    assert (~(x == 0)).tolist() == [False, True]


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_kinds_of_numbers(name):
    assert apply(name, Tensor(VALUES)).tolist() == getattr(np, name)(VALUES).tolist()


def test_integers_are_finite_and_numbers():
    assert (apply("isnan", Tensor([1])).tolist(), apply("isfinite", Tensor([1])).tolist()) == ([False], [True])
    with pytest.raises(TypeError):
        apply("isinf", Tensor([1]))


def test_comparisons_have_no_gradient():
    found = grad(lambda x: apply("cast", x > 0, dtype=float64).sum())(Tensor(np.array([1.0])))
    assert found.tolist() == [0.0]


SHAPES = [((64, 128),) * 3, ((64, 128), (64, 128), ()), ((64, 128), (), ()), ((64, 128), (128,), (64, 1))]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "?"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_many_elements_are_chosen_to_the_bits_of_numpy(dtype, shapes):
    rng = np.random.default_rng(0)
    condition, x, y = (rng.normal(size=shape) * 9 for shape in shapes)
    x.flat[:4] = [np.nan, -0.0, np.inf, 0.0] if dtype[0] == "f" else 1
    choose, x, y = condition > 0, x.astype(dtype), y.astype(dtype)
    for other in (y, np.zeros_like(y), np.negative(np.zeros(y.shape, np.float32)).astype(dtype)):
        for order in "CF":
            operands = [np.asarray(a, order=order) for a in (choose, x, other)]
            found = apply("where", *map(Tensor.from_numpy, operands)).array
            assert found.flags.c_contiguous
            assert found.tobytes() == np.where(choose, x, other).tobytes()
