"""Comparison, logic and where, including NaN."""

import operator

import numpy as np
import pytest

from minigraph import Tensor, bool_, errors, float32, float64, grad, int64, ops
from minigraph.core.op import apply
from tests.tables import error_cases

VALUES = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan])


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons_are_numpys(compare):
    difference = compare(Tensor(VALUES[:, None]), Tensor(VALUES))
    assert difference.dtype is bool_
    assert np.array_equal(difference.array, compare(VALUES[:, None], VALUES))


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
def test_comparisons_with_none_and_numbers_and_their_gradients():
    # a comparison with None makes no operator call
    x = Tensor([1.0])
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    # a number takes the dtype of the other operand
    assert (Tensor([1, 2]) > 1.5).tolist() == [False, True]
    # comparisons have no gradient
    assert grad(lambda x: apply("cast", x > 0, dtype=float64).sum())(Tensor(np.array([1.0]))).tolist() == [0.0]


def test_where_promotes_x_and_y_and_leaks_no_gradient():
    # where promotes x and y but not the condition
    result = apply("where", Tensor([True, False]), 1, Tensor([2.5]))
    assert (result.dtype, result.tolist()) == (float32, [1.0, 2.5])
    assert apply("where", Tensor([True, False]), 1, 0).dtype is int64

    # no gradient leaks through the operand that is not selected
    def safe_log(x):
        return apply("where", x > 0, apply("log", apply("where", x > 0, x, 1.0)), 0.0).sum()

    assert grad(safe_log)(Tensor(np.array([0.0, 2.0]))).tolist() == [0.0, 0.5]


test_where_refuses = error_cases(
    ((Tensor([1, 0]), 1.0, 2.0), errors.DTypeError, "where: the condition must be Bool, got i64"),
    ((Tensor([True, False]), ops.ones(3), 0.0), errors.ShapeError, r"where: bool\[2\] and f32\[3\] and f32\[\]"),
    by=lambda operands: apply("where", *operands),
)


def test_logic_and_classification_of_integers():
    # logic tests numbers for nonzero
    x, y = Tensor([0.0, 2.0]), Tensor([3.0, 3.0])
    assert apply("logical_and", x, y).tolist() == [False, True]
    assert apply("logical_xor", x, y).tolist() == [True, False]
    assert (~(x == 0)).tolist() == [False, True]
    # integers are finite and not NaN
    assert (apply("isnan", Tensor([1])).tolist(), apply("isfinite", Tensor([1])).tolist()) == ([False], [True])
    with pytest.raises(TypeError):
        apply("isinf", Tensor([1]))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_classification_of_floats(name):
    assert apply(name, Tensor(VALUES)).tolist() == getattr(np, name)(VALUES).tolist()


SHAPES = [((64, 128),) * 3, ((64, 128), (64, 128), ()), ((64, 128), (), ()), ((64, 128), (128,), (64, 1))]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "?"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_where_has_the_bits_of_numpy_on_many_elements(dtype, shapes):
    rng = np.random.default_rng(0)
    condition, x, y = (rng.normal(size=shape) * 9 for shape in shapes)
    x.flat[:4] = [np.nan, -0.0, np.inf, 0.0] if dtype[0] == "f" else 1
    choose, x, y = condition > 0, x.astype(dtype), y.astype(dtype)
    for other in (y, np.zeros_like(y), np.negative(np.zeros(y.shape, np.float32)).astype(dtype)):
        for order in "CF":
            operands = [np.asarray(a, order=order) for a in (choose, x, other)]
            result = apply("where", *map(Tensor.from_numpy, operands)).array
            assert result.flags.c_contiguous
            assert result.tobytes() == np.where(choose, x, other).tobytes()
