"""Eager mode: values at once, and explained errors."""

import re
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, ops
from minigraph.core.errors import DTypeError, MinigraphError, ShapeError, UsageError
from minigraph.core.op import TABLE, Op, apply, current_interpreter
from minigraph.core.tensor.eager import EAGER
from tests.inspection import to_lists

X = Tensor([1.0, 2.0])


def test_it_is_the_base_interpreter_and_operands_are_not_changed():
    assert current_interpreter() is EAGER
    before = X.tolist()
    for op in TABLE.values():
        if op.family == "elementwise" and op.arity in (1, 2):
            with suppress(MinigraphError, TypeError):
                op(*[X] * op.arity)
    assert X.tolist() == before


# ---- layout ------------------------------------------------------------------------------------------


LAYOUTS = [lambda a: a, lambda a: np.asfortranarray(a), lambda a: a[::-1], lambda a: a[:, ::2]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_are_in_c_order_and_do_not_depend_on_layout(layout):
    base = np.linspace(0.1, 0.9, 24, dtype=np.float32).reshape(4, 6)
    view = Tensor.from_numpy(layout(base))
    assert (view + view).array.flags.c_contiguous
    assert (view + view).tolist() == (2 * layout(base)).tolist()


# ---- values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loud", ["the user's filters", "numpy"])
def test_inf_and_nan_are_values_also_where_numpy_raises_or_warns(loud):
    with warnings.catch_warnings(), np.errstate(all="raise" if loud == "numpy" else None):
        warnings.simplefilter("error")
        for _ in range(2):  # the second time by the fast path
            assert str(Tensor([0.0, -1.0]).log()) == "[-inf  nan]"
            assert str(Tensor([1.0]) / Tensor([0.0])) == "[inf]"
            assert str(Tensor([1]) // 0) == "[0]"
            assert str(Tensor([60000.0], ms.float16) * 2) == "[inf]"
            assert str(Tensor([3e38, 3e38]).sum()) == "inf"


def test_0d_results_are_arrays_and_several_results_a_tuple():
    assert isinstance(Tensor([1.0, 2.0]).sum().array, np.ndarray)
    assert isinstance((Tensor(1.0) + Tensor(2.0)).array, np.ndarray)
    assert to_lists(apply("split", X, sizes=1, axis=0)) == ([1.0], [2.0])


@pytest.mark.parametrize("kind", [Tensor, lambda value: Parameter(value, name="w")], ids=["Tensor", "Parameter"])
def test_assigning_gives_a_new_array(kind):
    target, value = kind(Tensor([1.0, 2.0])), Tensor([3.0, 4.0])
    old = target.array
    ops.assign(target, value)
    value.asnumpy()[:] = 0.0
    assert (old.tolist(), target.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_shared_constants_cannot_be_assigned():
    with pytest.raises(UsageError, match=r"assign: the target, f32\[\], is a constant in .*; assign to a Parameter"):
        apply("assign", 3.0, Tensor(4.0), name="three")
    assert (Tensor(1.0) * 3.0).item() == 3.0


# ---- output of MindSpore 2.10 --------------------------------------------------------------------------

RECORDED = (Path(__file__).parents[2] / "programs" / "conf_tensor_print.out").read_text("utf-8").splitlines()
LINE = re.compile(r"(\S+) +(Bool|(?:Int|Float)\d+) (\S.*)")
MIXED = [match.groups() for line in RECORDED if (match := LINE.fullmatch(line))]
OPERANDS = {"i": Tensor([3]), "f": Tensor([1.5]), "h": Tensor([1.0], ms.float16), "b": Tensor([True])}


@pytest.mark.parametrize(("expression", "dtype", "value"), MIXED, ids=[expression for expression, *_ in MIXED])
@pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])
def test_mixed_arithmetic_has_mindspores_dtypes_and_values(expression, dtype, value, wrapped):
    code = compile(expression, "expression", "eval")

    def evaluate(**operands):
        return eval(code, {**operands, "Tensor": Tensor, "ms": ms, "ops": ops})

    result = wrapped(evaluate)(**OPERANDS)
    assert (str(result.dtype), str(result)) == (dtype, value)
    assert (len(MIXED), MIXED[0]) == (30, ("i+1", "Int64", "[4]")), "the recording is read"


# ---- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["isnan", "floor", "exp", "logical_not"])
def test_eager_refuses_the_dtypes_a_record_refuses(name):
    """numpy accepts some of them; graph mode does not."""
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


def test_a_kernels_rejection_that_infer_accepts_and_a_kernels_own_error_with_traceback():
    def refuse(x):
        raise ValueError("not today")

    def read_missing_attribute(x):
        return x.no_such_thing

    picky, other = (Op(fn.__name__, fn, lambda x: x, vjp=(None,)) for fn in (refuse, read_missing_attribute))
    with pytest.raises(ShapeError, match=r"refuse\(f32\[2\]\): not today in `picky\(X\)` .*; check the operands"):
        picky(X)
    with pytest.raises(AttributeError, match="no_such_thing") as caught:
        other(X)
    assert any(entry.name == "read_missing_attribute" for entry in caught.traceback)


def test_a_shape_error_names_types_expression_and_line_instead_of_numpys():
    with pytest.raises(ShapeError, match=r"add: f32\[2\] and f32\[3\] do not broadcast.* in `X \+ Tensor") as caught:
        X + Tensor([1.0, 2.0, 3.0])
    assert "(test_eager.py:" in str(caught.value)
    assert caught.value.__suppress_context__
    assert len(str(caught.value).splitlines()) <= 3
    with pytest.raises(DTypeError, match="no promotion between"):
        Tensor([[1.0]]) @ Tensor([[1]])
