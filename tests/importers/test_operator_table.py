import numpy as np
import pytest

from minigraph import Tensor, jit, trace
from minigraph.core.errors import ModelError, UnknownNameError
from minigraph.importers.operator_table import Converter, OperatorTable, known_value
from tests.tables import cases

TABLE = OperatorTable("ONNX", {
    "Clip": lambda x, *, min=None, max=None: "old",
    "Clip@11": lambda x, min=None, max=None: "new",
    "Reshape": Converter(lambda x, shape, *, allowzero=0: shape.tolist(), known="shape"),
    "Sum": lambda *xs: len(xs),
})  # fmt: skip


def test_the_newest_row_up_to_a_version():
    assert [TABLE.converter("Clip", version)(1) for version in (7, 10, 11, 99)] == ["old", "old", "new", "new"]
    assert TABLE.versions("Clip") == [0, 11] and TABLE.find("Relu", 7) is None and len(TABLE.names) == 3


def test_an_unknown_operator_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="no ONNX operator 'Clop' at Clop node 'c'; did you mean 'Clip'?"):
        TABLE.converter("Clop", 13, "Clop node 'c'")


@cases(
    ("Clip", 1, {"mini": 0}, "c: the attribute 'mini' is not supported; did you mean 'min'?"),
    ("Clip", 2, {}, "c: takes 1 operands, got 2; remove the last ones"),
    ("Reshape", 1, {}, "c: takes 2 operands, got 1; connect the others"),
)
def test_attributes_and_operands_that_a_row_does_not_take(name, operands, attrs, message):
    with pytest.raises(ModelError) as error:
        TABLE.converter(name, 7).check("c", operands, attrs)
    assert str(error.value) == message


def test_operands_that_must_be_known_are_arrays():
    assert TABLE.converter("Reshape", 7)(Tensor(1.0), Tensor([2, 3])) == [2, 3]
    assert known_value(None, "x") is None
    with pytest.raises(ModelError, match="the value of the operand 'shape' is known only when the graph runs"):
        trace(lambda shape: TABLE.converter("Reshape", 7)(Tensor(1.0), shape), Tensor([2, 3]))


def test_a_call_changes_no_converter():
    """An imported network's calls reach it: if it changed, the first call under @jit could not be a graph."""
    converter = Converter(lambda x, shape=None, *, axis=0: x.sum(axis), known="shape")
    before = dict(vars(converter))
    converter.check("node 'a'", 1, {"axis": 0})
    x = Tensor(np.ones((2, 3), np.float32))
    jitted = jit(lambda x: converter(x, axis=1), fullgraph=True)
    assert jitted(x).tolist() == [3, 3] and vars(converter) == before
