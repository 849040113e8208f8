"""Pooling against windows sliced by numpy, in both modes, with gradients."""

from functools import partial
from itertools import product

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import check_function, in_both_modes
from tests.tables import error_cases, every

RANDOM = np.random.default_rng(7)
SHAPES = {1: (2, 3, 7), 2: (1, 2, 7, 6), 3: (1, 2, 4, 3, 4)}
INPUTS = {rank: RANDOM.permutation(np.prod(shape)).reshape(shape) / 7 for rank, shape in SHAPES.items()}
LARGEST = {2: ops.max_pool2d, 3: ops.max_pool3d}
MEANS = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}


def windows(size, kernel, stride, padding, dilation, ceil):
    """The positions of each window's elements on one axis; a window begins inside the axis or its leading padding."""
    starts = range(-padding, size + padding, stride)
    last = dilation * (kernel - 1)
    whole = [at for at in starts if at + last < size + padding]
    if ceil and whole[-1] + last < size + padding - 1 and whole[-1] + stride < size:
        whole.append(whole[-1] + stride)
    return [[at + dilation * k for k in range(kernel)] for at in whole]


def pool(x, rank, reduce, kernel, stride, padding=0, dilation=1, ceil=False):
    """``reduce`` of the (position, element or ``None``) pairs of each window."""
    axes = [windows(size, kernel, stride, padding, dilation, ceil) for size in x.shape[-rank:]]
    result = np.zeros((*x.shape[:-rank], *map(len, axes)))
    for lead in np.ndindex(*x.shape[:-rank]):
        for at in np.ndindex(*map(len, axes)):
            positions = product(*(axis[i] for axis, i in zip(axes, at, strict=True)))
            result[(*lead, *at)] = reduce([(position, element(x[lead], position)) for position in positions])
    return result


def element(x, position):
    return x[position] if all(0 <= at < size for at, size in zip(position, x.shape, strict=True)) else None


def largest(cells):
    return max(value for _, value in cells if value is not None)


def elements_at(x, positions):
    """The elements at positions in each flattened image."""
    rows, flat = (tensor.reshape(*tensor.shape[:2], -1) for tensor in (x, positions))
    return np.take_along_axis(rows, flat, 2).reshape(positions.shape)


GEOMETRIES = [
    {"kernel": 2, "stride": 2},
    {"kernel": 3, "stride": 2, "padding": 1},
    {"kernel": 2, "stride": 3, "padding": 1, "ceil": True},
    {"kernel": 3, "stride": 2, "ceil": True},
]


def keyword_arguments(geometry):
    names = {"kernel": "kernel_size", "ceil": "ceil_mode"}
    return {names.get(name, name): value for name, value in geometry.items()}


@every(rank=LARGEST, geometry=[*GEOMETRIES, {"kernel": 2, "stride": 1, "dilation": 2}])
def test_max_pooling_and_positions(rank, geometry):
    x, call = INPUTS[rank], partial(LARGEST[rank], **keyword_arguments(geometry))
    expected = pool(x, rank, largest, **geometry)
    check_function(call, expected, x, rtol=0)
    result, positions = in_both_modes(partial(call, return_indices=True), Tensor(x))
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(elements_at(x, positions), expected)


@every(count_padding=[True, False], rank=MEANS, geometry=GEOMETRIES)
def test_avg_pooling(rank, geometry, count_padding):
    x, padding = INPUTS[rank], geometry.get("padding", 0)

    def mean(cells):
        known = [value for _, value in cells if value is not None]
        ends = [size + padding for size in x.shape[-rank:]]
        within = [position for position, _ in cells if all(at < end for at, end in zip(position, ends, strict=True))]
        return sum(known) / (len(within) if count_padding else len(known))

    call = partial(MEANS[rank], **keyword_arguments(geometry), count_include_pad=count_padding)
    check_function(call, pool(x, rank, mean, **geometry), x, rtol=1e-6)


@every(rank=[2, 3])
def test_divisor_override(rank):
    result = MEANS[rank](Tensor(INPUTS[rank]), 2, 2, divisor_override=5).asnumpy()
    np.testing.assert_allclose(result, MEANS[rank](Tensor(INPUTS[rank]), 2, 2).asnumpy() * 2**rank / 5)


@every(power=[1.0, 2.0, 3.0])
def test_lp_pooling(power):
    for rank, call in ((1, ops.lp_pool1d), (2, ops.lp_pool2d)):
        norm = lambda cells: sum(value**power for _, value in cells) ** (1 / power)  # noqa: E731 - of one window
        result = in_both_modes(lambda t, call=call: call(t, power, 2, 2), Tensor(INPUTS[rank]))
        np.testing.assert_allclose(result, pool(INPUTS[rank], rank, norm, 2, 2), rtol=1e-9)


X = Tensor(INPUTS[2])


test_errors = error_cases(
    (lambda: ops.max_pool2d(X[0, 0], 2), errors.ShapeError, "max_pool2d"),
    (lambda: ops.max_pool2d(X, 2, dilation=0), errors.ArgValueError, "max_pool2d: dilation must be an integer >= 1"),
    (lambda: ops.max_pool2d(X, 9, ceil_mode=True), errors.ShapeError, "a window of 9 does not fit in 7 elements"),
    (lambda: ops.avg_pool1d(X, (2, 2)), errors.ShapeError, "avg_pool1d: needs an input of rank 2 or 3"),
    (lambda: ops.avg_pool3d(X[0], 2), errors.ShapeError, "avg_pool3d: needs an input of rank 4 or 5"),
    (lambda: ops.avg_pool2d(X, (2, 2, 2), ceil_mode=True), errors.ArgValueError, "kernel_size must be an integer >= 1"),
)


def test_default_strides():
    images = Tensor(np.random.default_rng(0).normal(size=(2, 3, 5, 5)))
    assert ops.max_pool2d(images, 2).shape == ops.avg_pool2d(images, 2, 2).shape == (2, 3, 2, 2)
    assert ops.avg_pool2d(images, 2).shape == (2, 3, 4, 4)  # another default than that of max_pool2d
