"""Im2col in CHWN order: the same columns, and the same convolutions."""

import numpy as np
import pytest

from minigraph.accel.kernels import conv
from minigraph.accel.kernels.chwn import as_chwn_contiguous
from minigraph.accel.kernels.chwn_im2col import ChwnColumns
from minigraph.accel.kernels.im2col import Columns
from minigraph.accel.kernels.mec import MecColumns
from minigraph.core.machine import COLUMN_TILE_BYTES, MIN_COLUMNS, SMALL_PRODUCT_MACS
from minigraph.operators.chwn import AXES_TO_CHWN, should_use_chwn
from minigraph.operators.im2col import NO_PADDING, Window
from tests.accel.kernels.test_im2col import OTHER_WINDOWS, UNIT

RNG = np.random.default_rng(0)
WINDOWS = [UNIT, *(UNIT._replace(**other) for other in (*OTHER_WINDOWS, {"padding": ((1, 0), (2, 1))}))]
SHAPES = [(17, 4, 9, 11), (700, 4, 12, 9)]  # all images in a block; some of them


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
def test_columns_equal_the_other_order(window, shape):
    padded, kernel = RNG.normal(size=shape), (3, 2)
    columns, others = ChwnColumns(padded, kernel, window), Columns(padded, kernel, window, dense=True)
    unfolded = np.zeros((4, *kernel, columns.height, columns.width, shape[0]))
    for block, matrix in columns.matrices():
        images, rows = block.counts
        assert matrix.nbytes <= 2 * max(COLUMN_TILE_BYTES, MIN_COLUMNS * 24 * 8)
        unfolded[:, :, :, block.rows, :, block.images] = matrix.reshape(4, *kernel, rows, -1, images)
    np.testing.assert_array_equal(unfolded, np.moveaxis(others.pixels, 3, 5))


ORDERS = [(ChwnColumns, window) for window in WINDOWS] + [
    (MecColumns, window) for window in WINDOWS if window.dilation[0] == 1
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("order", "window"), ORDERS)
def test_adding_columns_is_the_adjoint(order, window, shape):
    padded = RNG.normal(size=shape)
    columns, sums = order(padded, (3, 2), window), order(np.zeros(shape), (3, 2), window)
    product = 0.0
    for block, matrix in columns.matrices():
        other = RNG.normal(size=matrix.shape)
        sums.add(block, other)
        product += (matrix * other).sum()
    assert (padded * sums.images).sum() == pytest.approx(product)


def test_products_are_in_chwn_memory():
    images, filters = RNG.normal(size=(700, 4, 12, 9)), RNG.normal(size=(2, 3, 12))
    window = UNIT._replace(group=2)
    products = ChwnColumns(images, (3, 2), window).products(filters)
    assert products.transpose(AXES_TO_CHWN).flags.c_contiguous
    np.testing.assert_allclose(products, Columns(images, (3, 2), window).products(filters), rtol=1e-12)


def test_products_are_small_enough_for_blas_not_to_pack_operands_if_rows_are_short():
    images = np.zeros((32, 6, 14, 14), np.float32)
    (_, rows), *_ = (block.counts for block in ChwnColumns(images, (5, 5), UNIT, 16).blocks())
    assert 16 * 150 * rows * 10 * 32 <= SMALL_PRODUCT_MACS < 16 * 150 * (rows + 1) * 10 * 32
    many, few = (ChwnColumns(images, (5, 5), UNIT, filters).blocks() for filters in (1000, 0))
    assert [block.counts for block in many] == [block.counts for block in few]


@pytest.mark.parametrize(("count", "parts"), [(64, [64]), (700, [100] * 7)])
def test_images_are_split_evenly_if_at_all(count, parts):
    blocks = ChwnColumns(np.zeros((count, 3, 5, 32), np.float32), (5, 5), UNIT, 6).blocks()
    assert [block.counts[0] for block in blocks] == parts


@pytest.mark.parametrize("shape", [(32, 2, 8, 19), (32, 2, 8, 18)], ids=str)
def test_rows_of_columns_do_not_conflict_in_the_cache(shape):
    for _, matrix in ChwnColumns(np.zeros(shape, np.float32), (3, 3), UNIT).matrices():
        assert matrix.strides[1] % 512


ATTRS = {"stride": (1, 1), "padding": NO_PADDING, "dilation": (1, 1), "group": 1}
CASES = [
    ((16, 4, 8, 8), (6, 4, 3, 3), {}),
    ((40, 4, 8, 7), (6, 2, 3, 2), {"group": 2, "padding": ((1, 0), (0, 1))}),
    ((20, 3, 9, 9), (4, 3, 3, 3), {"stride": (2, 2), "padding": ((1, 1), (1, 1))}),
    ((16, 3, 9, 9), (4, 3, 2, 3), {"dilation": (2, 1)}),
    ((17, 2, 20, 18), (3, 2, 5, 4), {}),
    ((40, 2, 21, 18), (4, 1, 6, 6), {"group": 2, "padding": ((0, 1), (2, 1))}),
    ((33, 16, 9, 9), (96, 8, 3, 3), {"group": 2, "stride": (2, 1)}),
    ((64, 16, 8, 8), (96, 16, 3, 3), {}),
]


@pytest.mark.parametrize(("image", "weight", "attrs"), CASES, ids=str)
@pytest.mark.parametrize("special", [None, np.inf, np.nan])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of infinities, which are values here
def test_a_batch_gives_the_results_of_single_images(image, weight, attrs, special):
    attrs = ATTRS | attrs
    assert should_use_chwn(image, weight, Window(**attrs))
    x, w = RNG.normal(size=image), RNG.normal(size=weight)
    if special is not None:
        x[3, -1, 4, 4] = special
    forward, input_grad, weight_grad = conv.conv2d, conv.conv2d_input_grad, conv.weight_grad
    result = forward(x, w, **attrs)
    assert result.flags.c_contiguous
    np.testing.assert_allclose(result, np.concatenate([forward(image[None], w, **attrs) for image in x]), atol=1e-10)
    g = RNG.normal(size=result.shape)
    input_gradient = input_grad(g, w, shape=image, **attrs)
    assert input_gradient.flags.c_contiguous
    one_by_one = [input_grad(cotangent[None], w, shape=(1, *image[1:]), **attrs) for cotangent in g]
    np.testing.assert_allclose(input_gradient, np.concatenate(one_by_one), atol=1e-10)
    parts = [weight_grad(a[None], b[None], shape=weight, **attrs) for a, b in zip(g, x, strict=True)]
    np.testing.assert_allclose(weight_grad(g, x, shape=weight, **attrs), sum(parts), atol=1e-10)


@pytest.mark.parametrize(("image", "weight", "attrs"), [*CASES, ((3, 4, 8, 8), (6, 4, 3, 3), {})], ids=str)
def test_results_are_the_same_in_out(image, weight, attrs):
    attrs = ATTRS | attrs
    forward = conv.conv2d
    x, w = RNG.normal(size=image), RNG.normal(size=weight)
    expected = forward(x, w, **attrs)
    for out in (np.empty_like(expected), as_chwn_contiguous(expected) + 1):
        assert forward(x, w, out=out, **attrs) is out
        assert np.array_equal(out, expected)
