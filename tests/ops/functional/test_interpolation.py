"""Resizing and sampling images: against torch's formulas written out, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError, ValueArgument
from tests.ops.functional.checks import both_ways, check_function, check_slope
from tests.tables import every, refusals

RANDOM = np.random.default_rng(6)
ROWS = RANDOM.standard_normal((2, 3, 5))
IMAGES = RANDOM.standard_normal((1, 2, 4, 5))


def between(row, places):
    """A row at places, on the line between the elements next to each."""
    return np.interp(places, np.arange(len(row)), row)


@every(align=[True, False], size=[1, 3, 5, 9])
def test_on_the_line_between_neighbours(size, align):
    ends = np.linspace(0, 4, size) if align and size > 1 else np.zeros(1)
    places = ends if align else (np.arange(size) + 0.5) * 5 / size - 0.5
    wanted = np.apply_along_axis(between, -1, ROWS, places)
    call = partial(ops.interpolate, size=size, mode="linear", align_corners=align)
    check_function(call, wanted, ROWS, slope_at=(ROWS[:1],), atol=1e-9)


@every(size=[(2, 2), (8, 10), (3, 7)], mode=["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
def test_every_mode_keeps_what_is_even_and_is_linear(mode, size):
    call = partial(ops.interpolate, size=size, mode=mode)
    check_function(call, np.full((1, 2, *size), 3.0), np.full_like(IMAGES, 3.0), slope_at=(IMAGES,), rtol=1e-12)
    np.testing.assert_allclose(call(Tensor(IMAGES * 2)).asnumpy(), call(Tensor(IMAGES)).asnumpy() * 2, atol=1e-12)


def test_a_factor_is_a_size():
    for mode in ("nearest", "bilinear"):
        twice = ops.interpolate(Tensor(IMAGES), scale_factor=2.0, mode=mode).asnumpy()
        np.testing.assert_array_equal(twice, ops.upsample(Tensor(IMAGES), (8, 10), mode=mode).asnumpy())
    assert ops.interpolate(Tensor(IMAGES), scale_factor=(0.5, 1.5)).shape == (1, 2, 2, 7)
    np.testing.assert_array_equal(ops.interpolate(Tensor(IMAGES), (4, 5), mode="bilinear").asnumpy(), IMAGES)


@every(mode=["bilinear", "nearest"], padding=["zeros", "border", "reflection"], align=[True, False])
def test_the_grid_of_nothing_moved_is_the_image(align, padding, mode):
    still = Tensor(np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]))
    grid = ops.affine_grid(still, (1, 2, 4, 5), align)
    found = both_ways(lambda x, g: ops.grid_sample(x, g, mode, padding, align), Tensor(IMAGES), grid)
    np.testing.assert_allclose(found, IMAGES, atol=1e-9)
    mirrored = ops.affine_grid(still * Tensor([-1.0, 1.0, 1.0]), (1, 2, 4, 5), align)
    found = ops.grid_sample(Tensor(IMAGES), mirrored, mode, padding, align).asnumpy()
    np.testing.assert_allclose(found, IMAGES[..., ::-1], atol=1e-9)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_beyond_the_edges(padding):
    right = Tensor(np.array([[[[1.6, 0.0]]]]))  # the second pixel after the last one
    found = ops.grid_sample(Tensor(IMAGES), right, "bilinear", padding).asnumpy()[0, :, 0, 0]
    last, before = IMAGES[0, :, 1:3, -1].mean(1), IMAGES[0, :, 1:3, -2].mean(1)
    wanted = {"zeros": last * 0, "border": last, "reflection": before}[padding]
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    grid = np.linspace(-1.13, 1.21, 12).reshape(1, 2, 3, 2)
    check_slope(lambda x, g: ops.grid_sample(x, g, "bilinear", padding), IMAGES, grid)


test_refusals = refusals(
    (lambda: ops.interpolate(Tensor(IMAGES), 3, mode="bilinaer"), UsageError, "did you mean 'bilinear'"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, mode="linear"), ShapeError, "needs an input of rank 3"),
    (lambda: ops.interpolate(Tensor(IMAGES)), ValueArgument, "give either size or scale_factor"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, 2.0), ValueArgument, "give either size or scale_factor"),
    (lambda: ops.interpolate(Tensor(IMAGES), (3,)), ValueArgument, "size is a number, or one for each of 2 axes"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, align_corners=True), ValueArgument, "align_corners goes with"),
    (lambda: ops.grid_sample(Tensor(IMAGES), Tensor(ROWS)), ShapeError, "grid_sample: needs images"),
    (lambda: ops.affine_grid(Tensor(ROWS), (1, 1, 2, 2)), ShapeError, "affine_grid: needs theta"),
)


@pytest.mark.parametrize(("word", "value"), [("mode", "cubic"), ("padding_mode", "wrap")])
def test_unknown_ways_to_look_up(word, value):
    grid = Tensor(np.zeros((1, 1, 1, 2)))
    with pytest.raises(UsageError, match=f"grid_sample: {word} is"):
        ops.grid_sample(Tensor(IMAGES), grid, **{word: value})
