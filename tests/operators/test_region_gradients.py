"""Gradients of bodies."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops, trace
from minigraph.execute.interpret import interpret
from minigraph.ir.verify import verify
from minigraph.operators.region_gradients import gradient_body, strip_effects

X = Tensor([1.0, 2.0])


def test_a_gradient_body_maps_cotangents_to_gradients():
    # a gradient body takes cotangents and gives gradients
    body = trace(lambda x, y: x * y, X, X)
    gradient = gradient_body(body, (0, 1), (0,))
    verify(gradient)
    gradients = interpret(gradient, X, X * 3, X * 10)
    assert [g.asnumpy().tolist() for g in gradients] == [[30.0, 120.0], [10.0, 40.0]]
    assert gradient_body(body, (0, 1), (0,)) is gradient
    # unused values have gradient zero
    gradient = gradient_body(trace(lambda x, y: x, X, X), (1,), (0,))
    assert interpret(gradient, X, X, X)[0].asnumpy().tolist() == [0.0, 0.0]


def test_prints_are_not_repeated_in_gradients():
    def print_in_branch(x):
        ops.print_("here")
        return ops.cond(x.sum() > 0, lambda: ops.print_("inside") or x, lambda: x)

    body = trace(print_in_branch, X)
    quiet = strip_effects(body)
    assert any(body.writes(node) for node in body)
    assert not any(quiet.writes(node) for node in quiet)


def doubled_if(x):
    if x.sum() > 2:
        x = x * x
    return x


def scaled_while(x, k):
    while x.sum() < 40:
        x = x * k
    return x


def summed_for(x, k):
    total = x
    for row in x:
        total = total + row * k
    return total


def count_up(x, k):
    """A counter that starts as a constant and takes in an integer that is differentiated."""
    i = Tensor(0)
    while i < 3:
        i = i + 1
        x = x + i * k
    return x, i


def mixed(x, k):
    """Floats and integers in one loop."""
    y = x.astype(ms.float32)
    while y.sum() < 30:
        y = y * 2 + x
        x = x + k
    return y, x


def by_scan(x, k):
    return ops.scan(lambda total, row: (total + row * k, total * row), x[0], x)


def used_twice_in_the_body(x, k):
    i = Tensor(0)
    while i < 5:
        x = ops.tanh(x * k) + k
        i = i + 1
    return x


def used_after_the_loop(x, k):
    i = Tensor(0)
    while i < 5:
        x = ops.tanh(x * k)
        i = i + 1
    return x * k


def used_after_the_range(x, k):
    for _ in range((x > -9).sum()):
        x = ops.sin(x * k)
    return x + k


def used_after_the_branch(x, k):
    if x.sum() > -100:
        x = ops.tanh(x * k) + k * k
    return x * k


def used_in_a_scan(x, k):
    return ops.scan(lambda t, row: (ops.tanh(t * row * k), t * k), x[0], x)


def starts_with_a_value_it_uses(x, k):
    y = x
    while ops.abs(y).sum() < 100:
        y = y * 1.37 + ops.tanh(y) * x + k
    return (y * y * x).sum()


def starts_with_one_value_twice(x, k):
    y = z = x
    while ops.abs(y).sum() < 100:
        y, z = y * 1.7 + ops.sin(z) * y, z + y * k
    return (y * z * x).sum()


def keeps_the_previous_value(x, k):
    y = previous = x
    while ops.abs(y).sum() < 100:
        y, previous = y * 1.7 + previous * previous * k, y
    return (y * y).sum() + (previous * x).sum()


def overflows_in_a_value_that_is_not_used(x, k):
    y, unused, i = x, x * 100, Tensor(0)
    while i < 1:
        y = y + unused * k
        unused = ops.exp(ops.abs(unused) * 100)
        i = i + 1
    return y.sum()


def multiplies_zeros(x, k):
    y, i = x * 0, Tensor(0)
    while i < 3:
        y = y * k
        i = i + 1
    return -y.sum()


NUMBERS = np.random.default_rng(3).normal(size=40).astype(np.float32)
CONTINUED = (
    used_twice_in_the_body, used_after_the_loop, used_after_the_range, used_after_the_branch, used_in_a_scan,
)  # fmt: skip
THREE = Tensor(3)
INTEGERS = {
    "if": (doubled_if, [Tensor([1, 3, 2])]),
    "if not taken": (doubled_if, [Tensor([0, 1, 0])]),
    "while": (scaled_while, [Tensor([1, 3, 2]), THREE]),
    "for": (summed_for, [Tensor([1, 3, 2]), THREE]),
    "counter": (count_up, [Tensor([1, 3, 2]), THREE]),
    "mixed": (mixed, [Tensor([1, 3, 2]), THREE]),
    "of 32 bits": (lambda x: doubled_if(x).sum(), [Tensor([1, 3, 2], ms.int32)]),
    "of 32 bits, while": (lambda x, k: scaled_while(x, k).sum(), [Tensor([1, 3, 2], ms.int32), Tensor(3, ms.int32)]),
    "scan": (by_scan, [Tensor([1, 3, 2]), THREE]),
    "floats": (scaled_while, [Tensor([1.5, 3.25, 2.1]), Tensor(1.7)]),
    "a float and an integer": (scaled_while, [Tensor([1.5, 3.25, 2.1]), THREE]),
} | {
    f"{fn.__name__} {k}": (fn, [Tensor(NUMBERS[k : k + 5]), Tensor(NUMBERS[k + 5])])
    for fn in CONTINUED
    for k in range(0, 30, 6)
}


@pytest.mark.parametrize(("fn", "args"), INTEGERS.values(), ids=INTEGERS)
def test_gradients_of_captured_control_flow_have_the_bits_of_eager_mode(fn, args):
    positions = tuple(range(len(args)))
    expected = ms.grad(fn, positions)(*args)
    for gradient in (ms.jit(ms.grad(fn, positions)), ms.grad(ms.jit(fn), positions)):
        for reference, result in zip(expected, gradient(*args), strict=True):
            assert reference.dtype is result.dtype
            assert reference.asnumpy().tobytes() == result.asnumpy().tobytes(), (reference, result)
    assert fn is multiplies_zeros or any(reference.asnumpy().any() for reference in expected)
