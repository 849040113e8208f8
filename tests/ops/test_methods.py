"""Methods of a Tensor: every listed function, by all argument names, in both modes; in place; unsupported ones."""

import inspect

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, jit
from minigraph.capture.trace import Tracer
from minigraph.core.missing_names import MissingAttribute, mindspore_exports
from minigraph.ops import functional, methods
from tests.ops.functional.checks import in_both_modes
from tests.tables import every, in_one_test

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
VARIANTS = " ".join(methods.VARIANTS.values()).split()
OTHERS = (*VARIANTS, *methods.ALIASES, *methods.PROPERTIES)
IN_PLACE = [f"{name}_" for name in methods.IN_PLACE.split()]


@in_one_test([*methods.FUNCTIONS, *OTHERS, *IN_PLACE])
def test_every_listed_name_is_a_documented_method_and_one_of_mindspores(name):
    assert not isinstance(inspect.getattr_static(Tensor, name), MissingAttribute)
    assert getattr(Tensor, name).__doc__
    assert name in mindspore_exports()["mindspore.Tensor"] | {"unsorted_segment_sum"}
    assert hasattr(Tracer, name)


def test_methods_only_in_mindspore_raise_by_name():
    missing = [name for name in mindspore_exports()["mindspore.Tensor"] if not hasattr(Tensor, name)]
    assert 0 < len(missing) < 130
    for name in missing:
        with pytest.raises(AttributeError, match=rf"mindspore\.Tensor\.{name} exists in MindSpore 2\.10 but is not"):
            getattr(Tensor([1.0]), name)
    for name in ("backward", "detach", "relu"):
        with pytest.raises(AttributeError, match=rf"'Tensor' object has no attribute '{name}'\nin .*; (use|gradients)"):
            getattr(Tensor([1.0]), name)


CHAPTERS = (
    functional.arithmetic, functional.comparison, functional.complex_numbers, functional.elementary,
    functional.reduction,
)  # fmt: skip
ELEMENTWISE = [name for name in methods.FUNCTIONS if any(name in chapter.__all__ for chapter in CHAPTERS)]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_method_is_the_function(name):
    function, x = getattr(functional, name), Tensor(X / 3)
    operand_count = sum(p.default is p.empty for p in inspect.signature(function).parameters.values())
    operands = [Tensor(np.abs(X) + 1)] * (operand_count - 1)
    try:
        expected = function(x, *operands)
    except TypeError:
        x, operands = Tensor([3, 5]), [Tensor([2, 1])] * (operand_count - 1)
        try:
            expected = function(x, *operands)
        except TypeError:
            pytest.skip("takes bools only")
    result = getattr(x, name)(*operands)
    for result_tensor, expected_tensor in zip(tensors(result), tensors(expected), strict=True):
        np.testing.assert_array_equal(np.asarray(result_tensor), np.asarray(expected_tensor))


# ---- argument names --------------------------------------------------------------------------------


def tensors(result):
    """One result, or several, as a tuple."""
    return result if isinstance(result, tuple) else (result,)


OVER_AXES = ["cumsum", "argmin", "argmax", "sort", "std", "all", "amax", "median", "prod", "mean", "sum"]
KEPT = ["sum", "mean", "prod", "std", "var", "any", "argmax", "argmin", "amin", "count_nonzero"]


@every(name=OVER_AXES, argument=["axis", "dim"])
def test_axis_has_two_names(name, argument):
    method = getattr(Tensor(X), name)
    result, expected = tensors(method(**{argument: 1})), tensors(method(1))
    assert [tensor.tolist() for tensor in result] == [reference.tolist() for reference in expected]


@every(name=KEPT, argument=["keepdims", "keepdim", "keep_dims"])
def test_keepdims_has_three_names(name, argument):
    assert getattr(Tensor(X), name)(axis=1, **{argument: True}).shape == (2, 1)


def test_unknown_argument_names_raise():
    with pytest.raises(TypeError, match="unexpected keyword argument 'along'"):
        Tensor(X).cumsum(along=1)


# ---- in place --------------------------------------------------------------------------------------

CALLS = [
    ("add_", (2.0,), X + 2), ("sub_", (2.0,), X - 2), ("mul_", (2.0,), X * 2), ("div_", (2.0,), X / 2),
    ("fill_", (3.0,), X * 0 + 3), ("zero_", (), X * 0), ("copy_", (Tensor(X[:1]),), np.broadcast_to(X[:1], X.shape)),
    ("clamp_", (0.0, 1.0), X.clip(0, 1)), ("exp_", (), np.exp(X)), ("floor_", (), np.floor(X)),
    ("sign_", (), np.sign(X)),
    ("tanh_", (), np.tanh(X)), ("remainder_", (2.0,), X % 2), ("floor_divide_", (2.0,), X // 2),
    ("masked_fill_", (Tensor(X > 0), 9.0), np.where(X > 0, 9, X)),
    ("index_fill_", (1, Tensor([0]), 9.0), np.where([True, False, False], 9, X)),
    ("scatter_", (1, Tensor([[0], [0]]), Tensor([[9.0], [9.0]])), np.where([True, False, False], 9, X)),
    ("scatter_add_", (1, Tensor([[0], [0]]), Tensor([[9.0], [9.0]])), X + np.array([9, 0, 0])),
    ("fill_diagonal_", (9.0,), np.where(np.eye(2, 3), 9, X)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "expected"), CALLS)
def test_in_place_methods_write_through_views(name, args, expected):
    def write(x):
        view = x[0]
        assert getattr(x, name)(*args) is x
        return x * 1, view * 1

    for wrapped in (lambda fn: fn, jit):
        result, row = wrapped(write)(Tensor(X))
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5)
        np.testing.assert_array_equal(row.asnumpy(), result.asnumpy()[0])


def test_gradients_and_parameters_written_in_place():
    # gradients flow to the written value
    def write_in_place(x):
        y = x * 1
        y.mul_(3.0).exp_()
        return y

    np.testing.assert_allclose(grad(write_in_place)(Tensor(X)).asnumpy(), 3 * np.exp(3 * X), rtol=1e-5)

    # a parameter is written in place
    p = Parameter(Tensor(X), name="p")
    p.add_(1.0)
    np.testing.assert_allclose(p.asnumpy(), X + 1, rtol=1e-6)
    assert isinstance(p, Parameter)


def test_random_samples_in_place():
    x = Tensor(np.zeros((40, 50), np.float32))
    assert x.normal_(2.0, 0.5).asnumpy().mean() == pytest.approx(2, abs=0.05)
    assert 1 <= x.uniform_(1, 3).asnumpy().min() < x.asnumpy().max() < 3
    assert set(x.random_(0, 3).asnumpy().ravel()) == {0.0, 1.0, 2.0}
    assert set(x.bernoulli_(0.5).asnumpy().ravel()) == {0.0, 1.0}


# ---- properties ------------------------------------------------------------------------------------


def test_properties_and_methods_of_traced_tensors():
    # properties
    x = Tensor(X)
    assert (x.device, x.strides, x.stride()) == ("CPU", (12, 4), [3, 1])
    assert x.data.tolist() == x.value().tolist() == X.tolist()
    assert x.H.tolist() == x.mH.tolist() == X.T.tolist()
    assert Tensor([[1j, 2 - 1j]]).H.tolist() == [[-1j], [2 + 1j]]

    # methods of traced tensors
    def many_results(x):
        return x.cumsum(1).topk(2)[0].repeat(2, 0).where(Tensor(True), 0.0).std(dim=0)

    assert in_both_modes(many_results, Tensor(X)).shape == (2,)
