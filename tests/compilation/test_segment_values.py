"""Values that segments hand on: where jumps and exceptions go, in objects, to gradients; and what objects outlive."""

import contextlib
import functools
import warnings
import weakref

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, ops
from minigraph.compilation import OpByOpWarning
from tests.same_as_eager import INPUTS, same_as_eager

# ---- where jumps and exceptions go -----------------------------------------------------------------


def leaves_a_loop():
    def step(x):
        y = x * 0
        for i in range(3):
            y = x * i + 1
            n = int(x.max())
            if n > 2 and i == 1:
                break
            y = x
        return y

    return step


def goes_on_with_a_loop():
    def step(x):
        y, total = x * 0, x * 0
        for i in range(3):
            total = total + y
            y = x * i + 1
            n = int(x.max())
            if n > 2:
                continue
            y = x
        return total

    return step


def leaves_a_while():
    def step(x):
        y, i = x * 0, 0
        while i < 3:
            y = x * i + 1
            n = int(x.max())
            i += 1
            if n > 2:
                break
            y = x
        return y

    return step


def reads_in_the_else_of_a_while():
    def step(x):
        y = x * 2 + 1
        n = int(x.sum())
        while n > 3:
            y = x + 1
            n -= 4
        else:
            x = y * 2
        return x

    return step


def leaves_a_with():
    def step(x):
        y = x * 0
        for i in range(3):
            with contextlib.nullcontext():
                y = x * i + 1
                n = int(x.max())
                if n > 2:
                    break
                y = x
        return y

    return step


def leaves_two_loops():
    def step(x):
        y = x * 0
        for j in range(2):  # noqa: B007 - used after the loop
            for i in range(3):
                y = x * i + 1
                n = int(x.max())
                if n > 2:
                    break
                y = x
            else:
                continue
            break
        return y * (j + 1)

    return step


def leaves_a_try_in_a_loop():
    def step(x):
        y = x * 0
        for i in range(3):
            try:
                y = x * i + 1
                n = int(x.max())
                if n > 2:
                    break
                y = x
            finally:
                x = x + 1
        return y

    return step


def returns_through_finally():
    seen = []

    def step(x):
        y = x
        try:
            y = x * 2 + 1
            n = int(x.max())
            return x * n + 1
        finally:
            seen.append(y)

    return step, lambda: seen


def raises_to_a_handler():
    def step(x):
        y = x
        try:
            y = x * 2 + 1
            n = int(x.max())
            if n > 2:
                raise ValueError(n)
            y = x
        except ValueError:
            return y * 3
        return x

    return step


def raises_through_finally():
    seen = []

    def step(x):
        y = x
        try:
            y = x * 2 + 1
            raise ValueError(int(x.max()))
        finally:
            seen.append(y)

    return step, lambda: seen


def binds_in_a_default():
    def step(x):
        def other(a=(k := x * 2 + 1)):
            return a

        n = int(x.max())
        return other() * n + k

    return step


def defines_a_coroutine():
    def step(x):
        async def double():
            return x * 2

        try:
            double().send(None)
        except StopIteration as end:
            return end.value + 1

    return step


test_variables_are_those_of_eager_mode_where_jumps_and_exceptions_go = same_as_eager(
    leaves_a_loop, goes_on_with_a_loop, leaves_a_while, reads_in_the_else_of_a_while, leaves_a_with, leaves_two_loops,
    leaves_a_try_in_a_loop, returns_through_finally, raises_to_a_handler, raises_through_finally, binds_in_a_default,
    defines_a_coroutine,
)  # fmt: skip


# ---- objects that are released ---------------------------------------------------------------------


class Thing:
    pass


def finalizes_at_a_new_value():
    log = []

    def step(x):
        instance = Thing()
        weakref.finalize(instance, log.append, 1)
        y = x * 2 + 1
        instance = None  # releases it
        return y * len(log)

    return step, lambda: log


def finalizes_at_del():
    log = []

    def step(x):
        instance = Thing()
        weakref.finalize(instance, log.append, 1)
        del instance
        return x * 2 + len(log)

    return step, lambda: log


test_objects_are_released_when_they_are_in_eager_mode = same_as_eager(finalizes_at_a_new_value, finalizes_at_del)


# ---- numpy arrays that share memory ----------------------------------------------------------------


def writes_to_a_view_of_a_tensor():
    def step(x):
        y = x * 2 + 1
        a = y.asnumpy()
        b = a[::-1]
        a[0] = 7.0
        return Tensor(b) * x + 1, b, y

    return step


def writes_to_an_array_of_two_names():
    def step(x):
        a = np.sin(x.asnumpy()) + 1
        b = a
        n = int(x.max())
        a += n
        return Tensor(b) * x + 1, a is b

    return step


def writes_to_an_array_of_its_own():
    def step(x):
        a, y = np.cos(x.asnumpy()) + 1, x * 2 + 1
        a[0] = 5.0
        return Tensor(a) * y * 2 + 1

    return step


test_arrays_share_memory_as_in_eager_mode = same_as_eager(
    writes_to_a_view_of_a_tensor, writes_to_an_array_of_two_names, writes_to_an_array_of_its_own
)


# ---- gradients through objects ---------------------------------------------------------------------


def in_an_attribute(x):
    instance = Thing()
    instance.value = x * 2 + 1
    n = int(x.max())
    return instance.value * n * 2 + 1


def in_a_closure(x):
    y = x * 2 + 1

    def other(z):
        return z * y

    n = int(x.max())
    return other(x) * n * 2 + 1


def in_a_default(x):
    y = x * 2 + 1
    other = lambda z, y=y: z * y  # noqa: E731 - holds a value in its default
    n = int(x.max())
    return other(x) * n * 2 + 1


def in_a_partial(x):
    other = functools.partial(lambda a, b: a * b, x * 2 + 1)
    n = int(x.max())
    return other(x) * n * 2 + 1


def in_a_bound_method(x):
    other = Holder(x * 2 + 1).times
    n = int(x.max())
    return other(x) * n * 2 + 1


class Holder:
    def __init__(self, value):
        self.value = value

    def times(self, x):
        return self.value * x


KEPT = Thing()


def in_an_outer_object(x):
    KEPT.value = x * 2 + 1
    n = int(x.max())
    return KEPT.value * n * 2 + 1


def in_state_of_a_jitted_function(x):
    KEPT.value = x * 2 + 1
    return times_kept(x) * 2 + 1


@jit
def times_kept(x):
    return KEPT.value * x + 1 if x.sum() > 0 else KEPT.value


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [
    in_an_attribute, in_a_closure, in_a_default, in_a_partial, in_a_bound_method, in_an_outer_object,
])  # fmt: skip
def test_gradients_pass_through_objects_between_segments(function, mode):
    with warnings.catch_warnings(action="ignore", category=OpByOpWarning):
        of_loss = ms.value_and_grad(lambda x, step: (step(x) ** 2).sum())
        captured = jit(function, capture_mode=mode)
        for values in INPUTS:
            assert repr(of_loss(Tensor(values), captured)) == repr(of_loss(Tensor(values), function))


def writes_to_constants_of_a_segment(x):
    rows, number = Tensor([1.0, 2.0, 3.0]), Tensor(5.0)
    total = sum(row for row in rows if row > 1)  # the rows are views
    y = ops.sin(x) * total + number
    n = int(y.sum())
    rows[0] += 10.0
    number[...] = 3.0
    return y * n * rows[0] * number


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_gradients_pass_through_segments_whose_constants_are_written_to(mode):
    captured = jit(writes_to_constants_of_a_segment, capture_mode=mode)
    eager = ms.grad(writes_to_constants_of_a_segment)
    for values in ([1.0, 2.0], [3.0, 1.0], [1.0, 2.0]):
        assert ms.grad(lambda x: captured(x))(Tensor(values)).tolist() == eager(Tensor(values)).tolist()


def test_gradients_pass_through_outer_tensors_of_a_jitted_function():
    for values in INPUTS:
        gradients = [ms.grad(lambda x: (in_state_of_a_jitted_function(x) ** 2).sum())(Tensor(values)) for _ in range(2)]
        KEPT.value = y = Tensor(values) * 2 + 1
        outcome = times_kept.fn(Tensor(values)) * 2 + 1
        slope = outcome * 2 * (2 * (y + Tensor(values) * 2) if sum(values) > 0 else 4)
        assert [g.tolist() for g in gradients] == [slope.tolist()] * 2


def test_a_gradient_with_respect_to_a_closure_variable():
    def loss(w):
        return jit(lambda x: (x * w).sum())(Tensor([1.0, 2.0]))

    assert ms.grad(loss)(Tensor([3.0, 4.0])).tolist() == [1.0, 2.0]
    assert ms.grad(lambda w: ms.grad(loss)(w * w).sum() + loss(w * w))(Tensor([3.0, 4.0])).tolist() == [6.0, 16.0]
