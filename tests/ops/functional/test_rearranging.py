"""Repeating, flipping, rolling and moving blocks against numpy, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.checks import check_function, constants_test, gradient_test, in_both_modes, value_test
from tests.tables import error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.flip(TENSOR, (0, -1)), ARRAY[::-1, :, ::-1]),
)


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
PLANE, ROW = CUBE[0], CUBE[0, 0]
SHAPE_CASES = [
    (lambda x: ops.repeat_interleave(x, 2), CUBE, CUBE.repeat(2)),
    (lambda x: ops.repeat_interleave(x, 2, 1), CUBE, CUBE.repeat(2, 1)),
    (lambda x: ops.repeat_interleave(x, Tensor([1, 2, 0]), 1), CUBE, CUBE.repeat([1, 2, 0], 1)),
    (lambda x: ops.repeat_interleave(x, Tensor([3]), 0), CUBE, CUBE.repeat(3, 0)),
    (lambda x: ops.repeat_elements(x, 2, -1), CUBE, CUBE.repeat(2, -1)),
    (lambda x: ops.roll(x, 5), CUBE, np.roll(CUBE, 5)),
    (lambda x: ops.roll(x, -1, 2), CUBE, np.roll(CUBE, -1, 2)),
    (lambda x: ops.roll(x, (1, 2), (0, -1)), CUBE, np.roll(CUBE, (1, 2), (0, -1))),
    *((lambda x, k=k: ops.rot90(x, k, (0, 1)), PLANE, np.rot90(PLANE, k)) for k in range(-1, 5)),
    (lambda x: ops.rot90(x, 1, (2, 0)), CUBE, np.rot90(CUBE, 1, (2, 0))),
    (lambda x: ops.flipud(x), PLANE, np.flipud(PLANE)),
    (lambda x: ops.fliplr(x), PLANE, np.fliplr(PLANE)),
    (lambda x: ops.reverse(x, [0, 2]), CUBE, CUBE[::-1, :, ::-1]),
]


test_values_of_axes = value_test(SHAPE_CASES, rtol=0)


test_gradients = gradient_test([(fn, array) for fn, array, _ in SHAPE_CASES[::3]])


def test_pixel_and_channel_shuffle():
    x = np.arange(32.0).reshape(1, 8, 2, 2)
    shuffled = ops.pixel_shuffle(Tensor(x), 2)
    expected = x.reshape(1, 2, 2, 2, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 4)
    np.testing.assert_array_equal(shuffled.asnumpy(), expected)
    np.testing.assert_array_equal(ops.pixel_unshuffle(shuffled, 2).asnumpy(), x)
    expected = x.reshape(1, 2, 4, 2, 2).swapaxes(1, 2).reshape(x.shape)
    np.testing.assert_array_equal(ops.channel_shuffle(Tensor(x), 2).asnumpy(), expected)


test_errors = error_cases(
    (lambda: ops.roll(Tensor(CUBE), (1, 2), (0,)), UsageError, "roll: 2 shifts for 1 axes; pass one for each"),
    (lambda: ops.roll(Tensor(CUBE), 1, 3), IndexError, "roll: axis 3 does not exist"),
    (lambda: ops.repeat_interleave(Tensor(ROW), [1]), ShapeError, "repeat_interleave: 1 repeats for axis 0 of f32"),
)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))
IMAGES = RANDOM.standard_normal((2, 3, 4, 6))
BLOCKS = [([2, 3], [[0, 0], [0, 0]]), ([3, 2], [[1, 1], [2, 0]]), (2, [[0, 0]] * 2)]
VOLUME_TENSOR = Tensor(VOLUME)


@pytest.mark.parametrize(("order", "cases"), [(1, 0), (2, 0), (-1, 1), (0, 2)])
def test_reverse_sequence(order, cases):
    lengths = np.arange(VOLUME.shape[cases]) % (VOLUME.shape[order] + 1)
    reference = VOLUME.copy()
    rows = np.moveaxis(reference, (cases, order % 3), (0, 1))  # a view
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    check_function(lambda x: ops.reverse_sequence(x, Tensor(lengths), order, cases), reference, VOLUME, rtol=0)


@pytest.mark.parametrize(("blocks", "paddings"), BLOCKS)
def test_space_to_batch_and_back(blocks, paddings):
    high, wide = (blocks, blocks) if isinstance(blocks, int) else blocks
    padded = np.pad(IMAGES, [(0, 0), (0, 0), *paddings])
    reference = np.concatenate([padded[:, :, i::high, j::wide] for i in range(high) for j in range(wide)])
    call = partial(ops.space_to_batch_nd, block_size=blocks, paddings=paddings)
    check_function(call, reference, IMAGES, gradient_at=(IMAGES[:1, :1],), rtol=0)
    back = in_both_modes(lambda x: ops.batch_to_space_nd(x, blocks, paddings), Tensor(reference))
    np.testing.assert_array_equal(back, IMAGES)


test_refusals_of_sequences = error_cases(
    (
        lambda: ops.reverse_sequence(VOLUME_TENSOR, Tensor([1, 1]), 1, 1),
        UsageError,
        "reverse_sequence: seq_dim and batch_dim",
    ),
    (
        lambda: ops.space_to_batch_nd(VOLUME_TENSOR, [2], [[0, 1]]),
        ShapeError,
        "padded axis 2 of size 5 is not a multiple",
    ),
    (lambda: ops.batch_to_space_nd(VOLUME_TENSOR, [3], [[0, 0]]), ShapeError, "batch size 2 is not a multiple of 3"),
)
