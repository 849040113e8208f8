"""Primitives that rearrange elements, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

RANDOM = np.random.default_rng(11)
IMAGES = RANDOM.standard_normal((2, 4, 6, 6))


def test_space_to_depth_and_back():
    blocks = in_both_modes(ops.SpaceToDepth(2), Tensor(IMAGES))
    assert blocks.shape == (2, 16, 3, 3)
    np.testing.assert_array_equal(blocks[:, 4:8], IMAGES[:, :, ::2, 1::2])
    np.testing.assert_array_equal(in_both_modes(ops.DepthToSpace(2), Tensor(blocks)), IMAGES)


def test_channels_blocks_and_permutations():
    x = Tensor(np.arange(16.0).reshape(1, 4, 2, 2))
    assert ops.ChannelShuffle(2)(x).tolist() == ops.channel_shuffle(x, 2).tolist()
    assert ops.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(x).shape == (4, 4, 1, 1)
    assert ops.InvertPermutation()((2, 0, 1)) == (1, 2, 0)


def test_batches_and_layouts():
    spread = ops.SpaceToBatchND([2, 3], [[0, 0], [0, 0]])(Tensor(IMAGES))
    np.testing.assert_array_equal(ops.BatchToSpaceND([2, 3], [[0, 0], [0, 0]])(spread).asnumpy(), IMAGES)
    pair = Tensor(np.array([[1 + 2j, 3 - 1j]]))
    assert ops.ConjugateTranspose()(pair, (1, 0)).tolist() == [[1 - 2j], [3 + 1j]]
    assert ops.DataFormatDimMap()(Tensor([0, 1, 2, 3, -1])).tolist() == [0, 3, 1, 2, 2]
    assert ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4])).tolist() == [1, 4, 2, 3]
