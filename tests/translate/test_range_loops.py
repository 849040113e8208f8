"""Loops over ranges: nodes if a bound is a tensor, unrolled if all are ints; results equal Python's."""

import pytest

import minigraph as ms
from minigraph import Tensor, grad, jit
from minigraph.translate.range_loops import checked_range, in_range, range_bounds
from tests.inspection import operators

X = Tensor([1.0, 2.0])


def add_up(x, n):
    for i in range(n):
        x = x + i
    return x


def jump(x, n):
    for i in range(1, n, 2):
        if x.sum() > 10:
            break
        if i == 3:
            continue
        x = x * 1.5 + i
    else:
        x = x + 100
    return x


def nest(x, n):
    for i in range(n):
        for j in range(i):
            x = x + j
    return x


def downwards(x, n):
    for i in range(n, 0, -1):
        x = x * 2 + i
    return x


def return_early(x, n):
    for i in range(n):
        if x.sum() > 8:
            return x * i
        x = x * 2
    return x


PROGRAMS = [add_up, jump, nest, downwards, return_early]


@pytest.mark.parametrize("program", PROGRAMS)
def test_tensor_bounds_behave_like_ints_and_another_bound_compiles_nothing(program):
    compiled = jit(program)
    for count in (0, 1, 2, 5, 9):
        expected = program(X, count)
        for n in (Tensor(count), Tensor(count, ms.int32), count):
            assert compiled(X, n).tolist() == expected.tolist()
    assert compiled.cache_info().misses == 2 + 5


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_differentiated(program):
    observed = grad(jit(lambda x, n: program(x * x, n)))(X, Tensor(4))
    assert observed.tolist() == grad(lambda x: program(x * x, 4))(X).tolist()


def test_int_bounds_stay_unrolled_and_side_effects_of_the_first_trace_are_undone():
    factors, seen = [2.0, 3.0], []

    @jit
    def scale(x, n):
        for i in range(n):
            x = x * factors[i]
        return x

    @jit
    def note(x, n):
        seen.append(1)
        for i in range(n):
            x = x + i
        return x

    assert operators(scale.graph(X, 2, pipeline=())).count("mul") == 2
    assert scale(X, 2).tolist() == [6.0, 12.0]
    with pytest.warns(UserWarning, match="seen"):
        note(X, Tensor(2))
    assert seen == [1]


def test_other_uses_of_range_and_float_bounds_are_refused():
    with pytest.raises(TypeError, match=r"is unavailable while tracing .* in `range\(n\)`"):
        jit(lambda x, n: [x * i for i in list(range(n))]).graph(X, Tensor(3))
    jit(add_up)(X, Tensor(3))
    with pytest.raises(TypeError, match=r"range: its bounds are integers, got f32\[\] in .*; cast them"):
        jit(add_up).graph(X, Tensor(3.0))
    with pytest.raises(TypeError, match="is unavailable while tracing"):
        jit(add_up, capture_mode="trace").graph(X, Tensor(3))


@pytest.mark.parametrize("step", [1, -1])
def test_bounds_equal_range_and_a_step_may_be_a_tensor(step):
    assert (range_bounds(3), range_bounds(1, 3), range_bounds(5, 1, -2)) == ((0, 3, 1), (1, 3, 1), (5, 1, -2))
    assert checked_range(1, 4) == range(1, 4)
    with pytest.raises(ValueError, match="the step is 0"):
        range_bounds(0, 3, 0)
    assert bool(in_range(Tensor(2), Tensor(3), Tensor(step))) is in_range(2, 3, step)
