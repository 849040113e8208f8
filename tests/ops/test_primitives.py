"""MindSpore's primitives: configured first, called then."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, int32, ops
from minigraph.capture.trace import trace
from minigraph.errors import UsageError
from minigraph.op import TABLE, Op
from minigraph.ops import primitives
from minigraph.ops.functional.calls import RECORDS
from minigraph.ops.primitives import Primitive, primitive, primitive_name

X, Y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
A, B = X.array, Y.array
CLASSES = {
    name: value for name, value in vars(primitives).items()
    if isinstance(value, type) and issubclass(value, Primitive) and value is not Primitive
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_every_primitive_is_listed_under_its_own_name(name):
    assert CLASSES[name].name == name
    assert name in primitives.__all__
    assert getattr(ops, name) is CLASSES[name]
    assert repr(CLASSES[name]()).startswith(f"Prim[{name}]")
    assert callable(CLASSES[name].function)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (ops.Add()(X, Y), A + B),
        (ops.Sub()(X, 1), A - 1),
        (ops.Mul()(X, Y), A * B),
        (ops.RealDiv()(X, Y), A / B),
        (ops.MatMul()(X, Y), A @ B),
        (ops.MatMul(transpose_b=True)(X, Y), A @ B.T),
        (ops.MatMul(True)(X, Y), A.T @ B),
        (ops.BatchMatMul(transpose_a=True)(X, Y), A.T @ B),
        (ops.ReduceSum()(X), A.sum()),
        (ops.ReduceSum(keep_dims=True)(X, 0), A.sum(0, keepdims=True)),
        (ops.ReduceMean()(X, -1), A.mean(-1)),
        (ops.ReduceMax()(X, 0), A.max(0)),
        (ops.ReduceMin()(X, ()), A.min()),
        (ops.Reshape()(X, (4,)), A.reshape(4)),
        (ops.Transpose()(X, (1, 0)), A.T),
        (ops.ExpandDims()(X, 0), A[None]),
        (ops.Squeeze()(ops.ExpandDims()(X, 0)), A),
        (ops.Concat(axis=1)((X, Y)), np.concatenate([A, B], 1)),
        (ops.Stack()([X, Y]), np.stack([A, B])),
        (ops.Tile()(X, (1, 2)), np.tile(A, (1, 2))),
        (ops.BroadcastTo((2, 2, 2))(X), np.broadcast_to(A, (2, 2, 2))),
        (ops.Gather()(X, Tensor([1, 0]), 0), A[[1, 0]]),
        (ops.OneHot()(Tensor([1]), 2, Tensor(1.0), Tensor(0.0)), [[0.0, 1.0]]),
        (ops.Cast()(X, int32), A.astype(np.int32)),
        (ops.Select()(X > 2, X, Y), np.where(A > 2, A, B)),
        (ops.ReLU()(-X), np.zeros((2, 2))),
        (ops.BiasAdd()(X, Tensor([10.0, 20.0])), A + np.array([10, 20])),
        (ops.ZerosLike()(X), np.zeros((2, 2))),
        (ops.OnesLike()(X), np.ones((2, 2))),
        (ops.Depend()(X, Y), A),
    ],
)
def test_values(found, expected):
    assert np.array_equal(found.array, expected)


def test_softmax_along_its_configured_axis():
    np.testing.assert_allclose(ops.Softmax(axis=0)(X).array.sum(0), 1, rtol=1e-6)
    np.testing.assert_allclose(ops.LogSoftmax()(X).array, np.log(ops.Softmax()(X).array), rtol=1e-5)


def test_conv2d():
    x, w = Tensor(np.ones((1, 2, 4, 4), np.float32)), Tensor(np.ones((3, 2, 2, 2), np.float32))
    assert ops.Conv2D(out_channel=3, kernel_size=2)(x, w).shape == (1, 3, 3, 3)
    assert ops.Conv2D(3, 2, pad_mode="same", stride=2)(x, w).shape == (1, 3, 2, 2)
    assert ops.Conv2D(3, 2, pad_mode="pad", pad=1)(x, w).shape == (1, 3, 5, 5)


def test_assigning():
    p = Parameter(Tensor([1.0]), name="p")
    ops.Assign()(p, Tensor([5.0]))
    ops.AssignAdd()(p, 2.0)
    ops.AssignSub()(p, Tensor([1.0]))
    assert (p.tolist(), p.dtype) == ([6.0], float32)


def test_matmul_is_strictly_two_dimensional():
    with pytest.raises(ValueError, match="MatMul inputs should have the same dimension size and equal to 2."):
        ops.MatMul()(Tensor([1.0]), Tensor([1.0]))


def test_a_configuration_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"MatMul: no configuration 'transpose_c'; did you mean 'transpose_[ab]'\?"):
        ops.MatMul(transpose_c=True)
    with pytest.raises(UsageError, match="Add: takes 0 configuration values, got 1"):
        ops.Add(1)


def test_a_primitive_of_ones_own():
    assert primitive("Twice", lambda x, times: x * times, times=2)(3)(X).tolist() == (A * 3).tolist()


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
