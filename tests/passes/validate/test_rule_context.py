"""A test context is a program as a function of tensors, whose types can be changed."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.errors import ShapeError
from minigraph.core.types import TensorType, float32
from passes.rewrite.tracing import trace_pattern
from passes.validate.operands import Operand
from passes.validate.rule_context import RuleContext, context_of, evaluate_terms


def square_context(*shape):
    """x @ x for an x of this shape."""
    return RuleContext(lambda x: x @ x, ("x",), (Operand(TensorType(shape, float32)),))


def test_the_result_is_followed_by_a_cast_to_its_own_dtype():
    graph = square_context(2, 2).graph()
    (out,) = graph.outs
    assert str(graph.op(out)) == "cast" and graph.type(out) == graph.type(graph.ins(out)[0])
    assert graph.type(out) == TensorType((2, 2), float32)


def test_the_context_can_have_other_types():
    context = square_context(2, 2).with_types([TensorType((3, 3), float32)])
    assert context.graph().type(context.graph().outs[0]).shape == (3, 3)
    assert (square_context(2, 2).size, context.size) == (6, 11)
    with pytest.raises(ShapeError):
        square_context(2, 3).graph()


def test_a_captured_program_is_a_context():
    context = context_of(trace(lambda x, y: x @ y, Tensor(np.ones((2, 3))), Tensor(np.ones((3, 4)))))
    assert context.names == ("x", "y")
    assert [str(t) for t in context.types] == ["f64[2,3]", "f64[3,4]"]
    assert len(context.graph()) == 4


def test_a_term_is_evaluated_on_tensors():
    pattern = trace_pattern(lambda x, y: x - y * 2).results
    values = {"x": Tensor(7.0), "y": Tensor(1.5)}
    assert evaluate_terms(pattern, values, {}, set()).asnumpy() == 4.0
    assert evaluate_terms(pattern, values, {}, {id(pattern[0])}).asnumpy() == -4.0
