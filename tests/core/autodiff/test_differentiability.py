"""Gradients that are zero because a value is not differentiable: the warnings, and the errors."""

import warnings

import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, ops
from minigraph.core.autodiff.differentiability import NonDifferentiableWarning
from minigraph.core.autodiff.grad import UnusedParameterWarning

X = Tensor([1.0, 3.0, 2.0])
weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")


def position(x):
    return x.argmax()


def compared(x):
    return (x > 1).sum()


def truncated(x):
    return x.astype(ms.int32)


def through_integers(x):
    k = (x * 2).astype(ms.int32)
    return (k * k).sum().astype(ms.float32)


def chosen(x):
    return ops.where(x > 2, Tensor(1.0), Tensor(0.0)).sum()


def sorted_positions(x):
    return ops.sort(x)[1]


CUTS = {
    "position": (position, "i64[]", "x.argmax()"),
    "compared": (compared, "bool[3]", "x > 1"),
    "truncated": (truncated, "i32[3]", "x.astype(ms.int32)"),
    "through integers": (through_integers, "i32[3]", "(x * 2).astype(ms.int32)"),
    "chosen": (chosen, "bool[3]", "x > 2"),
    "sorted positions": (sorted_positions, "i64[3]", "ops.sort(x)"),
}
TRANSFORMS = {
    "eager": lambda fn: ms.grad(fn),
    "captured": lambda fn: jit(ms.grad(fn)),
    "of a captured function": lambda fn: ms.grad(jit(fn)),
}


@pytest.mark.parametrize("way", TRANSFORMS.values(), ids=TRANSFORMS)
def test_an_argument_of_bools_has_zeros_with_one_warning(way):
    text = r"the bool\[2\] value in .* the gradient w.r.t. argument 0 is zero"
    with pytest.warns(NonDifferentiableWarning, match=text) as caught:
        assert way(scaled)(Tensor([True, False])).tolist() == [False, False]
    assert len(caught) == 1
    ms.set_context(nondifferentiable="error")
    with pytest.raises(ValueError, match="argument 0 has no gradient"):
        way(scaled)(Tensor([True, False]))


def scaled(x):
    return (x * 2.0).sum()


@pytest.mark.parametrize("accel", [True, False])
@pytest.mark.parametrize("way", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize(("fn", "type", "text"), CUTS.values(), ids=CUTS)
def test_zeros_with_one_warning_that_names_the_value_and_its_line(fn, type, text, way, accel):
    ms.set_context(accel=accel)
    with pytest.warns(NonDifferentiableWarning) as caught:
        assert way(fn)(X).tolist() == [0.0, 0.0, 0.0]
    (message,) = {str(warning.message) for warning in caught}
    line = fn.__code__.co_firstlineno + 1
    expected = (
        f"grad: the {type} value in `{text}` (test_differentiability.py:{line}) is not differentiable, so the grad"
    )
    assert message.startswith(expected)
    assert "argument 0 is zero" in message
    assert len(caught) == 1


@pytest.mark.parametrize("way", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("fn", [position, through_integers])
def test_the_context_can_make_it_an_error(fn, way):
    with pytest.warns(NonDifferentiableWarning):
        gradient = way(fn)
        gradient(X)
    ms.set_context(nondifferentiable="error")
    with pytest.raises(ValueError, match="is not differentiable, so argument 0 has no gradient"):
        gradient(X)
    with pytest.raises(ValueError, match="nondifferentiable"):
        ms.set_context(nondifferentiable="silence")


ZEROS = {
    "unused": lambda x: Tensor([2.0]) * 1.0,
    "a constant": lambda x: Tensor(3),
    "a derivative that is zero": ops.floor,
    "meant": lambda x: ops.stop_gradient(x) * 2,
    "meant, of integers": lambda x: ops.stop_gradient(x).argmax(),
    "a shape": lambda x: Tensor(x.shape[0]) * 1.0,
}
DIFFERENTIABLE_CASES = {
    "a mask": (lambda x: x * (x > 1), [0.0, 1.0, 1.0]),
    "an index": (lambda x: x[x.argmax()], [0.0, 1.0, 0.0]),
    "with a float": (lambda x: (x * x, x.argmax()), [2.0, 6.0, 4.0]),
    "relu": (ops.relu, [1.0, 1.0, 1.0]),
} | {name: (fn, [0.0, 0.0, 0.0]) for name, fn in ZEROS.items()}


@pytest.mark.parametrize("way", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize(("fn", "expected"), DIFFERENTIABLE_CASES.values(), ids=DIFFERENTIABLE_CASES)
def test_no_warning_of_a_gradient_that_is_right(fn, expected, way):
    ms.set_context(nondifferentiable="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert way(fn)(X).tolist() == expected


def test_integers_that_are_arguments_have_gradients():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ms.grad(lambda x: x * x)(Tensor([1, 3])).tolist() == [2, 6]


def test_weights_behind_such_a_value_are_not_called_unused():
    with pytest.warns(NonDifferentiableWarning, match="'w' is zero") as caught:
        ms.grad(lambda x: (x * weight).argmax(), None, weight)(X)
    assert len(caught) == 1
    with pytest.warns(NonDifferentiableWarning, match="argument 0 and 'w' is zero"):
        ms.grad(lambda x: (x * weight).argmax(), 0, weight)(X)
    with pytest.warns(UnusedParameterWarning, match="'w'"):
        ms.grad(lambda x: x.sum(), None, weight)(X)


def test_the_value_is_the_first_that_is_not_a_float():
    def masked(x):
        mask = (x > 1).reshape((3, 1)).squeeze()
        return ops.where(mask, Tensor(1.0), Tensor(0.0)).sum()

    with pytest.warns(NonDifferentiableWarning, match="in `x > 1`"):
        ms.grad(masked)(X)


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
def test_masks_of_vjp_rules_cause_no_warning():
    ms.set_context(nondifferentiable="error")
    with pytest.raises(ValueError, match="x > 1"):
        ms.grad(ms.grad(lambda x: (x > 1).astype(ms.float32) * x))(X)
    assert ms.grad(ms.grad(ops.relu))(X).tolist() == [0.0, 0.0, 0.0]
    assert ms.grad(ms.grad(lambda x: ops.maximum(x, 2.0)))(X).tolist() == [0.0, 0.0, 0.0]
