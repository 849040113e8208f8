"""Python functions as nodes: equal in every mode, checked against inferred types, with their own errors."""

import re

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, interpret, jit, trace
from minigraph.core.errors import CallError, DTypeError, ShapeError, UsageError
from minigraph.core.types import TensorType
from minigraph.operators.pyfunc import InputInfo, PythonCall, call_python
from tests.tables import error_cases

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def same_type(type):
    return (TensorType(type[0].shape, type[0].dtype),)


def product(x, y):
    return call_python(
        "product", np.multiply, (x, y), infer=same_type, bprop=lambda x, y, out, dout: (y * dout, x * dout)
    )


def test_values_and_gradients(wrapped):
    assert wrapped(product)(X, Y).tolist() == [3.0, 8.0]
    assert [g.tolist() for g in wrapped(grad(product, (0, 1)))(X, Y)] == [[3.0, 4.0], [1.0, 2.0]]
    assert grad(grad(product))(X, Y).tolist() == [0.0, 0.0]


def test_it_runs_at_every_run_of_the_graph_and_is_never_removed():
    seen = []

    def note(x):
        seen.append(x.tolist())
        return x

    step = jit(lambda x: (call_python("note", note, (x,), infer=same_type), x + 1)[1])
    assert step(X).tolist() == [2.0, 3.0]
    step(Y)
    assert seen == [[1.0, 2.0], [3.0, 4.0]]


def test_python_values_among_the_inputs():
    def infer(type):
        assert type[:2] == [InputInfo((2,), float32), InputInfo((), float32, 3.0)]
        return same_type(type)

    def scale(x, factor, names):
        return x * factor * len(names)

    assert jit(lambda x: call_python("scale", scale, (x, 3.0, ("a", "b")), infer=infer))(X).tolist() == [6.0, 12.0]


def test_several_results(wrapped):
    def both(x, y):
        return call_python("both", lambda x, y: (x + y, x - y), (x, y), infer=lambda type: same_type(type) * 2)

    assert [t.tolist() for t in wrapped(both)(X, Y)] == [[4.0, 6.0], [-2.0, -2.0]]


# ---- errors -------------------------------------------------------------------------------------------


def raise_value_error(x):
    raise ValueError("no such power")


def test_an_error_of_the_function_is_raised_unchanged():
    def cube(x):
        return call_python("cube", raise_value_error, (x,), infer=same_type)

    with pytest.raises(ValueError, match="^no such power") as caught:
        jit(cube)(X)
    assert str(caught.value) == "no such power"
    message = r"^cube raised ValueError: no such power in `call_python.*` \(test_pyfunc.py:\d+\)"
    assert [bool(re.match(message, note)) for note in caught.value.__notes__] == [True]
    with pytest.raises(CallError, match="cube raised"):
        interpret(trace(cube, X), X)


test_a_result_of_another_type_is_refused = error_cases(
    (np.zeros(3, np.float32), ShapeError, r"odd: it returned f32\[3\], but declares f32\[2\] in .*; change one"),
    (np.zeros(2), DTypeError, r"odd: it returned f64\[2\], but declares f32\[2\]"),
    ((np.zeros(2, np.float32),) * 2, ShapeError, r"it returned f32\[2\] and f32\[2\], but declares f32\[2\]"),
    (None, TypeError, "odd: it returned NoneType; return a Tensor or a numpy array"),
    ("text", TypeError, "odd: it returned str"),
    by=lambda returned: call_python("odd", lambda x: returned, (X,), infer=same_type),
)


def opaque(x):
    return call_python("opaque", np.sin, (x,))


test_missing_infer_and_bprop_are_errors = error_cases(
    (lambda: trace(opaque, X), ShapeError, "opaque: the type of its result is unknown .*; define infer_shape and"),
    (lambda: grad(opaque)(X), UsageError, "opaque: it has no gradient in .*; give it a bprop"),
    (lambda: opaque(3), UsageError, "opaque: at least one input is a tensor, got 3"),
    (lambda: call_python("cube", raise_value_error, (X,)), ValueError, "^no such power"),
    (lambda: call_python("lookup", lambda x: {}["key"], (X,)), KeyError, "key"),
)


def test_a_call_prints_as_its_name():
    assert repr(PythonCall("halved", np.sin)) == "halved"
