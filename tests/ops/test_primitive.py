"""Primitives: configuration, function and name."""

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, int32, jit, ops
from minigraph.capture.trace import trace
from minigraph.core.errors import UsageError
from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType
from minigraph.operators.registry import bprop_getters
from minigraph.ops import operations
from minigraph.ops.functional.operator_functions import RECORDS
from minigraph.ops.primitive import REQUIRED, FunctionPrimitive, primitive, primitive_name, types_of
from tests.nn.cells import AttributeCell
from tests.tables import error_cases, in_one_test

X = Tensor([[1.0, 2.0], [3.0, 4.0]])
A = X.array
CLASSES = {
    name: value
    for name, value in vars(operations).items()
    if isinstance(value, type) and issubclass(value, FunctionPrimitive)
}


@in_one_test(CLASSES)
def test_every_primitive_is_listed_under_its_own_name(name):
    assert CLASSES[name].name == name
    assert getattr(ops, name) is CLASSES[name]
    required = [1 for value in CLASSES[name].defaults.values() if value is REQUIRED]
    assert repr(CLASSES[name](*required)).startswith(f"Prim[{name}]")
    assert callable(CLASSES[name].function)


test_unknown_attributes_suggest_the_nearest = error_cases(
    (lambda: ops.MatMul(transpose_c=True), UsageError, r"no attribute 'transpose_c' in .*; did you mean 'transpos"),
    (lambda: ops.Add(1), UsageError, "Add: takes 0 attributes, got 1"),
    (lambda: ops.Conv2D(3), TypeError, "Conv2D: the attribute 'kernel_size' is missing"),
    (lambda: types_of("op", (2,), (float32, int32)), UsageError, "op: 1 shapes and 2 dtypes; pass one of each"),
)


def test_new_primitives_and_operators_without_a_primitive():
    # a primitive of ones own
    twice = primitive("Twice", lambda x, times: x * times, times=2)
    assert twice(3)(X).tolist() == (X.array * 3).tolist()
    assert (repr(twice()), repr(ops.Add())) == ("Prim[Twice]<times=2>", "Prim[Add]")
    # an operator without primitive is called in camel case
    named = [Op(name, abs, abs) for name in ("my_own_op", "_", "aB_c", "a.b")]
    assert [primitive_name(op) for op in named] == ["MyOwnOp", "_", "ABC", "A.b"]


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
def test_an_operator_is_named_after_its_primitive(op):
    sample = op.samples(np.random.default_rng(0))[0]
    assert operators(CLASSES[primitive_name(op)](), *map(Tensor, sample.args)) == [op.name]


@pytest.mark.parametrize("name", MORE)
def test_primitives_with_more_arguments_name_their_operator(name):
    call, op = MORE[name]
    assert primitive_name(TABLE[op]) == name
    assert op in operators(call, X)


# ---- primitives of the user's own ------------------------------------------------------------------


class Cubed(ops.PrimitiveWithInfer):
    """y = scale x^3, as in tutorials of custom operators."""

    @ops.prim_attr_register
    def __init__(self, scale=1.0):
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def vm_impl(self, x):
        return Tensor(self.scale * x.asnumpy() ** 3)

    def infer_shape(self, x_shape):
        return x_shape

    def infer_dtype(self, x_dtype):
        return x_dtype


@bprop_getters.register(Cubed)
def get_bprop_cubed(self):
    return lambda x, out, dout: (dout * (3 * self.scale) * x * x,)


class Wrapped(AttributeCell):
    def construct(self, x):
        return self.cube(x) + 1


def test_user_primitives_and_their_gradients(mode):
    x, net = Tensor([1.0, 2.0]), Wrapped(cube=Cubed(2.0))
    assert net(x).tolist() == [3.0, 17.0]
    assert grad(net)(x).tolist() == [6.0, 24.0]
    assert jit(grad(Cubed(2.0)))(x).tolist() == [6.0, 24.0]
    assert grad(grad(Cubed(1.0)))(x).tolist() == [6.0, 12.0]


def test_attributes_and_a_missing_kernel():
    # its arguments are attributes and print
    cube = Cubed(scale=2.0)
    assert (cube.name, cube.scale, cube.attrs["scale"]) == ("Cubed", 2.0, 2.0)
    assert repr(cube) == "Prim[Cubed]<scale=2.0, input_names=['x'], output_names=['y']>"
    assert cube.add_prim_attr("axis", 1) is cube
    assert cube.axis == 1
    # the error for a missing kernel names the remedy
    with pytest.raises(RuntimeError) as caught:
        ops.Primitive("MyOwn")(X)
    first, second = str(caught.value).splitlines()
    assert first == "Unsupported op [MyOwn] on CPU."
    assert "(test_primitive.py:" in second
    assert second.endswith("; define vm_impl(self, *inputs) in Primitive, or register it with vm_impl_registry")


def test_get_bprop_and_infer_as_methods():
    class Halved(ops.Primitive):
        def __infer__(self, x):
            assert x["value"] is None
            return {"shape": x["shape"], "dtype": x["dtype"], "value": None}

        def vm_impl(self, x):
            return x.asnumpy() / 2

        def get_bprop(self):
            return lambda x, out, dout: (dout * 7,)

    assert jit(Halved("Halved"))(X).tolist() == (A / 2).tolist()
    assert grad(Halved("Halved"))(X).tolist() == np.full((2, 2), 7.0).tolist()


def test_primitive_with_check():
    class Positive(ops.PrimitiveWithCheck):
        def check_shape(self, shape):
            if len(shape) != 2:
                raise ValueError("two axes")

        def check_dtype(self, dtype):
            assert dtype is float32

        def vm_impl(self, x):
            return x

    assert Positive("Positive")(X).tolist() == A.tolist()
    with pytest.raises(ValueError, match="two axes"):
        Positive("Positive")(Tensor([1.0]))


def test_types_of_and_constexpr():
    assert types_of("op", [2, 3], float32) == (TensorType((2, 3), float32),)
    assert types_of("op", (), float32) == (TensorType((), float32),)
    assert types_of("op", ([2], [3]), (float32, int32)) == (TensorType((2,), float32), TensorType((3,), int32))
    doubled, tripled = ops.constexpr(lambda n: 2 * n), ops.constexpr(reuse_result=False)(lambda n: 3 * n)
    assert (doubled(2), tripled(2)) == (4, 6)


def test_inputs_may_have_the_names_of_arguments():
    x = Tensor([[1.0, 2.0]])
    assert ops.Add()(input=x, other=x).tolist() == [[2.0, 4.0]]
    assert ops.ReduceSum(keep_dims=True)(x, axis=1).tolist() == [[3.0]]
    assert ops.Concat(axis=1)(tensors=(x, x)).shape == (1, 4)
