"""Operands: small shapes, shapes of samples, and sizes adapted to known operands."""

from functools import partial

import numpy as np
import pytest

from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, op_named
from minigraph.core.types import TensorType, bool_, float32, float64
from passes.validate.operands import candidate_operands, sample_shape, samples_of


def offers_of(name, known, count=60, max_size=3, dtype=float64):
    """Offers for an operator, as a list."""
    return list(candidate_operands(op_named(name), known, dtype, np.random.default_rng(0), max_size, count))


def test_small_shapes_have_rank_0_to_2_and_sizes_up_to_the_maximum():
    shapes = {o.operands[0].type.shape for o in offers_of("add", [None, None], max_size=2)[::3]}
    assert {(), (1,), (2,), (2, 2)} <= shapes
    assert all(len(shape) <= 2 and max(shape, default=1) <= 2 for shape in shapes)


def test_known_operands_stay():
    known = TensorType((2, 3), float64)
    assert all(o.operands[1].type == known for o in offers_of("matmul", [None, known]))


def test_samples_determine_dtypes_ranks_and_integer_ranges():
    offered = offers_of("where", [None, None, None], dtype=float32)
    assert {o.operands[0].type.dtype for o in offered} == {bool_}, "no floats in the samples, none here"
    assert float32 in {o.operands[1].type.dtype for o in offered}
    offered = offers_of("conv2d", [None, None])
    assert 4 in {len(o.operands[0].type.shape) for o in offered} and any(o.attrs for o in offered)
    spans = {o.operands[0].span for o in offers_of("one_hot", [None])}
    assert any(span is not None and span[0] >= 0 for span in spans)


def test_sizes_follow_operands_that_are_known():
    """A convolution's result determines the number of scales of a batch norm."""
    known = TensorType((1, 5, 2, 2), float64)
    assert [o for o in offers_of("batch_norm", [known, None, None, None, None]) if o.operands[1].type.shape == (5,)]


@pytest.mark.parametrize("name", [name for name, op in TABLE.items() if op.samples and op.arity and not op.effects])
def test_every_operator_accepts_some_offer(name):
    """Operators with samples accept operands from them."""
    op = op_named(name)
    assert any(
        map(
            partial(is_accepted, op),
            candidate_operands(op, [None] * op.arity, float64, np.random.default_rng(0), 3, 60),
        )
    )


def is_accepted(op, candidate):
    """Whether an operator's type rule accepts a candidate."""
    types = [operand.type for operand in candidate.operands]
    try:
        return bool(op.types(types, op.canonical(*types, **candidate.attrs) if op.canonical else candidate.attrs))
    except (MinigraphError, TypeError):
        return False


def test_hints_are_shapes_of_samples():
    shapes = {sample_shape(op_named("avg_pool2d"), 0, 1, np.random.default_rng(k), 3) for k in range(20)}
    assert all(len(shape) == 4 for shape in shapes) and len(shapes) > 2
    assert sample_shape(op_named("avg_pool2d"), 0, 3, np.random.default_rng(0), 3) is None


def test_samples_are_read_once():
    assert samples_of(op_named("add")) is samples_of(op_named("add"))
    assert samples_of(op_named("fused")) == ()
