"""Functions see the class and the identity of their arguments as in eager mode."""

import pytest

from minigraph import Parameter, Tensor, jit
from tests.tables import cases

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
P = Parameter(Tensor([5.0, 6.0]), name="p")


def is_parameter(x, y):
    return x * 2 if isinstance(x, Parameter) else x + y


def same_object(x, y):
    return x * 2 if x is y else x + y


def exact_type(x, y):
    return x * 2 if type(x) is Tensor else x + y


def class_in_a_tuple(x, y):
    return x.sum() if x.__class__ in (Tensor,) else y.mean()


def class_name(x, y):
    return x, type(x).__name__, x.__class__.__name__, type(x + y).__name__


def type_of_other_values(x, y):
    return x * len(int.__name__) if isinstance(type(y), type) else y


def identity_in_a_list(x, y):
    return x if any(item is y for item in [x]) else y


def is_the_outer_one(x, y):
    return x * 2 if x is Y else y


PROGRAMS = (
    is_parameter, same_object, exact_type, class_in_a_tuple, class_name, type_of_other_values, identity_in_a_list,
    is_the_outer_one,
)  # fmt: skip
CALLS = ((X, Y), (X, X), (P, X), (X, P), (P, P), (Y, X), (X, Y))


def to_lists(value):
    return [to_lists(item) for item in value] if isinstance(value, tuple) else getattr(value, "tolist", lambda: value)()


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
@cases(*((program,) for program in PROGRAMS), ids=lambda program: program.__name__)
def test_arguments_equal_eager_mode(mode, program):
    compiled = jit(program, capture_mode=mode)
    for args in CALLS:
        assert to_lists(compiled(*args)) == to_lists(program(*args))


def test_a_tensor_given_twice_is_another_program():
    compiled = jit(same_object)
    assert [compiled(X, y).tolist() for y in (Y, X, Y, X)] == [[4, 6], [2, 4], [4, 6], [2, 4]]
    assert compiled.cache_info()[:2] == (2, 2)
    assert compiled.cache_info().reasons[1].startswith("other classes, or a tensor given twice")
