"""Fast dispatch: used where it is allowed, with the bits of ``apply``, and recorded on tapes like it."""

import dataclasses
import itertools

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, ops
from minigraph.accel.fast_dispatch import binary_function, clear_fast_paths, unary_function
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, apply, record_on
from minigraph.core.tensor.fast_path import OPERATORS
from minigraph.core.tensor.inplace import is_view
from minigraph.ops.functional import operator_functions
from minigraph.ops.methods import ONE_OPERATOR

X = Tensor([1.0, 2.0])
UNARY, BINARY, REFLECTED = (OPERATORS[kind] | ONE_OPERATOR.get(kind, {}) for kind in ("unary", "binary", "reflected"))
BINARY = {method: name for method, name in BINARY.items() if name != "matmul"}

# ---- operators that are a ufunc ------------------------------------------------------------------------

UFUNCS = [op for op in TABLE.values() if ufunc_of(op)]
RNG = np.random.default_rng(0)


def fast_path_result(op, *args, tapes=()):
    """The result of the fast path, or ``None`` if the call went to the reference."""
    calls = []

    def reference(*args):
        calls.append(args)

    function = unary_function(reference, op) if op.arity == 1 else binary_function(reference, op)
    with record_on(*tapes, alone=True):
        result = function(*args)
    return None if calls else result


def layouts(base):
    """The same elements in many layouts: strides of both signs, gaps, broadcast axes, Fortran order."""
    yield base
    yield np.asfortranarray(base)
    yield base[..., :1]
    yield np.array(base.flat[0])
    for axis in range(base.ndim):
        yield np.flip(base, axis)
        yield np.repeat(base, 2, axis)[tuple(slice(None, None, 2 if i == axis else 1) for i in range(base.ndim))]
        yield np.broadcast_to(base.take([0], axis), base.shape)
    yield np.flip(base)


@pytest.mark.parametrize("op", UFUNCS, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool", "complex64"])
def test_the_fast_path_has_the_bits_of_apply_in_every_layout(op, dtype):
    for shape in [(37,), (7, 9), (1, 5), (3, 5, 7)]:
        arrays = [(RNG.normal(size=shape) * 3).astype(dtype) for _ in range(op.arity)]
        for operands in itertools.product(*map(layouts, arrays)):
            args = [Tensor.from_numpy(operand) for operand in operands]
            try:
                slow = apply(op, *args)
            except MinigraphError:
                assert fast_path_result(op, *args) is None
                return
            fast = fast_path_result(op, *args)
            if fast is not None:
                assert (fast.type, fast.array.tobytes()) == (slow.type, slow.array.tobytes())
                assert fast.array.flags.c_contiguous


def test_the_fast_path_is_used_once_the_dtype_is_known():
    _ = X + X, -X
    assert fast_path_result(TABLE["add"], X, X).tolist() == [2.0, 4.0]
    assert fast_path_result(TABLE["add"], X, 1).tolist() == [2.0, 3.0]
    assert fast_path_result(TABLE["add"], X, 0.5).tolist() == [1.5, 2.5]
    assert fast_path_result(TABLE["add"], Parameter(X), X).tolist() == [2.0, 4.0]
    assert fast_path_result(TABLE["neg"], X * 1.0).tolist() == (-X).tolist()


@pytest.mark.parametrize(
    "args",
    [
        (X, 0.0), (X, True), (X, 1j), (Tensor([1]), 1.5), (Tensor([1], ms.int8), 1000), (2.0, X), (X, [1.0, 2.0]),
        (X, X.astype(ms.float64)), (X, Tensor([1.0, 2.0, 3.0])),
    ],
    ids=[
        "a zero with a sign", "a bool", "another kind", "a promotion", "a number that does not fit", "a number first",
        "a list", "two dtypes", "shapes that do not fit",
    ],
)  # fmt: skip
def test_the_fast_path_is_not_used_for(args):
    for known in (X, Tensor([1]), Tensor([1], ms.int8), Tensor([1.0], ms.float64)):
        known + known
    assert fast_path_result(TABLE["add"], *args) is None


def test_the_fast_path_is_not_used_during_tracing():
    graph = ms.trace(lambda x: ops.exp(x + X) - (X + X), X)
    assert [str(graph.op(node)) for node in graph if not graph.op(node).is_leaf] == ["add", "exp", "add", "sub"]


class Recorder:
    """An observer that keeps the calls it records."""

    def __init__(self):
        self.calls = []

    def record(self, op, args, attrs, out):
        self.calls.append((op.name, [arg.tolist() for arg in args], dict(attrs), out))


def record_calls(call):
    """The result of a call, and the operator calls that a tape records."""
    tape = Recorder()
    with record_on(tape):
        out = call()
    return out, [recorded[:-1] for recorded in tape.calls]


METHODS = [*UNARY.items(), *BINARY.items(), *REFLECTED.items()]


@pytest.mark.parametrize(("method", "name"), METHODS, ids=[method for method, _ in METHODS])
def test_tapes_record_the_fast_path_like_apply(method, name):
    numbers = () if method in UNARY else (2.0,)
    operands = [X] if not numbers else [2.0, X] if method in REFLECTED else [X, 2.0]
    TABLE[name](*operands)
    records = []
    for call in (lambda: TABLE[name](*operands), lambda: getattr(X, method)(*numbers)):
        tape = Recorder()
        with record_on(tape):
            out = call()
        ((*recorded, recorded_out),) = tape.calls
        assert recorded_out is out
        records.append((recorded, out.type, out.tolist()))
    assert records[0] == records[1]


@pytest.mark.parametrize(("method", "name"), METHODS, ids=[method for method, _ in METHODS])
def test_methods_with_a_fast_path_keep_their_name_and_docstring(method, name):
    fast = getattr(Tensor, method)
    assert (fast.__name__, fast.__doc__) == (fast.__wrapped__.__name__, fast.__wrapped__.__doc__)


def test_numbers_keep_the_sign_of_their_zero():
    for zero in (0.0, -0.0):
        for _ in range(2):
            assert np.signbit((Tensor([-0.0]) * 1.0 + zero).array).tolist() == [str(zero) == "-0.0"]


def test_the_caches_of_operators_are_bounded(monkeypatch):
    monkeypatch.setattr("minigraph.accel.fast_dispatch.MAX_CACHED_LAYOUTS", 3)
    for size in (1, 2, 3, 4, 5, 1, 2):
        x, column = Tensor(np.ones(size)), Tensor(np.ones((size, 1)))
        assert (x + x).sum().item() == 2 * size
        assert (x + column).sum().item() == (column + x).sum().item() == 2 * size * size


def test_paths_are_cached_again_after_they_are_cleared(monkeypatch):
    assert (X + X).tolist() == (X + X).tolist() == [2.0, 4.0]
    monkeypatch.setattr("minigraph.accel.fast_dispatch._kernel", lambda op, first, last: np.subtract)
    assert (X + X).tolist() == [2.0, 4.0]
    clear_fast_paths()
    assert (X + X).tolist() == [0.0, 0.0]
    clear_fast_paths()


def test_two_dtypes_are_promoted_every_time():
    for _ in range(3):
        assert (X + Tensor([1, 2])).dtype is ms.float32
        assert (Tensor([1, 2]) / Tensor([2, 4])).tolist() == [0.5, 0.5]


def test_operators_other_than_ufuncs_have_a_fast_path_too():
    square, row = Tensor(RNG.normal(size=(3, 3))), Tensor(RNG.normal(size=3))
    for left, right in itertools.product((square, row, square.T, square[::2]), (square, row, square.T)):
        for function, op in ((Tensor.__matmul__, TABLE["matmul"]), (ops.maximum, TABLE["maximum"])):
            try:
                expected = op(left, right)
            except MinigraphError as error:
                for _ in range(2):
                    with pytest.raises(type(error)):
                        function(left, right)
                continue
            for _ in range(3):
                out, records = record_calls(lambda left=left, right=right, function=function: function(left, right))
                assert (out.type, out.array.tobytes()) == (expected.type, expected.array.tobytes())
                assert [name for name, *_ in records] == [op.name]


def test_another_operator_of_the_same_name_has_its_own_cache(monkeypatch):
    results = []
    for ufunc in (np.exp, np.sin, lambda x: x + 1):
        monkeypatch.setitem(TABLE, "mine", dataclasses.replace(TABLE["exp"], name="mine", forward=ufunc))
        function = operator_functions.unary(TABLE["mine"])
        results.append([function(X).tolist() for _ in range(3)])
    assert results == [[fn(X.array).tolist()] * 3 for fn in (np.exp, np.sin, lambda x: x + 1)]


@pytest.mark.parametrize("function", [ops.relu, ops.sigmoid, ops.round, ops.erf, ops.stop_gradient, ops.rsqrt])
def test_functions_of_one_operand_give_the_same_every_time(function):
    x = Tensor(RNG.random((2, 3)).astype(np.float32))
    for operand in (x, x.T, x[0, 0]):
        outs = [function(operand) for _ in range(3)]
        assert len({(out.type, out.array.tobytes()) for out in outs}) == 1
        assert len({is_view(out) for out in outs}) == 1
