"""Resizing and sampling images: against torch's formulas written out, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from tests.ops.functional.checks import check_function, check_gradient, in_both_modes
from tests.tables import error_cases, every

RANDOM = np.random.default_rng(6)
ROWS = RANDOM.standard_normal((2, 3, 5))
IMAGES = RANDOM.standard_normal((1, 2, 4, 5))


def interpolate(row, positions):
    """A row at fractional positions, by linear interpolation."""
    return np.interp(positions, np.arange(len(row)), row)


@every(align=[True, False], size=[1, 3, 5, 9])
def test_linear_interpolation(size, align):
    ends = np.linspace(0, 4, size) if align and size > 1 else np.zeros(1)
    positions = ends if align else (np.arange(size) + 0.5) * 5 / size - 0.5
    expected = np.apply_along_axis(interpolate, -1, ROWS, positions)
    call = partial(ops.interpolate, size=size, mode="linear", align_corners=align)
    check_function(call, expected, ROWS, gradient_at=(ROWS[:1],), atol=1e-9)


@every(size=[(2, 2), (8, 10), (3, 7)], mode=["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
def test_every_mode_is_linear_and_keeps_constants(mode, size):
    call = partial(ops.interpolate, size=size, mode=mode)
    check_function(call, np.full((1, 2, *size), 3.0), np.full_like(IMAGES, 3.0), gradient_at=(IMAGES,), rtol=1e-12)
    np.testing.assert_allclose(call(Tensor(IMAGES * 2)).asnumpy(), call(Tensor(IMAGES)).asnumpy() * 2, atol=1e-12)


def test_scale_factor():
    for mode in ("nearest", "bilinear"):
        twice = ops.interpolate(Tensor(IMAGES), scale_factor=2.0, mode=mode).asnumpy()
        np.testing.assert_array_equal(twice, ops.upsample(Tensor(IMAGES), (8, 10), mode=mode).asnumpy())
    assert ops.interpolate(Tensor(IMAGES), scale_factor=(0.5, 1.5)).shape == (1, 2, 2, 7)
    np.testing.assert_array_equal(ops.interpolate(Tensor(IMAGES), (4, 5), mode="bilinear").asnumpy(), IMAGES)


@every(mode=["bilinear", "nearest", "bicubic"], padding=["zeros", "border", "reflection"], align=[True, False])
def test_the_identity_grid_is_the_image(align, padding, mode):
    still = Tensor(np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]))
    grid = ops.affine_grid(still, (1, 2, 4, 5), align)
    result = in_both_modes(lambda x, g: ops.grid_sample(x, g, mode, padding, align), Tensor(IMAGES), grid)
    np.testing.assert_allclose(result, IMAGES, atol=1e-9)
    mirrored = ops.affine_grid(still * Tensor([-1.0, 1.0, 1.0]), (1, 2, 4, 5), align)
    result = ops.grid_sample(Tensor(IMAGES), mirrored, mode, padding, align).asnumpy()
    np.testing.assert_allclose(result, IMAGES[..., ::-1], atol=1e-9)


@every(mode=["bilinear", "nearest"], padding=["zeros", "border", "reflection"])
def test_slices_of_volumes_are_sampled_like_images(mode, padding):
    grid = np.random.default_rng(0).uniform(-1.2, 1.2, (1, 3, 4, 2))
    volume, at = np.stack([IMAGES, 2 * IMAGES, IMAGES], 2), np.concatenate([grid, 0 * grid[..., :1]], -1)[:, None]
    of_volume = ops.grid_sample(Tensor(volume), Tensor(at), mode, padding).asnumpy()[:, :, 0]
    np.testing.assert_allclose(of_volume, 2 * ops.grid_sample(Tensor(IMAGES), Tensor(grid), mode, padding).asnumpy())


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_padding_modes(padding):
    right = Tensor(np.array([[[[1.6, 0.0]]]]))  # the second pixel after the last one
    result = ops.grid_sample(Tensor(IMAGES), right, "bilinear", padding).asnumpy()[0, :, 0, 0]
    last, before = IMAGES[0, :, 1:3, -1].mean(1), IMAGES[0, :, 1:3, -2].mean(1)
    expected = {"zeros": last * 0, "border": last, "reflection": before}[padding]
    np.testing.assert_allclose(result, expected, atol=1e-9)
    grid = np.linspace(-1.13, 1.21, 12).reshape(1, 2, 3, 2)
    check_gradient(lambda x, g: ops.grid_sample(x, g, "bilinear", padding), IMAGES, grid)


test_errors = error_cases(
    (lambda: ops.interpolate(Tensor(IMAGES), 3, mode="bilinaer"), UsageError, "did you mean 'bilinear'"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, mode="linear"), ShapeError, "needs an input of rank 3"),
    (lambda: ops.interpolate(Tensor(IMAGES)), ArgValueError, "give either size or scale_factor"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, 2.0), ArgValueError, "give either size or scale_factor"),
    (lambda: ops.interpolate(Tensor(IMAGES), (3,)), ArgValueError, "size must be one number, or 2, one per axis"),
    (lambda: ops.interpolate(Tensor(IMAGES), 3, align_corners=True), ArgValueError, "align_corners applies to"),
    (lambda: ops.grid_sample(Tensor(IMAGES), Tensor(ROWS)), ShapeError, "grid_sample: needs images"),
    (lambda: ops.affine_grid(Tensor(ROWS), (1, 1, 2, 2)), ShapeError, "affine_grid: needs theta"),
)


@pytest.mark.parametrize(("argument", "value"), [("mode", "cubic"), ("padding_mode", "wrap")])
def test_unknown_sampling_modes_raise(argument, value):
    grid = Tensor(np.zeros((1, 1, 1, 2)))
    with pytest.raises(UsageError, match=f"grid_sample: {argument} is"):
        ops.grid_sample(Tensor(IMAGES), grid, **{argument: value})
