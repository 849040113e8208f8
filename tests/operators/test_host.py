"""Host calls: executed at every run, with the types they were captured with."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, errors, jit
from minigraph.core.op import apply
from minigraph.core.pytree import Leaf, Static, flatten
from minigraph.core.tensor import wrap
from minigraph.core.types import TensorType, float32
from minigraph.operators.host import HOST, HOST_PRINT, HostCall, call_with_arrays, is_result

VECTOR = TensorType((2,), float32)
X = Tensor([1.0, 2.0])
SPEC = flatten(((X,), {}), lambda item: isinstance(item, Tensor))[1]


def call_of(fn, types=(VECTOR,), out=Leaf(0)):  # noqa: B008 - a named tuple
    return HostCall(fn, SPEC, (VECTOR,), types, out, "example")


def test_a_call_is_executed_every_time_and_results_are_copies():
    # a call is executed every time
    runs = []
    call = call_of(lambda x: (runs.append(1), x.array * len(runs))[1])
    assert [apply(HOST, X, call=call).tolist() for _ in range(3)] == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    # results are copies
    out = apply(HOST, X, call=call_of(lambda x: x.array))
    out.asnumpy()[0] = 9.0
    assert X.tolist() == [1.0, 2.0]
    # several results
    types, out = (VECTOR, VECTOR), flatten([X, X], lambda item: isinstance(item, Tensor))[1]
    first, second = apply(HOST, X, call=call_of(lambda x: [x.array, -x.array], types, out))
    assert (first.tolist(), second.tolist()) == ([1.0, 2.0], [-1.0, -2.0])


def test_operands_are_read_only_and_have_the_captured_types():
    # operands are read-only
    with pytest.raises(ValueError, match="read-only"):
        call_with_arrays(lambda x: x.array.sort(), SPEC, (np.ones(2),))
    # operands of another type are refused
    with pytest.raises(errors.DTypeError, match=r"example: was traced for f32\[2\], got f32\[3\]"):
        apply(HOST, Tensor([1.0, 2.0, 3.0]), call=call_of(lambda x: x.array))


@pytest.mark.parametrize("fn", [lambda x: x.array[:1], lambda x: x.array > 0, lambda x: [x.array], lambda x: None])
def test_a_result_of_another_type_is_refused(fn):
    with pytest.raises(errors.ShapeError, match=r"example: returned .*, but f32\[2\] for arrays of ones"):
        apply(HOST, X, call=call_of(fn))


def test_an_error_of_the_function_is_raised_as_in_eager_mode():
    def inverse(x):
        return Tensor(np.linalg.inv(x.asnumpy()))

    compiled = jit(inverse)
    assert compiled(ms.ops.eye(2)).sum() == 2
    assert compiled.cache_info().segments == ()
    for fn in (inverse, compiled):
        with pytest.raises(np.linalg.LinAlgError) as error:
            fn(ms.ops.zeros((2, 2)))
        assert str(error.value) == "Singular matrix"


def test_print_is_an_effect_without_a_result(capsys):
    assert apply(HOST_PRINT, X, call=call_of(print, (), Static(type(None), "", None))) == ()
    assert capsys.readouterr().out == "[1. 2.]\n"
    assert HOST_PRINT.writes
    assert not HOST.writes


def test_result_values_and_labels():
    # values that can be results
    assert all(map(is_result, (np.ones(1), np.float32(1), True, 1, 1.0, 1j)))
    assert not any(map(is_result, ("a", None, wrap(np.ones(1)), [1.0])))
    # the label is the title
    assert HOST.label_of({"call": call_of(np.sin)}) == "example"
