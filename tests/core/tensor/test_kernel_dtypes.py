"""Every operator in bfloat16: computed in float32, rounded once, with the same bits in every mode."""

from contextlib import suppress

import numpy as np
import pytest

from minigraph import Tensor, bfloat16, grad, interpret, jit, ops, trace
from minigraph.core.errors import MinigraphError
from minigraph.core.float_limits import float_limits
from minigraph.core.op import Sample, forward_of
from minigraph.core.types import float32
from minigraph.execute.compile import compile_graph
from minigraph.operators.elementwise import ADD
from minigraph.operators.reduce import SUM
from tests.inspection import bits
from tests.tables import in_one_test
from tests.test_every_operator import (
    CASES,
    arrays_of,
    function_and_tensors,
    scalar_of,
    types_or_refusal,
    wrap,
)

pytestmark = pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
NARROW = bfloat16.numpy


def in_bfloat16(sample):
    return Sample(tuple(a.astype(NARROW) if a.dtype.kind == "f" else a for a in sample.args), *sample[1:])


def accepted_cases():
    for case in CASES:
        op, sample = case.values
        narrow = in_bfloat16(sample)
        with suppress(MinigraphError), np.errstate(all="ignore"):
            takes = types_or_refusal(op, list(map(wrap, narrow.args)), narrow.attrs) is not None
            if takes and any(a.dtype == NARROW for a in narrow.args) and not op.effects:
                yield pytest.param(op, narrow, id=case.id)


NARROW_CASES = list(accepted_cases())
each_case = pytest.mark.parametrize(("op", "sample"), NARROW_CASES)
each_smooth_case = pytest.mark.parametrize(("op", "sample"), [case for case in NARROW_CASES if case.values[1].smooth])


def test_most_operators_take_bfloat16():
    assert len({case.values[0] for case in NARROW_CASES}) > 90


@each_case
def test_every_mode_gives_the_same_bits(op, sample):
    function, *tensors = function_and_tensors(op, sample)
    eager, graph = bits(arrays_of(function(*tensors))), trace(function, *tensors)
    assert bits(arrays_of(interpret(graph, *tensors))) == eager
    assert bits(compile_graph(graph)(*[t.array for t in tensors])) == eager
    assert bits(arrays_of(jit(function)(*tensors))) == eager


@each_case
def test_a_result_is_that_of_float32_rounded_to_bfloat16(op, sample):
    function, *tensors = function_and_tensors(op, sample)
    wide, *wide_tensors = function_and_tensors(
        op, sample._replace(args=tuple(a.astype(np.float32) if a.dtype == NARROW else a for a in sample.args))
    )
    for narrow, exact in zip(arrays_of(function(*tensors)), arrays_of(wide(*wide_tensors)), strict=True):
        if narrow.dtype == NARROW and narrow.shape == exact.shape:
            rounding = (
                (20 if op.expand else 1)
                * float_limits(NARROW).eps
                * max(1.0, np.nan_to_num(np.abs(exact), posinf=1).max(initial=0))
            )
            np.testing.assert_allclose(narrow.astype(np.float32), exact, rtol=rounding, atol=rounding)
            if not op.expand:
                assert bits([narrow]) == bits([exact.astype(NARROW)])


@each_smooth_case
def test_gradients_are_bfloat16_and_have_the_same_bits_in_graphs(op, sample):
    function, _ = scalar_of(op, sample)
    positions = tuple(i for i, a in enumerate(sample.args) if a.dtype == NARROW)
    tensors = list(map(wrap, sample.args))
    gradients = grad(function, positions)
    eager = arrays_of(gradients(*tensors))
    assert {a.dtype for a in eager} == {NARROW}
    assert bits(arrays_of(jit(gradients)(*tensors))) == bits(eager)


X = Tensor([1.5, 2.25, -3.0], bfloat16)
TYPES = [  # as MindSpore 2.10 promotes
    (lambda: X + Tensor([1.0, 2.0, 3.0]), "Float32"),
    (lambda: Tensor(np.ones(3, np.float16)) * X, "Float32"),
    (lambda: X + Tensor(np.ones(3)), "Float64"),
    (lambda: X + Tensor([1, 2, 3]), "BFloat16"),
    (lambda: Tensor([True, False, True]) + X, "BFloat16"),
    (lambda: X + 1, "BFloat16"),
    (lambda: X * 1.5, "BFloat16"),
    (lambda: X / X, "BFloat16"),
    (lambda: -X, "BFloat16"),
    (lambda: X > 1, "Bool"),
    (lambda: X + Tensor(np.ones(3, np.complex64)), "Complex64"),
    (lambda: X.astype(float32), "Float32"),
    (lambda: Tensor([1.0]).bfloat16(), "BFloat16"),
    (lambda: ops.zeros((2,), bfloat16), "BFloat16"),
    (lambda: ops.randn(2, dtype=bfloat16), "BFloat16"),
]


@in_one_test(TYPES)
def test_promotion_is_mindspores(call, name):
    assert str(call().dtype) == name


def test_sums_and_products_accumulate_in_float32():
    assert Tensor(np.ones(1000), bfloat16).sum().item() == 1000.0
    ones = Tensor(np.ones((2, 1000)), bfloat16)
    assert ops.matmul(ones, ones.T).tolist() == [[1000.0] * 2] * 2


def test_other_dtypes_use_the_kernel_itself_and_out_is_filled():
    a = np.ones(3, NARROW)
    assert forward_of(ADD, [np.dtype(np.float32)]) is forward_of(ADD)
    out = np.zeros(3, NARROW)
    assert forward_of(ADD, [NARROW])(a, a, out=out) is out and out.tolist() == [2, 2, 2]
    assert forward_of(SUM, [NARROW])(a, axis=(0,), keepdims=False) == 3
