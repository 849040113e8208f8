"""Python numbers that depend on a tensor stay numbers where eager mode keeps them."""

import minigraph as ms
from minigraph import Tensor
from tests.same_as_eager import same_as_eager


def number_times_a_float_tensor():
    def fn(x):
        scale = 2 if x.max() > 2 else 3
        return x * scale

    return fn


def float_times_a_double_tensor():
    def fn(x):
        scale = 0.1 if x.max() > 2 else 0.3
        return x.astype(ms.float64) * scale

    return fn


def int_times_a_short_tensor():
    def fn(x):
        n = 2 if x.max() > 2 else 3
        return x.astype(ms.int32) * n, x.astype(ms.float16) * n

    return fn


def float_arithmetic():
    def fn(x):
        a = 0.1 if x.max() > 2 else 0.7
        return x * (a * 3 + 0.2) ** 2

    return fn


def class_of_a_number():
    def fn(x):
        n = 1 if x.max() > 2 else 2
        return x * 2 if isinstance(n, int) else x

    return fn


def text_of_a_number():
    def fn(x):
        n = 1 if x.max() > 2 else 2
        return f"{n:03d} {n}"

    return fn


def argument_of_a_call():
    def fn(x):
        n = 1 if x.max() > 2 else 0
        return Tensor([1.0, 2.0])[n] + x.sum(axis=n)

    return lambda x: fn(x.reshape(1, 2))


test_numbers = same_as_eager(
    number_times_a_float_tensor, float_times_a_double_tensor, int_times_a_short_tensor, float_arithmetic,
    class_of_a_number, text_of_a_number, argument_of_a_call,
)  # fmt: skip
