"""A slice of a result is the operator's result on slices of its operands."""

import numpy as np

from minigraph.core.op import op_named
from minigraph.core.types import TensorType, float32
from passes.optimize.axis_slices import RESHAPES, AxisSlice, are_disjoint, operand_slices, reshape_slice, slice_of_key
from tests.tables import cases, results

RNG = np.random.default_rng(0)


def take(array, cut):
    """The slice of an array."""
    return array if cut is None else array[tuple(slice(*item) for item in cut.key(array.shape))]


@cases(
    ("add", [(4, 3, 2), (3, 1)], {}),
    ("tanh", [(4, 3)], {}),
    ("transpose", [(4, 3, 2)], {"axes": (2, 0, 1)}),
    ("matmul", [(4, 3), (3, 5)], {}),
    ("matmul", [(2, 4, 3), (3, 5)], {}),
    ("matmul", [(2, 4, 3), (2, 3, 5)], {}),
    ("matmul", [(2, 1, 4, 3), (3, 3, 5)], {}),
    ("softmax", [(4, 3, 2)], {"axis": 2}),
    ("layer_norm", [(4, 3, 2), (2,), (2,)], {"axis": 2, "eps": 1e-5}),
    ("normalize", [(4, 3, 2)], {"axis": (1, 2), "eps": 1e-5}),
    ("sum", [(4, 3, 2)], {"axis": (1,), "keepdims": False}),
    ("mean", [(4, 3, 2)], {"axis": (0,), "keepdims": True}),
)
def test_a_slice_of_the_result_is_computed_from_slices_of_operands(name, shapes, attrs):
    op, arrays = op_named(name), [RNG.normal(size=shape).astype(np.float32) for shape in shapes]
    out, count = np.asarray(op.forward(*arrays, **attrs)), 0
    for axis, n in enumerate(out.shape):
        for cut in {AxisSlice(axis, 0, 1), AxisSlice(axis, n - 1, n), AxisSlice(axis, 0, n, 2)} if n > 1 else ():
            cuts = operand_slices(op, attrs, shapes, out.shape, cut)
            if cuts is not None:
                result = op.forward(*map(take, arrays, cuts), **attrs)
                np.testing.assert_allclose(result, take(out, cut), rtol=1e-5, atol=1e-6)
                count += 1
    assert count >= 3


def slices_of_operands(name, attrs, cut):
    """The operand slices of a row-wise operator."""
    (out,) = op_named(name).types([TensorType((4, 3), float32)], attrs)
    return operand_slices(op_named(name), attrs, [(4, 3)], out.shape, cut)


test_operators_that_do_not_work_row_by_row_have_no_operand_slices = results(
    slices_of_operands,
    ("softmax", {"axis": 1}, AxisSlice(1, 0, 1), None),
    ("softmax", {"axis": 0}, AxisSlice(1, 0, 1), None),
    ("cumsum", {"axis": 0}, AxisSlice(0, 0, 1), None),
    ("reshape", {"shape": (2, 6)}, AxisSlice(1, 0, 2), None),
)


@cases(
    ((2, 3, 4), (6, 4)),
    ((6, 4), (2, 3, 4)),
    ((2, 3, 4), (2, 3, 2, 2)),
    ((2, 1, 3), (2, 3)),
    ((4,), (4, 1)),
    ((2, 3, 4), (2, 12)),
    ((3, 4), (4, 3)),
    ((4, 3), (3, 4)),
)
def test_reshaped_slices_take_the_same_elements(old, new):
    array, count = np.arange(np.prod(old)).reshape(old), 0
    for axis, n in enumerate(old):
        pairs = [(start, stop) for start in range(n) for stop in range(start + 1, n + 1)]
        for cut in (AxisSlice(axis, *pair, step) for pair in pairs for step in (1, 3)):
            there = reshape_slice(cut, old, new)
            if there is not None:
                assert take(array.reshape(new), there).ravel().tolist() == take(array, cut).ravel().tolist()
                count += 1
    assert count or {old, new} == {(3, 4), (4, 3)}
    assert all(op_named(op.name) is op for op in RESHAPES)


test_keys_that_slice_one_axis = results(
    lambda key: slice_of_key(key, (2, 3)),
    ((0, (0, 3, 1)), AxisSlice(0, 0, 1)),
    (((0, 2, 1), (0, 3, 2)), AxisSlice(1, 0, 3, 2)),
    (((0, 2, 1), (0, 3, 1)), None),
    ((0, 1), None),
    (((0, 2, 1), (2, -4, -1)), None),
    (((0, 2, 1), (1, 1, 1)), None),
    (((0, 2, 1), None, (0, 3, 1)), None),
    (((0, 2, 1), (0,)), None),
)


test_disjoint_slices = results(
    are_disjoint,
    ([AxisSlice(1, 4, 6), AxisSlice(1, 0, 2), AxisSlice(1, 2, 4)], True),
    ([AxisSlice(1, 0, 3), AxisSlice(1, 2, 4)], False),
    ([AxisSlice(0, 0, 2), AxisSlice(1, 2, 4)], False),
    ([AxisSlice(1, 0, 4, 2), AxisSlice(1, 4, 6)], False),
)
