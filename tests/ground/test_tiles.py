"""Products in tiles are the same products."""

import numpy as np
import pytest

from minigraph.ground import tiles
from minigraph.ground.blas import SMALL
from minigraph.ground.tiles import by_tiles, product, tile_of

RNG = np.random.default_rng(0)
SIZES = [(64, 300, 128), (33, 400, 400), (129, 128, 271), (300, 90, 200), (17, 976, 265)]
SIZES += [(8, 500, 300), (3, 400, 900), (6, 200, 300)]  # few rows


@pytest.fixture(autouse=True)
def pay(monkeypatch):
    """On every machine, whatever its BLAS and its threads."""
    monkeypatch.setattr(tiles, "tiles_pay", lambda: True)


def lying(shape, transposed, dtype=np.float32):
    """Numbers in a matrix, or a stack of them, of which each may be a transposed view."""
    *stack, rows, columns = shape
    x = RNG.normal(size=(*stack, columns, rows) if transposed else shape).astype(dtype)
    return x.swapaxes(-1, -2) if transposed else x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_products_are_numpys(sizes, left, right, dtype):
    rows, deep, columns = sizes
    x, y = lying((rows, deep), left, dtype), lying((deep, columns), right, dtype)
    want, gaps = np.matmul(x, y, dtype=np.float64), np.full((rows, columns + 5), np.nan, dtype)[:, :columns]
    for found in (product(x, y), product(x, y, gaps), product(x, y, np.empty((rows, columns), dtype))):
        np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-3 if dtype is np.float32 else 1e-10)
    assert product(x, y, gaps) is gaps


STACKS = [((3, 64, 100), (3, 100, 200)), ((2, 1, 40, 300), (5, 300, 90)), ((64, 100), (2, 100, 200))]


@pytest.mark.parametrize(("x", "y"), STACKS)
def test_stacks_are_broadcast(x, y):
    x, y = lying(x, transposed=False, dtype=np.float64), lying(y, transposed=True, dtype=np.float64)
    np.testing.assert_allclose(by_tiles(x, y, tile=(16, 32)), np.matmul(x, y), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("deep", [1, 61, 62, 244, 245, 300, 976])
def test_every_tile_is_small(deep, left, right):
    for rows, columns in ((2, 9000), (8, 4000), (31, 2000), (32, 2000), (500, 33), (700, 700)):
        x, y = lying((rows, deep), left), lying((deep, columns), right)
        tile = tile_of(x, y)
        if tile is not None:
            assert tile[0] * deep * tile[1] <= SMALL
            assert not (right and not left) or tile[0] * tile[1] <= 1200


def has_tile(x, y, transposed=False):
    x, y = np.empty(x, np.float32), np.empty(y, np.float32)
    return tile_of(x, y.T if transposed else y) is not None


def test_what_stays_whole(monkeypatch):
    assert has_tile((64, 300), (300, 128))
    assert not has_tile((64, 300), (300, 50)), "small as it is"
    assert not has_tile((65, 300), (300, 128)), "small for what is left at the edges"
    assert has_tile((65, 300), (300, 300))
    assert has_tile((2, 900), (900, 1000))
    assert not has_tile((1, 900), (900, 2000)), "a row"
    assert not has_tile((1280, 300), (300, 31)), "few columns"
    assert not has_tile((64, 977), (977, 128)), "long sums"
    assert not has_tile((300,), (300, 100_000)), "a vector"
    assert not has_tile((640, 200), (640, 200), transposed=True), "short sums"
    assert has_tile((640, 300), (640, 300), transposed=True)
    assert tile_of(np.ones((64, 300), int), np.ones((300, 128), int)) is None
    monkeypatch.setattr(tiles, "tiles_pay", lambda: False)
    assert not has_tile((64, 300), (300, 128)), "on other machines"


def test_a_few_rows_by_transposed_weights_are_worth_less():
    assert has_tile((8, 256), (256, 256), transposed=True)
    assert not has_tile((8, 256), (128, 256), transposed=True), "OpenBLAS calls that small"
    assert not has_tile((8, 60), (900, 60), transposed=True), "short sums"
    assert not has_tile((16, 256), (128, 256), transposed=True), "so many are turned sooner"


def test_tiles_pay_for_one_thread(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(tiles, "has_small_kernels", lambda: True)
    for threads, pay in ((1, True), (2, False)):
        monkeypatch.setattr(tiles, "blas_threads", lambda threads=threads: threads)
        assert tiles.tiles_pay.__wrapped__() is pay
