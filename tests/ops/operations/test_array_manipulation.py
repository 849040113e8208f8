"""Primitives that change shapes, permute axes, join, split, pad and rearrange, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, jit, ops
from tests.ops.functional.checks import constants_test, in_both_modes

FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.Reshape()(FIRST, (4,)), FIRST_ARRAY.reshape(4)),
    (ops.Transpose()(FIRST, (1, 0)), FIRST_ARRAY.T),
    (ops.ExpandDims()(FIRST, 0), FIRST_ARRAY[None]),
    (ops.Squeeze()(ops.ExpandDims()(FIRST, 0)), FIRST_ARRAY),
    (ops.Concat(axis=1)((FIRST, SECOND)), np.concatenate([FIRST_ARRAY, SECOND_ARRAY], 1)),
    (ops.Stack()([FIRST, SECOND]), np.stack([FIRST_ARRAY, SECOND_ARRAY])),
    (ops.Tile()(FIRST, (1, 2)), np.tile(FIRST_ARRAY, (1, 2))),
    (ops.BroadcastTo((2, 2, 2))(FIRST), np.broadcast_to(FIRST_ARRAY, (2, 2, 2))),
)


RANDOM = np.random.default_rng(11)
IMAGES = RANDOM.standard_normal((2, 4, 6, 6))


def test_space_to_depth_and_back():
    blocks = in_both_modes(ops.SpaceToDepth(2), Tensor(IMAGES))
    assert blocks.shape == (2, 16, 3, 3)
    np.testing.assert_array_equal(blocks[:, 4:8], IMAGES[:, :, ::2, 1::2])
    np.testing.assert_array_equal(in_both_modes(ops.DepthToSpace(2), Tensor(blocks)), IMAGES)


ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_sizes_are_python_numbers_in_both_modes():
    for fn in (ops.Shape(), ops.Size(), ops.Rank()):
        eager = fn(Tensor(ROWS))
        result = jit(lambda x, fn=fn: x * (fn(x) if isinstance(fn(x), int) else sum(fn(x))))(Tensor(ROWS))
        np.testing.assert_allclose(result.asnumpy(), ROWS * (eager if isinstance(eager, int) else sum(eager)))
    assert (ops.Shape()(Tensor(ROWS)), ops.Size()(Tensor(ROWS)), ops.Rank()(Tensor(ROWS))) == ((2, 3), 6, 2)


def test_splitting_and_padding():
    pieces = in_both_modes(lambda x: ops.Split(axis=1, output_num=3)(x), Tensor(ROWS))
    np.testing.assert_array_equal(np.concatenate(pieces, 1), ROWS)
    for kind in (ops.Unstack, ops.Unpack):
        np.testing.assert_array_equal(np.stack(in_both_modes(kind(axis=-1), Tensor(ROWS)), -1), ROWS)
    padded = in_both_modes(ops.Pad(((1, 0), (0, 2))), Tensor(ROWS))
    np.testing.assert_array_equal(padded, np.pad(ROWS, ((1, 0), (0, 2))))
    assert ops.InvertPermutation()((2, 0, 1)) == (1, 2, 0)


def test_rearranged_and_unraveled():
    x = Tensor(np.arange(16.0).reshape(1, 4, 2, 2))
    assert ops.ChannelShuffle(2)(x).tolist() == ops.channel_shuffle(x, 2).tolist()
    assert ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(x).shape == (4, 4, 1, 1)
    assert ops.Expand()(Tensor([[1.0], [2.0]]), Tensor([2, 3])).shape == (2, 3)
    assert ops.Col2Im(2)(ops.ones((1, 1, 4, 9)), Tensor([4, 4]))[0, 0, 1].tolist() == [2, 4, 4, 2]  # MindSpore 2.10
    assert [y.tolist() for y in ops.IdentityN()((Tensor(1), Tensor(2)))] == [1, 2]
    assert ops.UnravelIndex()(Tensor([5, 2]), Tensor([2, 3])).tolist() == [[1, 0], [2, 2]]
