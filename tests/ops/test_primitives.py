"""What every primitive is: a configuration, a function, a name."""

import numpy as np
import pytest

from minigraph import Tensor, int32, ops
from minigraph.capture.trace import trace
from minigraph.errors import UsageError
from minigraph.op import TABLE, Op
from minigraph.ops import operations
from minigraph.ops.functional.calls import RECORDS
from minigraph.ops.primitives import Primitive, primitive, primitive_name

X = Tensor([[1.0, 2.0], [3.0, 4.0]])
CLASSES = {
    name: value
    for name, value in vars(operations).items()
    if isinstance(value, type) and issubclass(value, Primitive) and value is not Primitive
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_primitive_is_listed_under_its_own_name(name):
    assert CLASSES[name].name == name
    assert getattr(ops, name) is CLASSES[name]
    assert repr(CLASSES[name]()).startswith(f"Prim[{name}]")
    assert callable(CLASSES[name].function)


def test_a_configuration_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"MatMul: no configuration 'transpose_c'; did you mean 'transpose_[ab]'\?"):
        ops.MatMul(transpose_c=True)
    with pytest.raises(UsageError, match="Add: takes 0 configuration values, got 1"):
        ops.Add(1)


def test_a_primitive_of_ones_own():
    twice = primitive("Twice", lambda x, times: x * times, times=2)
    assert twice(3)(X).tolist() == (X.array * 3).tolist()
    assert (repr(twice()), repr(ops.Add())) == ("Prim[Twice]<times=2>", "Prim[Add]")


# ---- names -----------------------------------------------------------------------------------------

OF_ONE = [op for op in TABLE.values() if op in RECORDS.values() and primitive_name(op) in CLASSES]
MORE = {  # operators whose functions take more than tensors: a call of the primitive, and its operands
    "ReduceSum": (lambda x: ops.ReduceSum()(x, 0), "sum"),
    "ReduceMean": (lambda x: ops.ReduceMean()(x, 0), "mean"),
    "ReduceMax": (lambda x: ops.ReduceMax()(x, 0), "max"),
    "ReduceMin": (lambda x: ops.ReduceMin()(x, 0), "min"),
    "MatMul": (lambda x: ops.MatMul()(x, x), "matmul"),
    "Div": (lambda x: ops.Div()(x, x), "div"),
    "Pow": (lambda x: ops.Pow()(x, x), "pow"),
    "Cast": (lambda x: ops.Cast()(x, int32), "cast"),
    "Reshape": (lambda x: ops.Reshape()(x, (4,)), "reshape"),
    "Transpose": (lambda x: ops.Transpose()(x, (1, 0)), "transpose"),
    "ExpandDims": (lambda x: ops.ExpandDims()(x, 0), "expand_dims"),
    "BroadcastTo": (lambda x: ops.BroadcastTo((3, 2, 2))(x), "broadcast_to"),
    "Concat": (lambda x: ops.Concat()((x, x)), "concat"),
    "Stack": (lambda x: ops.Stack()((x, x)), "stack"),
    "GeLU": (lambda x: ops.GeLU()(x), "gelu"),
    "Softmax": (lambda x: ops.Softmax()(x), "softmax"),
    "LogSoftmax": (lambda x: ops.LogSoftmax()(x), "log_softmax"),
    "Depend": (lambda x: ops.Depend()(x, x), "depend"),
    "Print": (lambda x: ops.Print()(x), "print"),
    "WhileLoop": (lambda x: ops.WhileLoop()(lambda v: v.sum() < 9, lambda v: v * 2, x), "while_loop"),
    "Scan": (lambda x: ops.Scan()(lambda s, row: (s + row, row), x[0], x)[0], "scan"),
}


def operators(fn, *args):
    graph = trace(fn, *args)
    return [graph.op(node).name for node in graph if not graph.op(node).is_leaf]


@pytest.mark.parametrize("op", OF_ONE, ids=str)
def test_an_operator_is_called_after_the_primitive_that_is_it(op):
    sample = op.samples(np.random.default_rng(0))[0]
    assert operators(CLASSES[primitive_name(op)](), *map(Tensor, sample.args)) == [op.name]


@pytest.mark.parametrize("name", MORE)
def test_primitives_with_more_arguments_name_their_operator(name):
    call, op = MORE[name]
    assert primitive_name(TABLE[op]) == name
    assert op in operators(call, X)


def test_an_operator_without_primitive_is_called_in_camel_case():
    named = [Op(name, abs, abs) for name in ("my_own_op", "_", "aB_c", "a.b")]
    assert [primitive_name(op) for op in named] == ["MyOwnOp", "_", "ABC", "A.b"]
