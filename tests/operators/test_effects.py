"""assign, print and depend, in both modes."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, errors, float16, grad, ops
from minigraph.capture.trace import trace
from minigraph.core.op import apply, op_named
from tests.tables import cases


@pytest.fixture
def weight():
    return Parameter(Tensor([1.0, 2.0]), name="w")


def test_assign_changes_the_parameter_and_returns_the_value(weight, wrapped):
    assert wrapped(lambda x: ops.assign(weight, x))(Tensor([3.0, 4.0])).tolist() == weight.tolist() == [3.0, 4.0]


def test_assigning_owns_memory_and_passes_no_gradients(weight):
    # the parameter owns its memory
    value = Tensor([3.0, 4.0])
    apply("assign", weight, value, name="w")
    assert not np.shares_memory(weight.array, value.array)
    # the value read before is unchanged
    before = weight.value()
    ops.assign(weight, Tensor([9.0, 9.0]))
    assert before.tolist() == [3.0, 4.0]
    # gradients treat the assigned value as a constant
    assert grad(lambda x: (ops.assign(weight, x * 2) * weight).sum())(Tensor([1.0, 1.0])).tolist() == [0.0, 0.0]
    assert grad(lambda x: (apply("assign", weight, x * 2, name="w") * weight).sum())(value).tolist() == [24.0, 32.0]


@cases(
    (Tensor([1.0, 2.0, 3.0]), errors.ShapeError, r"assign to 'w': it is f32\[2\], the value is f32\[3\]"),
    (Tensor([1.0, 2.0], float16), errors.DTypeError, r"assign to 'w': it is f32\[2\], the value is f16\[2\]"),
)
def test_a_wrong_value_is_refused_before_anything_changes(weight, value, error, message):
    with pytest.raises(error, match=message):
        apply("assign", weight, value, name="w")
    assert weight.tolist() == [1.0, 2.0]


def test_print_and_depend_in_a_graph():
    # effects are filled in from the attributes
    assert [tuple(e) for e in op_named("assign").effects_of({"name": "fc.weight"})] == [("write", "fc.weight")]
    assert [tuple(e) for e in op_named("print").effects_of({})] == [("write", "io")]
    assert op_named("print").writes
    assert not op_named("depend").writes
    # print has no result
    graph = trace(lambda x: ops.print_(x), Tensor([1.0]))
    assert graph.types(next(n for n in graph.topological() if graph.op(n).effects)) == ()
    # depend is its first operand
    x = Tensor([1.0])
    assert np.shares_memory(apply("depend", x, Tensor(2.0), Tensor([3])).array, x.array)
    assert grad(lambda a, b: apply("depend", a * 2, b * 3).sum(), (0, 1))(x, x)[1].tolist() == [0.0]


def test_print_prints_one_argument_per_line_in_program_order(wrapped, capsys):
    def show(x):
        ops.Print()("first", x, 3)
        ops.print_(x + 1)

    assert wrapped(show)(Tensor([1.0])) is None
    first, x, three, more = capsys.readouterr().out.splitlines()
    assert (first, three) == ("first", "3")
    assert x == "Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00])"
    assert more == "Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00])"
