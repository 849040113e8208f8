"""The methods of a Tensor: each is one operator call and equals numpy's method, in every mode."""

import inspect
from unittest.mock import Mock

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, interpret, trace
from minigraph.core.op import record_on
from minigraph.core.tensor.operator_methods import Operand, Operators, Slice, index_key
from tests.tables import cases, error_of

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], np.float32)
INTEGERS = np.array([[7, -3, 2], [-5, 4, 1]])
B = np.array([True, False])

SAME_AS_NUMPY = {
    "+": lambda x: x + x,
    "-": lambda x: x - 2.0,
    "r-": lambda x: 2.0 - x,
    "*": lambda x: x * x,
    "/": lambda x: x / 4.0,
    "r/": lambda x: 6.0 / x,
    "//": lambda x: x // 2.0,
    "r//": lambda x: 7.0 // x,
    "%": lambda x: x % 4.0,
    "r%": lambda x: 7.0 % x,
    "**": lambda x: x**2,
    "r**": lambda x: 2.0**x,
    "@": lambda x: x @ x.T,
    "neg": lambda x: -x,
    "pos": lambda x: +x,
    "abs": lambda x: abs(x),
    "==": lambda x: x == 1.0,
    "!=": lambda x: x != 1.0,
    "<": lambda x: x < 1.0,
    "<=": lambda x: x <= 1.0,
    ">": lambda x: x > 1.0,
    ">=": lambda x: x >= 1.0,
    "& |": lambda x: (x > 0) & (x < 4) | (x == -6),
    "^ ~": lambda x: ~((x > 0) ^ (x < 4)),
    "r& r| r^": lambda x: (True & (x > 0)) | (False ^ (x < 0)),
    "clip": lambda x: x.clip(-1.0, 2.0),
    "clip above": lambda x: x.clip(None, 2.0),
    "reshape": lambda x: x.reshape(3, 2),
    "reshape -1": lambda x: x.reshape((-1,)),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(),
    "transpose tuple": lambda x: x.transpose((1, 0)),
    "T": lambda x: x.T,
    "swapaxes": lambda x: x.swapaxes(0, -1),
    "squeeze": lambda x: x[None, :, None].squeeze(),
    "squeeze axis": lambda x: x[None].squeeze(0),
    "bits": lambda x: ((x > 0) & (x < 4)) ^ (x == 5) | (x == 0),
    "index True": lambda x: x[True, 1],
    "index True twice": lambda x: x[True, True],
    "index True apart": lambda x: x[True, None, True],
    "index True after an ellipsis": lambda x: x[0, ..., True],
    "index True beside a list": lambda x: x[:, True, [1, 0]],
    "index True of numpy": lambda x: x[np.True_],
    "index None of 0-d": lambda x: x[0, 1][None],
    "index ..., None of 0-d": lambda x: x.sum()[..., None],
    "index True twice of 0-d": lambda x: x[0, 1][True, True],
    "sum": lambda x: x.sum(),
    "sum axis": lambda x: x.sum(axis=1, keepdims=True),
    "mean": lambda x: x.mean(0),
    "max": lambda x: x.max(axis=1),
    "min": lambda x: x.min(),
    "argmax": lambda x: x.argmax(),
    "argmax axis": lambda x: x.argmax(1),
    "[0]": lambda x: x[0],
    "[-1]": lambda x: x[-1],
    "[0, 1]": lambda x: x[0, 1],
    "[:, 1:]": lambda x: x[:, 1:],
    "[::-1]": lambda x: x[::-1],
    "[..., 0]": lambda x: x[..., 0],
    "[None]": lambda x: x[None, 0, None],
    "[[1, 0]]": lambda x: x[[1, 0]],
    "[np.int64]": lambda x: x[np.int64(1)],
    "[5:]": lambda x: x[5:],
}


@pytest.mark.parametrize("compute", SAME_AS_NUMPY.values(), ids=SAME_AS_NUMPY)
def test_methods_equal_numpys_in_every_mode(compute):
    expected = np.asarray(compute(X))
    eager = compute(Tensor(X))
    assert (eager.shape, eager.tolist()) == (expected.shape, expected.tolist())
    (captured,) = interpret(trace(compute, Tensor(X)), Tensor(X))
    assert (captured.type, captured.array.tobytes()) == (eager.type, eager.array.tobytes())


@pytest.mark.parametrize("compute", [lambda n: n // 2, lambda n: n % 3, lambda n: -n // 2, lambda n: n % -3])
def test_integers_divide_like_python(compute):
    assert compute(Tensor(INTEGERS)).tolist() == compute(INTEGERS).tolist()


UNARY = {name: getattr(np, name) for name in ("exp", "log", "sqrt", "tanh", "abs")} | {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "pow": lambda x: x**2,
}


@pytest.mark.parametrize(("name", "expected"), UNARY.items(), ids=UNARY)
def test_mathematical_methods(name, expected):
    for array in (np.abs(X), X) if name not in ("log", "sqrt") else (np.abs(X),):
        assert np.allclose(getattr(Tensor(array), name)(*ARGUMENTS.get(name, ())).array, expected(array), rtol=1e-6)


def test_casts_have_two_names_and_a_tensor_equals_no_string():
    assert Tensor(X).astype(ms.float64).dtype is Tensor(X).to(ms.float64).dtype is ms.float64
    assert Tensor(X).astype("Float64").dtype is Tensor(X).astype(np.float64).dtype is ms.float64
    assert ((Tensor([1.0]) == "a"), (Tensor([1.0]) != "a")) == (False, True)


def test_shapes_are_passed_in_several_forms_and_transpose_of_two_numbers_swaps_them_in_every_mode():
    """MindSpore swaps in PyNative mode and permutes in graph mode; here both swap."""
    x, cube = Tensor(X), Tensor(np.arange(24.0).reshape(2, 3, 4))
    assert x.view(3, 2).shape == x.reshape([3, 2]).shape == (3, 2)
    assert x.expand_dims(-1).shape == x.unsqueeze(2).shape == (2, 3, 1)
    assert x[:1].expand(4, -1).shape == x[:1].broadcast_to((4, 3)).shape == (4, 3)
    assert x.permute(1, 0).shape == x.permute((1, 0)).shape == x.mT.shape == (3, 2)
    graph = trace(lambda x: x.transpose(-2, -1), cube)
    assert (cube.flatten(1).shape, cube.transpose(-2, -1).shape) == ((2, 12), (2, 4, 3))
    assert graph.type(graph.outs[0]).shape == (2, 4, 3)


def test_indexing_by_tensors():
    x = Tensor(X)
    assert x[Tensor([1, 0, 1])].tolist() == X[[1, 0, 1]].tolist()
    assert x[Tensor([0, 1]), Tensor([2, 0])].tolist() == X[[0, 1], [2, 0]].tolist()
    assert x[Tensor(B)].tolist() == X[B].tolist()
    assert x[:, Tensor(1)].tolist() == X[:, 1].tolist()


@cases(
    (0, [], (0,)),
    ((0, slice(1, None), ...), [], (0, Slice(1, None, None), Ellipsis)),
    ((None, [1]), [[1]], (None, Operand(1))),
    (np.int8(3), [], (3,)),
    (True, [], (None,)),
    ([True], [[True]], (Operand(1),)),
)
def test_keys_are_hashable(key, operands, encoded):
    assert index_key(key) == (operands, encoded)
    hash(encoded)


REFUSALS = {
    "True far from a tensor": (lambda x: x[[0], :, True], "IndexError", "index: True is not next to the tensors"),
    "axis": (lambda x: x.sum(axis=2), "AxisError", "sum: axis 2 does not exist in a tensor of rank 2"),
    "swapaxes": (lambda x: x.swapaxes(0, 2), "AxisError", "swapaxes: axis 2 does not exist in a tensor of rank 2"),
    "swapaxes float": (lambda x: x.swapaxes(0, 0.5), "UsageError", "swapaxes: an axis is an int, got 0.5"),
    "reshape": (lambda x: x.reshape(4, 2), "ShapeError", "reshape: 6 elements of shape [2, 3] do not fit shape (4, 2)"),
    "reshape float": (lambda x: x.reshape(2.0, 3), "UsageError", "reshape: a shape is made of ints"),
    "astype": (lambda x: x.astype(3), "TypeError", "cast: dtype must be a minigraph dtype such as"),
    "index": (lambda x: x[2], "IndexError", "index 2 is out of bounds for dimension with size 2"),
    "index float": (
        lambda x: x[1.5],
        "IndexError",
        "an index consists of ints, slices, None, ..., True",
    ),
    "index string": (
        lambda x: x["a"],
        "IndexError",
        "an index consists of ints, slices, None, ..., True",
    ),
    "too many indices": (lambda x: x[0, 0, 0], "RangeError", "index: 3 indices for a tensor of shape [2, 3]"),
    "matmul": (lambda x: x @ x, "ShapeError", "matmul: inner sizes differ, 3 and 2, in f32[2,3] @ f32[2,3]"),
}


@pytest.mark.parametrize("run", [lambda fn, x: fn(x), trace], ids=["eager", "trace"])
@pytest.mark.parametrize(("compute", "kind", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_name_the_users_line_in_every_mode(compute, kind, message, run):
    text = error_of(run, compute, Tensor(X), error=ms.errors.MinigraphError)
    assert text.startswith(f"{kind}: {message}") and "(test_operator_methods.py:" in text
    assert len(text.splitlines()) <= 3


PUBLIC = [name for name, _ in inspect.getmembers(Operators, inspect.isfunction) if not name.startswith("_")]
ARGUMENTS = {"astype": (ms.float32,), "to": (ms.float32,), "pow": (2.0,), "reshape": (-1,), "view": (-1,),
             "broadcast_to": (2, 3), "expand": (2, 3), "expand_dims": (0,), "unsqueeze": (0,), "swapaxes": (0, 1),
             "permute": (1, 0)}  # fmt: skip


@pytest.mark.parametrize("name", PUBLIC)
def test_every_method_is_one_operator_call(name):
    recorder = Mock()
    with record_on(recorder):
        getattr(Tensor(np.abs(X)), name)(*ARGUMENTS.get(name, ()))
    assert recorder.record.call_count == 1
