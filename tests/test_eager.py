"""Eager mode: numbers at once, the quick way and the long way alike, refusals in words."""

import itertools
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, ops
from minigraph.eager import BINARY, EAGER, SWAPPED, UNARY, bare_ufunc, quick_binary, quick_unary
from minigraph.errors import DTypeError, MinigraphError, ShapeError, UsageError
from minigraph.op import TABLE, Op, apply, current_interpreter, listening
from minigraph.operators import Operators

X = Tensor([1.0, 2.0])


def test_it_is_the_ground():
    assert current_interpreter() is EAGER


# ---- the short way -----------------------------------------------------------------------------------

QUICK = [op for op in TABLE.values() if bare_ufunc(op, checked=True)]
RNG = np.random.default_rng(0)


def short(op, *args, tapes=()):
    """The result of the short way, or ``None`` if the call went the long way."""
    went = []

    def long(*args):
        went.append(args)

    way = quick_unary(op.name, long) if op.arity == 1 else quick_binary(op.name, long)
    with listening(*tapes, alone=True):
        result = way(*args)
    return None if went else result


def layouts(base):
    """The same elements in every order of memory there is: strides of both signs, gaps, repetitions, Fortran order."""
    yield base
    yield np.asfortranarray(base)
    yield base[..., :1]
    yield np.array(base.flat[0])
    for axis in range(base.ndim):
        yield np.flip(base, axis)
        yield np.repeat(base, 2, axis)[tuple(slice(None, None, 2 if i == axis else 1) for i in range(base.ndim))]
        yield np.broadcast_to(base.take([0], axis), base.shape)
    yield np.flip(base)


@pytest.mark.parametrize("op", QUICK, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool", "complex64"])
def test_the_short_way_has_the_bits_of_the_long_way_in_every_layout(op, dtype):
    for shape in [(37,), (7, 9), (1, 5), (3, 5, 7)]:
        arrays = [(RNG.normal(size=shape) * 3).astype(dtype) for _ in range(op.arity)]
        for operands in itertools.product(*map(layouts, arrays)):
            args = [Tensor.from_numpy(operand) for operand in operands]
            try:
                slow = apply(op, *args)
            except MinigraphError:
                assert short(op, *args) is None
                return
            quick = short(op, *args)
            if quick is not None:
                assert (quick.type, quick.array.tobytes()) == (slow.type, slow.array.tobytes())
                assert quick.array.flags.c_contiguous


def test_the_short_way_is_taken_once_the_dtype_is_known():
    _ = X + X, -X
    assert short(TABLE["add"], X, X).tolist() == [2.0, 4.0]
    assert short(TABLE["add"], X, 1).tolist() == [2.0, 3.0]
    assert short(TABLE["add"], X, 0.5).tolist() == [1.5, 2.5]
    assert short(TABLE["add"], Parameter(X), X).tolist() == [2.0, 4.0]
    assert short(TABLE["neg"], X * 1.0).tolist() == (-X).tolist()


@pytest.mark.parametrize(
    "args",
    [
        (X, 0.0), (X, True), (X, 1j), (Tensor([1]), 1.5), (Tensor([1], ms.int8), 1000), (2.0, X), (X, [1.0, 2.0]),
        (X, X.astype(ms.float64)), (X, Tensor([1.0, 2.0, 3.0])), (Tensor(np.ones((3, 2)).T), Tensor(np.ones((3, 2)).T)),
    ],
    ids=[
        "a zero with a sign", "a bool", "another kind", "a promotion", "a number that does not fit", "a number first",
        "a list", "two dtypes", "shapes that do not fit", "a result not in C order",
    ],
)  # fmt: skip
def test_the_short_way_is_not_taken_for(args):
    for known in (X, Tensor([1]), Tensor([1], ms.int8), Tensor([1.0], ms.float64)):
        known + known
    assert short(TABLE["add"], *args) is None


def test_the_short_way_is_not_taken_while_a_graph_is_captured():
    graph = ms.trace(lambda x: ops.exp(x + X) - (X + X), X)
    assert [str(graph.op(node)) for node in graph if not graph.op(node).is_leaf] == ["add", "exp", "add", "sub"]


class Recorder:
    """A listener that keeps what it hears."""

    def __init__(self):
        self.heard = []

    def hear(self, op, args, attrs, out):
        self.heard.append((op.name, [arg.tolist() for arg in args], dict(attrs), out))


METHODS = [*UNARY.items(), *BINARY.items(), *SWAPPED.items()]


@pytest.mark.parametrize(("method", "name"), METHODS, ids=[method for method, _ in METHODS])
def test_tapes_hear_the_short_way_as_they_hear_the_long_way(method, name):
    numbers = () if method in UNARY else (2.0,)
    operands = [X] if not numbers else [2.0, X] if method in SWAPPED else [X, 2.0]
    TABLE[name](*operands)
    heard = []
    for call in (lambda: TABLE[name](*operands), lambda: getattr(X, method)(*numbers)):
        tape = Recorder()
        with listening(tape):
            out = call()
        ((*told, heard_out),) = tape.heard
        assert heard_out is out
        heard.append((told, out.type, out.tolist()))
    assert heard[0] == heard[1]


@pytest.mark.parametrize(("method", "name"), METHODS, ids=[method for method, _ in METHODS])
def test_methods_with_a_short_way_keep_their_name_and_words(method, name):
    made, plain = getattr(Tensor, method), getattr(Operators, method)
    assert (made.__name__, made.__doc__, made.__wrapped__) == (plain.__name__, plain.__doc__, plain)


def test_numbers_keep_the_sign_of_their_zero():
    for zero in (0.0, -0.0):
        for _ in range(2):
            assert np.signbit((Tensor([-0.0]) * 1.0 + zero).array).tolist() == [str(zero) == "-0.0"]


@pytest.mark.parametrize(
    "layout", [lambda a: a, lambda a: np.asfortranarray(a), lambda a: a[::-1], lambda a: a[:, ::2]]
)
def test_results_are_in_c_order_and_do_not_depend_on_layout(layout):
    base = np.linspace(0.1, 0.9, 24, dtype=np.float32).reshape(4, 6)
    view = Tensor.from_numpy(layout(base))
    assert (view + view).array.flags.c_contiguous
    assert (view + view).tolist() == (2 * layout(base)).tolist()


# ---- values ------------------------------------------------------------------------------------------


def test_infinities_and_nans_are_values_whatever_the_users_filters_say():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):  # the second time by the quick way
            assert str(Tensor([0.0, -1.0]).log()) == "[-inf  nan]"
            assert str(Tensor([1.0]) / Tensor([0.0])) == "[inf]"
            assert str(Tensor([1]) // 0) == "[0]"
            assert str(Tensor([60000.0], ms.float16) * 2) == "[inf]"


def test_0d_results_are_arrays():
    total = Tensor([1.0, 2.0]).sum()
    assert isinstance(total.array, np.ndarray)
    assert isinstance((Tensor(1.0) + Tensor(2.0)).array, np.ndarray)


def test_operands_are_not_changed():
    before = X.tolist()
    for op in TABLE.values():
        if op.family == "elementwise" and op.arity in (1, 2):
            try:
                op(*[X] * op.arity)
            except (MinigraphError, TypeError):
                continue
    assert X.tolist() == before


def test_assigning_gives_a_parameter_a_new_array():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    old, given = weight.array, Tensor([3.0, 4.0])
    ops.assign(weight, given)
    given.asnumpy()[:] = 0.0
    assert (old.tolist(), weight.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_plain_tensors_are_assigned_too():
    x = Tensor([1.0])
    ops.assign(x, Tensor([2.0]))
    assert x.tolist() == [2.0]


def test_numbers_are_not_assigned_because_others_share_them():
    with pytest.raises(UsageError, match=r"assign: the target, f32\[\], is a constant in .*; assign to a Parameter"):
        apply("assign", 3.0, Tensor(4.0), name="three")
    assert (Tensor(1.0) * 3.0).item() == 3.0


def test_several_results_are_a_tuple():
    first, second = apply("split", X, sizes=1, axis=0)
    assert (first.tolist(), second.tolist()) == ([1.0], [2.0])


# ---- what MindSpore 2.10 printed -----------------------------------------------------------------------

RECORDED = (Path(__file__).parent / "programs" / "conf_tensor_print.out").read_text("utf-8").splitlines()
LINE = re.compile(r"(\S+) +(Bool|(?:Int|Float)\d+) (\S.*)")
MIXED = [found.groups() for line in RECORDED if (found := LINE.fullmatch(line))]
OPERANDS = {"i": Tensor([3]), "f": Tensor([1.5]), "h": Tensor([1.0], ms.float16), "b": Tensor([True])}


def test_the_recording_is_read():
    assert len(MIXED) == 30
    assert MIXED[0] == ("i+1", "Int64", "[4]")


@pytest.mark.parametrize(("expression", "dtype", "value"), MIXED, ids=[expression for expression, *_ in MIXED])
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_mixed_arithmetic_has_mindspores_dtypes_and_values(expression, dtype, value, wrapped):
    code = compile(expression, "expression", "eval")

    def evaluated(**operands):
        return eval(code, {**operands, "Tensor": Tensor, "ms": ms, "ops": ops})

    result = wrapped(evaluated)(**OPERANDS)
    assert (str(result.dtype), str(result)) == (dtype, value)


# ---- refusals ----------------------------------------------------------------------------------------


def test_a_shape_refusal_names_types_expression_and_line():
    with pytest.raises(ShapeError, match=r"add: f32\[2\] and f32\[3\] do not broadcast.* in `X \+ Tensor") as caught:
        X + Tensor([1.0, 2.0, 3.0])
    assert "(test_eager.py:" in str(caught.value)
    assert caught.value.__suppress_context__
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize("name", ["isnan", "floor", "exp", "logical_not"])
def test_eager_refuses_the_dtypes_a_record_refuses(name):
    """numpy would take some of them; captured code does not."""
    op, refused = TABLE[name], []
    for dtype in (ms.bool_, ms.int32, ms.float32, ms.complex64):
        x = Tensor([1, 0], dtype)
        try:
            op.types([x.type], {})
        except TypeError:
            refused.append(dtype)
            with pytest.raises(TypeError):
                op(x)
        else:
            op(x)
    assert refused or name == "logical_not"


def test_a_kernels_refusal_without_a_word_from_infer():
    def refuse(x):
        raise ValueError("not today")

    picky = Op("picky", refuse, lambda x: x, vjp=(None,))
    with pytest.raises(ShapeError, match=r"picky\(f32\[2\]\): not today in `picky\(X\)` .*; check the operands"):
        picky(X)


def test_a_kernels_own_error_keeps_its_kind_and_traceback():
    def broken(x):
        return x.no_such_thing

    with pytest.raises(AttributeError, match="no_such_thing") as caught:
        Op("broken", broken, lambda x: x, vjp=(None,))(X)
    assert any(entry.name == "broken" for entry in caught.traceback)


def test_a_refusal_of_infer_goes_before_numpys():
    with pytest.raises(DTypeError, match="no promotion between"):
        Tensor([[1.0]]) @ Tensor([[1]])
