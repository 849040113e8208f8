"""A Tensor's operators and methods: each is one call through the door, with numpy's meaning."""

import inspect
import operator

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.errors import RangeError, UsageError
from minigraph.op import interpreting
from minigraph.operators import Operand, Operators, Slice, index_key

A = np.array([[1.5, -2.0, 3.0], [4.0, 0.5, -6.0]], np.float32)
B = np.array([[2.0, 3.0, -0.5], [1.0, 0.5, 6.0]], np.float32)
FLAGS = np.array([True, False, True]), np.array([True, True, False])

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
LOGIC = ["and_", "or_", "xor"]


class Calls:
    """An interpreter that computes nothing: its value of a call is the call."""

    typed = False

    def lift(self, op, args):
        return args

    def emit(self, op, args, attrs):
        return op.name, args, attrs


def same(tensor, expected):
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-6)
    assert tensor.shape == np.shape(expected)


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("other", [B, np.float32([2.0, 0.5, 1.0])], ids=["same", "broadcast"])
def test_two_tensors(name, other):
    f = getattr(operator, name)
    base = np.abs(A) if name == "pow" else A
    same(f(Tensor(base), Tensor(other)), f(base, other))


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("number", [2, 2.5], ids=str)
def test_a_number_on_either_side(name, number):
    f = getattr(operator, name)
    base = np.abs(A)
    same(f(Tensor(base), number), f(base, np.float32(number)))
    same(f(number, Tensor(base)), f(np.float32(number), base))


@pytest.mark.parametrize("name", ARITHMETIC)
def test_the_order_of_operands_is_kept_through_the_door(name):
    x, f = Tensor([1.0]), getattr(operator, name)
    with interpreting(Calls()):
        (left, left_args, _), (right, right_args, _) = f(x, 3), f(3, x)
    assert left == right
    assert left_args[0] is right_args[1] is x and left_args[1] == right_args[0] == 3


@pytest.mark.parametrize("name", LOGIC)
def test_logic_of_flags(name):
    f = getattr(operator, name)
    same(f(*map(Tensor, FLAGS)), f(*FLAGS))
    same(f(True, Tensor(FLAGS[1])), f(True, FLAGS[1]))


def test_signs():
    same(-Tensor(A), -A)
    same(abs(Tensor(A)), abs(A))
    same(~Tensor(FLAGS[0]), ~FLAGS[0])
    x = Tensor(A)
    assert +x is x


def test_matrix_products():
    same(Tensor(A) @ Tensor(B.T), A @ B.T)
    with interpreting(Calls()):
        assert Operators.__rmatmul__(Tensor(A), "left")[1][0] == "left"


def test_none_equals_no_tensor_and_tensors_are_hashed_by_identity():
    x, y = Tensor([1.0]), Tensor([1.0])
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert len({x, y, x}) == 2


# ---- methods -----------------------------------------------------------------------------------------

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
METHODS = {
    "abs": (lambda t: t.abs(), abs), "exp": (lambda t: t.exp(), np.exp), "log": (lambda t: (t + 1).log(), np.log1p),
    "sqrt": (lambda t: t.sqrt(), np.sqrt), "tanh": (lambda t: t.tanh(), np.tanh),
    "pow": (lambda t: t.pow(2), np.square),
    "sigmoid": (lambda t: t.sigmoid(), lambda a: 1 / (1 + np.exp(-a))),
    "clip": (lambda t: t.clip(3, 9), lambda a: a.clip(3, 9)), "clip low": (lambda t: t.clip(3), lambda a: a.clip(3)),
    "clip high": (lambda t: t.clip(max=9), lambda a: a.clip(None, 9)), "clip none": (lambda t: t.clip(), lambda a: a),
    "reshape": (lambda t: t.reshape(4, -1), lambda a: a.reshape(4, 6)),
    "view": (lambda t: t.view((6, 4)), lambda a: a.reshape(6, 4)),
    "flatten": (lambda t: t.flatten(), np.ravel), "flatten some": (lambda t: t.flatten(1), lambda a: a.reshape(2, 12)),
    "flatten first": (lambda t: t.flatten(0, 1), lambda a: a.reshape(6, 4)),
    "transpose": (lambda t: t.transpose(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "transpose all": (lambda t: t.transpose(), np.transpose), "T": (lambda t: t.T, np.transpose),
    "transpose two": (lambda t: t.transpose(0, -1), lambda a: a.swapaxes(0, -1)),
    "transpose tuple": (lambda t: t.transpose((1, 2, 0)), lambda a: a.transpose(1, 2, 0)),
    "permute": (lambda t: t.permute(1, 0, 2), lambda a: a.transpose(1, 0, 2)),
    "swapaxes": (lambda t: t.swapaxes(-1, 1), lambda a: a.swapaxes(-1, 1)),
    "mT": (lambda t: t.mT, lambda a: a.swapaxes(-2, -1)),
    "broadcast_to": (lambda t: t.broadcast_to(5, 2, 3, 4), lambda a: np.broadcast_to(a, (5, 2, 3, 4))),
    "expand": (lambda t: t.expand((2, -1, 4)), lambda a: a),
    "expand_dims": (lambda t: t.expand_dims(1), lambda a: a[:, None]),
    "unsqueeze": (lambda t: t.unsqueeze(-1), lambda a: a[..., None]),
    "squeeze": (lambda t: t[:1].squeeze(), lambda a: a[0]),
    "squeeze one": (lambda t: t[:1, :1].squeeze(0), lambda a: a[0, :1]),
    "sum": (lambda t: t.sum(), np.sum),
    "sum axes": (lambda t: t.sum((0, -1), True), lambda a: a.sum((0, 2), keepdims=True)),
    "mean": (lambda t: t.mean(1, keep_dims=True), lambda a: a.mean(1, keepdims=True)),
    "max": (lambda t: t.max(-1), lambda a: a.max(-1)), "min": (lambda t: t.min(), np.min),
    "argmax": (lambda t: t.argmax(1), lambda a: a.argmax(1)), "argmax all": (lambda t: t.argmax(), np.argmax),
    "softmax": (lambda t: t.softmax(0), lambda a: np.exp(a) / np.exp(a).sum(0)),
    "astype": (lambda t: t.astype(ms.int64), lambda a: a.astype(int)), "to": (lambda t: t.to(ms.float64), lambda a: a),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_a_method_means_what_numpys_does(name):
    method, meaning = METHODS[name]
    same(method(Tensor(CUBE)), meaning(CUBE))


def test_every_method_is_tried():
    members = {name for name, _ in inspect.getmembers(Operators) if not name.startswith("_")}
    assert members <= {name.split()[0] for name in METHODS}


def test_dtypes_of_results():
    x = Tensor(CUBE)
    assert x.to(ms.float16).dtype is ms.float16 and x.argmax().dtype is ms.int64 and (x > 1).dtype is ms.bool_
    assert (Tensor([1, 2]) / 2).dtype is ms.float32 and (Tensor([1, 2]) // 2).dtype is ms.int64


@pytest.mark.parametrize("axes, error, told", [
    ((3, 0), RangeError, "swapaxes: axis 3 does not exist in a tensor of rank 3 .*; use -3 to 2"),
    ((0, -4), RangeError, "axis -4 does not exist"),
    (("a", 0), UsageError, "swapaxes: an axis is an int, got 'a'"),
    ((True, 0), UsageError, "an axis is an int, got True"),
])  # fmt: skip
def test_axes_that_cannot_be_swapped_are_refused(axes, error, told):
    with pytest.raises(error, match=told):
        Tensor(CUBE).swapaxes(*axes)


# ---- indexing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [
    0, -1, np.int64(1), slice(1, None), slice(None, None, -1), ..., None, (0, 1), (..., 2), (slice(0, 2), None, -1),
    (1, slice(None), slice(0, 4, 2)), (slice(None, -1), ..., None),
], ids=str)  # fmt: skip
def test_plain_indices_are_attributes(key):
    operands, encoded = index_key(key)
    assert operands == [] and hash(encoded) == hash(index_key(key)[1])
    same(Tensor(CUBE)[key], CUBE[key])


def test_numpy_ints_and_python_ints_are_one_key():
    assert index_key(np.int64(1)) == index_key(1) == ([], (1,))
    assert index_key(slice(1, None))[1] == (Slice(1, None, None),)


@pytest.mark.parametrize("key", [
    (Tensor([0, 1, 1]),), (slice(None), Tensor([2, 0])), (Tensor([0, 1]), Tensor([2, 0])),
    (Tensor(1), ..., Tensor([3, 3])),
], ids=["first", "second", "two", "apart"])  # fmt: skip
def test_tensors_in_an_index_are_operands(key):
    operands, encoded = index_key(key)
    assert operands == [item for item in key if isinstance(item, Tensor)]
    assert [item.position for item in encoded if isinstance(item, Operand)] == [*range(1, len(operands) + 1)]
    same(Tensor(CUBE)[key], CUBE[tuple(k.asnumpy() if isinstance(k, Tensor) else k for k in key)])


def test_a_flag_is_no_position():
    flag = [True]
    assert index_key(flag[0]) == (flag, (Operand(1),))
