"""Tracers: tensors with a type but without a value."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit
from minigraph.capture.trace import capture
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import TraceError
from minigraph.core.types import TensorType, float32
from tests.tables import error_cases

X = Tensor([[1.0, 2.0]])


def captured_tracer(look):
    """The tracer with which a function is called, for a test to inspect."""
    observed = []
    capture(lambda x: observed.append((x, look(x))), [X], {})
    return observed[0]


def test_a_tracer_has_a_type_and_a_node_but_no_value_and_is_closed_with_its_graph():
    tracer, (observed, was_closed) = captured_tracer(lambda x: ((x.shape, x.dtype, x.type, x.ndim), x.is_closed))
    assert isinstance(tracer, Tracer) and tracer.is_traced
    assert observed == ((1, 2), float32, TensorType((1, 2), float32), 2)
    assert (
        captured_tracer(repr)[1] == captured_tracer(str)[1] == "Tensor(shape=[1, 2], dtype=Float32, value= <traced %0>)"
    )
    assert (was_closed, tracer.is_closed) == (False, True)
    with pytest.raises(TraceError, match="was kept after tracing ended"):
        _ = tracer.array


VALUE = r"the value of f32\[1,2\] %0 is unavailable"
test_missing_attributes_and_uses_of_the_value_are_refused = error_cases(
    (lambda x: np.sum(x), TraceError, rf"^numpy.sum: {VALUE} while tracing"),
    (lambda x: x.reshap(2), AttributeError, r"'reshap'\nin `.*` \(test_tracer.py:\d+\); did .* 'reshape'"),
    (lambda x: f"{x:.2f}", TraceError, rf"^format '.2f': {VALUE}"),
    by=captured_tracer,
)


def test_numpy_functions_of_shapes_and_the_text_of_a_tracer():
    assert captured_tracer(lambda x: (np.shape(x), np.size(x), np.size(x, 1), np.ndim(x)))[1] == ((1, 2), 2, 2, 2)
    assert captured_tracer(lambda x: hasattr(x, "reshap"))[1] is False
    assert captured_tracer(lambda x: f"{x}")[1].startswith("Tensor(shape=[1, 2]")


def test_gradient_nodes_take_the_line_of_the_forward_node():
    def look(x):
        before = x.tracing.forward
        with x.mark_gradient_nodes():
            inside = x.tracing.forward, x.tracing.graph.by
        return before, inside, x.tracing.forward

    assert captured_tracer(look)[1] == (None, (0, "gradient"), None)


def asks_isinstance(x):
    if (x > 0).any():
        x = x * (2.0 if isinstance(x, Parameter) else 3.0)
    return x.sum()


def asks_isinstance_by_map(x):
    if (x > 0).any():
        x = x * (2.0 if all(map(isinstance, [x], [Parameter])) else 3.0)
    return x.sum()


def asks_hasattr(x):
    if (x > 0).any():
        x = x * (2.0 if hasattr(x, "requires_grad") else 3.0)
    return x.sum()


def asks_getattr(x):
    if (x > 0).any():
        x = x * (2.0 if getattr(x, "name", "") == "weight" else 3.0)
    return x.sum()


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("program", [asks_isinstance, asks_isinstance_by_map, asks_hasattr, asks_getattr])
def test_a_branch_sees_whether_an_argument_is_a_parameter(program):
    for argument in (Parameter(Tensor([1.0, 2.0]), name="weight"), Tensor([1.0, 2.0])):
        assert jit(program)(argument).tolist() == program(argument).tolist()


def test_errors_of_python_name_the_class_of_eager_mode():
    def shifted(x):
        return x << 1

    def with_attribute(x):
        x.tag = 1
        return x

    for function in (shifted, with_attribute):
        messages = []
        for step in (function, jit(function, fullgraph=True)):
            with pytest.raises((TypeError, AttributeError, RuntimeError)) as caught:
                step(Tensor([1.0]))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
