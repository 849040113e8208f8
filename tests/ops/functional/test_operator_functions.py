"""Functions built from operator records."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.op import op_named
from minigraph.ops.functional.operator_functions import binary, reduction, unary


@pytest.mark.parametrize("build", [unary, binary, reduction])
def test_a_function_takes_its_name_and_doc_from_the_record(build):
    op = op_named("sum")
    assert (build(op).__name__, build(op).__doc__) == (op.name, op.doc)


def test_arguments_of_functions_built_from_records():
    # a function of one operand refuses numbers
    with pytest.raises(TypeError) as refused:
        ops.tanh(1.0)
    assert str(refused.value).startswith('Failed calling Tanh with "Tanh()(input=float)".')
    assert "wrap the value in Tensor(...)" in str(refused.value)
    # a function of two operands takes numbers
    assert repr(ops.add(1, 2)) == "Tensor(shape=[], dtype=Int64, value= 3)"
    assert ops.mul(Tensor([1.5]), 2.0).tolist() == [3.0]
    # a reduction takes axis and keep dims by position
    assert ops.mean(Tensor(np.ones((2, 3))), 1, True).shape == (2, 1)
