"""Parts turned, padded and regrouped against numpy, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, float32, int32, int64, ops, uint8
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.ways import both_ways, check_function
from tests.tables import cases, every, refusals

RANDOM = np.random.default_rng(9)
X = RANDOM.standard_normal((2, 3, 4))
IMAGES = RANDOM.standard_normal((2, 3, 4, 6))
WINDOWS = {"bartlett": np.bartlett, "blackman": np.blackman, "hamming": np.hamming, "hann": np.hanning}


@pytest.mark.parametrize(("order", "cases"), [(1, 0), (2, 0), (-1, 1), (0, 2)])
def test_the_first_ones_in_reverse(order, cases):
    lengths = np.arange(X.shape[cases]) % (X.shape[order] + 1)
    wanted = X.copy()
    rows = np.moveaxis(wanted, (cases, order % 3), (0, 1))  # a view
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    check_function(lambda x: ops.reverse_sequence(x, Tensor(lengths), order, cases), wanted, X, rtol=0)


@cases(("REFLECT", "reflect"), ("SYMMETRIC", "symmetric"))
def test_mirrored_borders(mode, way):
    widths = [[1, 0], [2, 1], [0, 3]]
    check_function(lambda x: ops.mirror_pad(x, Tensor(widths), mode), np.pad(X, widths, mode=way), X, rtol=0, atol=0)


def test_padding_to_a_size_and_gates():
    # padding to a size
    found = both_ways(lambda x: ops.padding(x, 3), Tensor(X[..., :1]))
    np.testing.assert_array_equal(found, np.pad(X[..., :1], ((0, 0), (0, 0), (0, 2))))
    # half of it gates the other
    first, second = X[..., :2], X[..., 2:]
    check_function(ops.swiglu, first / (1 + np.exp(-first)) * second, X)


BLOCKS = [([2, 3], [[0, 0], [0, 0]]), ([3, 2], [[1, 1], [2, 0]]), (2, [[0, 0]] * 2)]


@pytest.mark.parametrize(("blocks", "borders"), BLOCKS)
def test_blocks_become_cases_and_places_again(blocks, borders):
    high, wide = (blocks, blocks) if isinstance(blocks, int) else blocks
    padded = np.pad(IMAGES, [(0, 0), (0, 0), *borders])
    wanted = np.concatenate([padded[:, :, i::high, j::wide] for i in range(high) for j in range(wide)])
    call = partial(ops.space_to_batch_nd, block_size=blocks, paddings=borders)
    check_function(call, wanted, IMAGES, slope_at=(IMAGES[:1, :1],), rtol=0)
    back = both_ways(lambda x: ops.batch_to_space_nd(x, blocks, borders), Tensor(wanted))
    np.testing.assert_array_equal(back, IMAGES)


def test_elements():
    classes = np.array([1, 3, 0, 2], np.int32)
    scores = RANDOM.standard_normal((4, 5))
    for k in (1, 2, 5):
        wanted = [own in np.argsort(-row)[:k] for own, row in zip(classes, scores, strict=True)]
        assert both_ways(lambda x, c, k=k: ops.intopk(x, c, k), Tensor(scores), Tensor(classes)).tolist() == wanted
    bits = np.array([0, 1, 255, -1, 1234], np.int32)
    counted = both_ways(ops.population_count, Tensor(bits))
    assert counted.tolist() == [int(one).bit_count() if one >= 0 else 32 for one in bits]
    assert ops.population_count(Tensor(bits)).dtype is uint8


def test_the_middle_one_of_what_is_known():
    rows = X.copy()
    rows[0, 1, 2] = rows[1, 0, :3] = np.nan
    for axis in (0, 1, 2):
        values, places = both_ways(lambda x, axis=axis: ops.nanmedian(x, axis), Tensor(rows))
        for at in np.ndindex(values.shape):
            row = np.moveaxis(rows, axis, -1)[at]
            known = np.sort(row[~np.isnan(row)])
            assert values[at] == known[(len(known) - 1) // 2] == row[places[at]]
    assert ops.nanmedian(Tensor(rows), 1, True)[0].shape == (2, 1, 4)


@every(values=[[5, 2, 2, 1, 5], [3], [], [7, 7, 7]])
def test_the_different_ones_in_a_known_size(values):
    x = np.array(values, np.int32)
    found, places = both_ways(lambda t: ops.unique_with_pad(t, -1), Tensor(x))
    kept = list(dict.fromkeys(values))
    assert found.tolist() == kept + [-1] * (len(values) - len(kept))
    assert [kept[at] for at in places] == values
    assert [one.dtype for one in ops.unique_with_pad(Tensor(x), 0)] == [int32, int32]
    assert ops.unique_with_pad(Tensor(x, int64), 0)[1].dtype is int64


def test_complex_numbers_and_windows_with_options():
    # complex numbers
    sizes, angles = np.abs(X), X
    found = both_ways(ops.polar, Tensor(sizes), Tensor(angles))
    np.testing.assert_allclose(found, sizes * np.exp(1j * angles))
    np.testing.assert_allclose(both_ways(ops.view_as_real, Tensor(found)), np.stack([found.real, found.imag], -1))
    # windows with options
    np.testing.assert_allclose(ops.kaiser_window(6, False, 10.0).asnumpy(), np.kaiser(6, 10.0))
    wanted = 0.5 - 0.4 * np.cos(2 * np.pi * np.arange(5) / 5)
    np.testing.assert_allclose(ops.hamming_window(5, True, 0.5, 0.4).asnumpy(), wanted, atol=1e-7)


@every(length=[1, 2, 5, 8], name=WINDOWS)
def test_windows(name, length):
    window = getattr(ops, f"{name}_window")
    np.testing.assert_allclose(window(length, False).asnumpy(), WINDOWS[name](length), atol=1e-7)
    around = window(Tensor(length), dtype=float32)
    wanted = WINDOWS[name](length + 1)[:length] if length > 1 else [1.0]
    np.testing.assert_allclose(around.asnumpy(), wanted, atol=1e-7)
    assert around.dtype is float32


T = Tensor(X)


test_refusals = refusals(
    (lambda: ops.reverse_sequence(T, Tensor([1, 1]), 1, 1), UsageError, "reverse_sequence: seq_dim and batch_dim"),
    (lambda: ops.padding(T), ShapeError, "padding: the last axis of two or more has size 1"),
    (lambda: ops.mirror_pad(T, [[1, 1]] * 3, "WRAP"), UsageError, "mirror_pad: mode is 'REFLECT' or 'SYMMETRIC'"),
    (lambda: ops.mirror_pad(T, [[1, 1]]), ShapeError, "mirror_pad: a pair for each of 3 axes is wanted"),
    (lambda: ops.space_to_batch_nd(T, [2], [[0, 1]]), ShapeError, "axis 2 of 5 with its border is no multiple"),
    (lambda: ops.batch_to_space_nd(T, [3], [[0, 0]]), ShapeError, "2 cases are no multiple of 3 places"),
    (lambda: ops.unique_with_pad(T, 0), ShapeError, "unique_with_pad: needs a vector"),
    (lambda: ops.hann_window(-1), UsageError, "a window has 0 numbers or more, got -1"),
)
