"""The tape: which calls it records, its backward pass, and which values it keeps and frees."""

import gc
import inspect
import weakref
from dataclasses import replace

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float64, grad, jit, ops, set_context
from minigraph.core.autodiff.tape import Entry, Tape, full_like, unbroadcast, vjps
from minigraph.core.op import TABLE, EachOperand, Op, apply, record_on
from tests.inspection import bits, to_lists

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
ONES = Tensor([1.0, 1.0])
TRANSFORMS = {
    "eager": grad,
    "jit of grad": lambda fn: jit(grad(fn)),
    "grad of jit": lambda fn: grad(jit(fn)),
}


def record(fn, *watched):
    tape = Tape()
    for tensor in watched:
        tape.watch(tensor)
    with record_on(tape):
        out = fn()
    return tape, out


def names(tape):
    return [str(entry.op) for entry in tape.entries]


def test_only_calls_that_depend_on_a_watched_tensor_are_recorded_until_the_tape_is_closed():
    tape, (_, both) = record(lambda: (Y * Y, (X + Y) * Y), X)
    X * 3.0
    assert names(tape) == ["add", "mul"]
    assert repr(tape.entries[0]) == "add(f32[2], f32[2]) -> f32[2]"
    assert [tape.is_tracked(tensor) for tensor in (X, Y, both)] == [True, False, True]


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_operators_without_results_are_skipped_in_the_backward_pass(transform, capsys):
    def print_product(x):
        product = x * x
        ops.Print()(product)
        return ops.tanh(product)

    expected = grad(lambda x: ops.tanh(x * x))(X)
    assert np.array_equal(transform(print_product)(X), expected) and capsys.readouterr().out


def test_gradients_without_dependence_are_none_and_several_seeds_are_summed():
    tape, (a, b) = record(lambda: (X * 2.0, X * 3.0), X, Y)
    assert to_lists(tape.gradient([(a, ONES), (b, ONES), (a, ONES)], [X, Y])) == [[7.0, 7.0], None]
    tape, out = record(lambda: X, X)
    assert tape.gradient([(out, ONES)], [X])[0] is ONES


def test_cotangents_of_all_results_are_passed_together_and_unused_ones_are_zeros():
    def halves():
        return apply("split", X * Y, sizes=1, axis=0)

    tape, (first, second) = record(halves, X)
    product, split = map(str, tape.entries)
    assert (product, split) == ("mul(f32[2], f32[2]) -> f32[2]", "split(f32[2]) -> f32[1], f32[1]")
    seeds = [(second, Tensor([10.0])), (first, Tensor([1.0])), (first, Tensor([1.0]))]
    assert to_lists(tape.gradient(seeds, [X])) == [[6.0, 40.0]]
    tape, (_, second) = record(halves, X)
    assert to_lists(tape.gradient([(second, Tensor([1.0]))], [X])) == [[0.0, 4.0]]


def test_vjps_are_called_for_watched_operands_only_and_operands_without_one_get_none():
    calls = []
    rules = [lambda g, out, x, y, name=name: calls.append(name) or g for name in "xy"]
    op = Op("two_rules", np.add, lambda x, y: x, vjp=tuple(rules))
    tape, out = record(lambda: op(X, Y), Y)
    assert tape.gradient([(out, ONES)], [Y])[0] is ONES
    assert (calls, tape.entries) == (["y"], []), "the gradient uses the entries up"
    assert TABLE["floor_div"].vjp_of(0) is None
    tape, out = record(lambda: X // Y + Y, X, Y)
    assert to_lists(tape.gradient([(out, ONES)], [X, Y])) == [None, [1.0, 1.0]]
    tape, out = record(lambda: X * Y + X, X, Y)
    assert to_lists(tape.gradient([(out, ONES)], [X, Y])) == [[4.0, 5.0], [1.0, 2.0]]


def test_the_same_tensor_in_two_operands_counts_twice():
    for fn, expected in ((lambda: X * X, [2.0, 4.0]), (lambda: X - X, [0.0, 0.0]), (lambda: X + X + X, [3.0, 3.0])):
        tape, out = record(fn, X)
        assert tape.gradient([(out, ONES)], [X])[0].tolist() == expected


def test_a_watched_tensor_keeps_its_id_while_the_tape_lives():
    """Else another tensor at the same address would be mistaken for it."""
    tape, unrelated = record(lambda: [Tensor([2.0]) * Tensor([3.0]) for _ in range(200)], Tensor([1.0, 2.0]))
    assert (len(unrelated), tape.entries) == (200, [])


def test_an_outer_tape_records_the_backward_pass_of_an_inner_one():
    outer, inner = Tape(), Tape()
    outer.watch(X)
    inner.watch(X)
    with record_on(outer):
        with record_on(inner):
            out = X * X
        first = inner.gradient([(out, ONES)], [X])[0]
    assert first.tolist() == [2.0, 4.0]
    assert outer.gradient([(first, ONES)], [X])[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("others", [(), (Tape(),)], ids=["alone", "with another tape"])
def test_vjps_that_read_the_result_get_the_result_of_their_call(others):
    def fn():
        y, (first, second) = ops.exp(X), apply("split", X * X, sizes=1, axis=0)
        z = y * 2.0 + ops.concat((first, second))
        y[0] = 0.0
        first[0] = 7.0
        return z

    tape, out = record(fn, X)
    with record_on(*others):
        assert tape.gradient([(out, ONES)], [X])[0].tolist() == pytest.approx([2 * np.e + 2, 2 * np.e**2 + 4])


def test_a_result_may_be_a_parameter_and_entries_show_values_as_they_were():
    tape, weight = Tape(), Parameter(Tensor([5.0, 5.0]), name="w")
    tape.watch(X)
    tape.record(TABLE["square"], (X,), {}, weight)
    assert tape.entries[0].result() is weight and tape.is_tracked(weight)
    assert to_lists(tape.gradient([(weight, ONES)], [X])) == [[2.0, 4.0]]
    x = Tensor([1.0, 2.0])  # a separate tensor, because the parts are views of it
    tape, (both, y) = record(lambda: (apply("split", x, sizes=1, axis=0), x * 1.0), x)
    both[1][0] = 9.0
    y[1] = 9.0
    assert to_lists([entry.result() for entry in tape.entries]) == [([1.0], [2.0]), [1.0, 2.0]]
    tape, out = record(lambda: X * weight, X, weight)
    weight.set_data(ONES)
    assert to_lists(list(tape.entries[0].operands())) == [[1.0, 2.0], [5.0, 5.0]]
    assert to_lists(tape.gradient([(out, ONES)], [X])) == [[5.0, 5.0]]


def test_gradients_of_an_assigned_parameter_belong_to_the_parameter():
    weight = Parameter(Tensor([5.0, 5.0]), name="w")

    def fn():
        ops.assign(weight, X * 3.0)
        return weight * 2.0

    tape, out = record(fn, X, weight)
    assert to_lists(tape.gradient([(out, ONES)], [X, weight])) == [None, [2.0, 2.0]]


def test_gradients_of_an_overwritten_part_flow_to_the_written_value():
    weight = Parameter(Tensor([5.0, 5.0]), name="w")

    def fn():
        weight[0] = X[1] * 3.0
        return weight * 1.0

    tape, out = record(fn, X, weight)
    assert to_lists(tape.gradient([(out, ONES)], [X, weight])) == [[0.0, 3.0], [0.0, 1.0]]


def test_results_are_freed_during_the_backward_pass_and_may_be_differentiated_by():
    tape, out = record(lambda: ((X * 2.0) * 3.0).sum(), X)
    inner = weakref.ref(tape.entries[0].out)
    tape.gradient([(out, Tensor(1.0))], [X])
    gc.collect()
    assert inner() is None
    assert tape.is_tracked(X) and not tape.is_tracked(out)
    tape, (y, out) = record(lambda: (y := X * 2.0, (y * y).sum()), X)
    assert to_lists(tape.gradient([(out, Tensor(1.0))], [y, X])) == [[4.0, 8.0], [8.0, 16.0]]


def test_full_like_keeps_shape_and_dtype_and_the_loop_equals_the_first_lesson():
    assert full_like(Tensor([1, 2]), 1.0).type == Tensor([1, 2]).type
    assert full_like(Tensor(True), 0.0).tolist() is False
    source = inspect.getsource(Tape.gradient)  # lesson 1 prints it
    assert len(source.splitlines()) - len(Tape.gradient.__doc__.splitlines()) <= 25
    assert "for entry in self._pop_entries()" in source and "self._accumulate" in source


def test_without_the_accelerator_this_loop_computes_every_gradient(monkeypatch):
    visited, loop = [], Tape.gradient

    def gradient(tape, seeds, wrt):
        visited.extend(entry.op.name for entry in tape.entries)
        return loop(tape, seeds, wrt)

    monkeypatch.setattr(Tape, "gradient", gradient)
    set_context(accel=False)
    assert grad(lambda x: ops.sin(x * x) * x)(Tensor(2.0)).item() == pytest.approx(8 * np.cos(4.0) + np.sin(4.0))
    assert visited == ["mul", "sin", "mul"]  # lesson 1 says so


COMPOSITES = [op for op in TABLE.values() if op.expand and op.samples and not isinstance(op.vjp, EachOperand)]


@pytest.mark.parametrize("op", COMPOSITES, ids=str)
def test_a_composite_operator_is_differentiated_through_its_expansion(op):
    """If it has a VJP of its own, both agree."""
    sample = op.samples(np.random.default_rng(0))[0]
    args = [Tensor(arg) for arg in sample.args]
    tape, out = record(lambda: op(*args, **sample.attrs), *args)
    bare = replace(op, vjp=())
    (entry,) = tape.entries
    positions = [i for i, arg in enumerate(args) if arg.dtype.is_float]
    g = tuple(full_like(o, 1.0) for o in out) if isinstance(out, tuple) else full_like(out, 1.0)
    direct = vjps(entry, g, positions)
    by_expansion = vjps(Entry(bare, entry.args, entry.attrs, entry.out, entry.sources), g, positions)
    for a, b, position in zip(direct, by_expansion, positions, strict=True):
        if a is not None and b is not None:
            assert np.allclose(unbroadcast(a, args[position]).array, unbroadcast(b, args[position]).array)


@pytest.mark.parametrize("shape", [(2,), (1,), (), (1, 2), (3, 1, 2)])
def test_broadcasting_is_undone(shape):
    wide = Tensor(np.ones((3, 2, 2)))
    summed = unbroadcast(wide, Tensor(np.zeros(shape)))
    assert (summed.shape, summed.sum().item()) == (shape, wide.size)
    assert unbroadcast(X, Y) is X, "no broadcast, no operator"


@pytest.mark.parametrize("op", ["relu", "exp", "tanh", "sqrt", "sigmoid"])
def test_a_result_that_is_assigned_later_keeps_its_gradient(op):
    """Many VJPs use the result: they need its old value, not the current one."""

    def sum_of_result(x):
        return apply(op, x).sum()

    def assign_result(x):
        y = apply(op, x)
        apply("assign", y, y + 1.0, name="y")
        return y.sum()

    def write_result(x):
        y = apply(op, x)
        y[0] = y[0] + 1.0
        return y.sum()

    x = Tensor([-1.0 if op == "relu" else 0.25, 0.5, 2.0])
    assert grad(assign_result)(x).tolist() == grad(write_result)(x).tolist() == grad(sum_of_result)(x).tolist()


def test_one_of_several_results_that_is_assigned_later_keeps_its_gradient():
    def assign_both(x):
        first, second = apply("split", apply("exp", x), sizes=1, axis=0)
        y = apply("exp", first)
        apply("assign", first, first * 3.0, name="first")
        apply("assign", second, second * 5.0, name="second")
        return (y + first * second).sum()

    a, b = np.exp(np.float32([0.1, 0.2]))
    expected = [np.exp(a) * a + 15 * a * b, 15 * a * b]
    np.testing.assert_allclose(grad(assign_both)(Tensor([0.1, 0.2])).asnumpy(), expected, rtol=1e-5)


# ---- products with transposed matrices -----------------------------------------------------------------

TRANSPOSED = {
    "right": lambda x, w: x @ w.T,
    "left": lambda x, w: w.T @ x,
    "both": lambda x, w: x.T @ w.T,
    "of itself": lambda x, w: w @ w.T + x,
    "three times": lambda x, w: x @ w.T.T.T,
    "and the matrix": lambda x, w: (x @ w.T) * (w.sum() + w.T.exp().sum()),
    "a batch": lambda x, w: ops.stack((x, w)) @ w.T,
    "batches": lambda x, w: ops.stack((x, w)) @ ops.stack((w, x)).swapaxes(1, 2),
    "a batch repeated": lambda x, w: ops.stack((x, w)) @ w[None].swapaxes(1, 2),
    "a vector": lambda x, w: x[0] @ w.T,
}


def smooth_matrices():
    rng = np.random.default_rng(0)
    return [Tensor(rng.normal(size=(3, 3)), float64) for _ in range(2)]


def is_directional_derivative(fn, at, gradient, direction):
    """Whether a gradient, times a direction, equals the derivative by central differences."""
    values = [float(fn(Tensor(at.array + step * direction))) for step in (1e-6, -1e-6)]
    return (values[0] - values[1]) / 2e-6 == pytest.approx(float((direction * gradient.array).sum()), rel=1e-5)


DIRECTION = np.random.default_rng(1).normal(size=(3, 3))


@pytest.mark.parametrize("name", TRANSPOSED)
def test_gradients_of_products_with_transposed_matrices(name):
    def total(x, w):
        return TRANSPOSED[name](x, w).tanh().sum()

    x, w = smooth_matrices()
    gradient = grad(total, (0, 1))
    by_x, by_w = gradient(x, w)
    assert bits(jit(gradient, capture_mode="trace")(x, w)) == bits((by_x, by_w))
    assert is_directional_derivative(lambda moved: total(moved, w), x, by_x, DIRECTION)
    assert is_directional_derivative(lambda moved: total(x, moved), w, by_w, DIRECTION)


def test_second_gradients_of_products_with_transposed_matrices():
    x, w = smooth_matrices()

    def slope(w):
        return (grad(lambda w: (x @ w.T).tanh().sum())(w) * x).sum()

    assert is_directional_derivative(slope, w, grad(slope)(w), DIRECTION)
