"""Python functions as nodes: equal in every mode, checked against what was announced, errors kept whole."""

import re

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, interpret, jit, trace
from minigraph.core.errors import CallError, DTypeError, ShapeError, UsageError
from minigraph.core.types import TensorType
from minigraph.operators.pyfunc import Given, PythonCall, call_python
from tests.tables import refusals

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def same(given):
    return (TensorType(given[0].shape, given[0].dtype),)


def product(x, y):
    return call_python("product", np.multiply, (x, y), infer=same, bprop=lambda x, y, out, dout: (y * dout, x * dout))


@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_values_and_gradients(wrapped):
    assert wrapped(product)(X, Y).tolist() == [3.0, 8.0]
    assert [g.tolist() for g in wrapped(grad(product, (0, 1)))(X, Y)] == [[3.0, 4.0], [1.0, 2.0]]
    assert grad(grad(product))(X, Y).tolist() == [0.0, 0.0]


def test_it_runs_whenever_the_graph_runs_and_is_never_dropped():
    seen = []

    def note(x):
        seen.append(x.tolist())
        return x

    @jit
    def step(x):
        call_python("note", note, (x,), infer=same)
        return x + 1

    assert step(X).tolist() == [2.0, 3.0]
    step(Y)
    assert seen == [[1.0, 2.0], [3.0, 4.0]]


def test_plain_values_stand_among_the_inputs():
    def scaled(x, factor, names):
        return x * factor * len(names)

    def infer(given):
        assert given[:2] == [Given((2,), float32), Given((), float32, 3.0)]
        return same(given)

    @jit
    def run(x):
        return call_python("scaled", scaled, (x, 3.0, ("a", "b")), infer=infer)

    assert run(X).tolist() == [6.0, 12.0]


def test_several_results():
    def both(x, y):
        return x + y, x - y

    def infer(given):
        return same(given) * 2

    for found in (
        call_python("both", both, (X, Y)),
        jit(lambda x, y: call_python("both", both, (x, y), infer=infer))(X, Y),
    ):
        assert [t.tolist() for t in found] == [[4.0, 6.0], [-2.0, -2.0]]


# ---- refusals --------------------------------------------------------------------------------------


def raising(x):
    raise ValueError("no such power")


def test_an_error_of_the_function_is_its_own():
    with pytest.raises(ValueError, match="^no such power"):
        call_python("cube", raising, (X,))
    with pytest.raises(ValueError, match="^no such power") as caught:
        jit(lambda x: call_python("cube", raising, (x,), infer=same))(X)
    assert str(caught.value) == "no such power"
    place = r"^cube raised ValueError: no such power in `call_python.*` \(test_pyfunc.py:\d+\)"
    assert [bool(re.match(place, note)) for note in caught.value.__notes__] == [True]
    with pytest.raises(CallError, match="cube raised"):
        interpret(trace(lambda x: call_python("cube", raising, (x,), infer=same), X), X)
    with pytest.raises(KeyError):
        call_python("lookup", lambda x: {}["key"], (X,))


test_a_result_of_another_type_is_refused = refusals(
    (np.zeros(3, np.float32), ShapeError, r"odd: it returned f32\[3\], announced was f32\[2\] in .*; change one"),
    (np.zeros(2), DTypeError, r"odd: it returned f64\[2\], announced was f32\[2\]"),
    ((np.zeros(2, np.float32),) * 2, ShapeError, r"it returned f32\[2\] and f32\[2\], announced was f32\[2\]"),
    (None, TypeError, "odd: it returned NoneType; return a Tensor or a numpy array"),
    ("text", TypeError, "odd: it returned str"),
    by=lambda returned: call_python("odd", lambda x: returned, (X,), infer=same),
)


def test_what_a_graph_needs_and_nobody_said_is_asked_for():
    with pytest.raises(ShapeError, match="opaque: the type of its result is not known .*; define infer_shape and"):
        trace(lambda x: call_python("opaque", np.sin, (x,)), X)
    with pytest.raises(UsageError, match="opaque: it has no gradient in .*; give it a bprop"):
        grad(lambda x: call_python("opaque", np.sin, (x,)))(X)
    with pytest.raises(UsageError, match="opaque: at least one input is a tensor, got 3"):
        call_python("opaque", np.sin, (3,))


def test_a_call_prints_as_what_it_was_called():
    assert repr(PythonCall("halved", np.sin)) == "halved"
