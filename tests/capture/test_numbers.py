"""Python numbers that depend on a tensor stay numbers where eager mode keeps them."""

import pytest

import minigraph as ms
from minigraph import Tensor, jit
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


# ---- not, and the identity of numbers --------------------------------------------------------------


def is_small(x):
    return not x.sum() > 3


def flags_of_elements(x):
    return [not v > 1 for v in x]


def flag_plus_one(x):
    return (not x.sum() > 3) + 1, sum([not v > 1 for v in x])


def class_of_flag(x):
    return isinstance(not x.sum() > 3, bool), type(not x.sum() > 3) is bool


def flag_in_containers(x):
    return {"small": not x.sum() > 3}, f"{not x.sum() > 3}", [1, 2][not x.sum() > 3]


def loop_until_flag(x):
    done = False
    while not done:
        x = x + 1
        done = not x.sum() < 20
    return x, done


def compares_identity(x):
    small, other = not x.sum() > 3, True if x.sum() > 1 else False  # noqa: SIM210
    return small is True, small is not True, False is small, small is None, small is other, small is x


def branches_on_identity(x):
    small = not x.sum() > 3
    return x * 2 if small is True and x.sum() < 100 else x


def matches_flag(x):
    match not x.sum() > 3:
        case True:
            return x * 2
        case False:
            return x * 3


def identity_of_int(x):
    number = 1 if x.sum() > 3 else 2
    return number is True, number is x


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [
    is_small, flags_of_elements, flag_plus_one, class_of_flag, flag_in_containers, loop_until_flag, compares_identity,
    branches_on_identity, matches_flag, identity_of_int,
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_not_gives_a_bool_and_is_compares_it_as_in_eager_mode(function, mode):
    jitted = jit(function, capture_mode=mode)
    for values in ([1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [0.25, 0.5, 0.0]):
        expected, result = function(Tensor(values)), jitted(Tensor(values))
        assert described(result) == described(expected)


def described(value):
    """A result with the types of its parts."""
    if isinstance(value, tuple | list | dict):
        return [described(part) for part in (value.items() if isinstance(value, dict) else value)]
    return type(value).__name__, str(value)
