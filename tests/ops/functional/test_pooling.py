"""Pooling against windows cut by hand, in both modes, with gradients."""

from functools import partial
from itertools import product

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import both_ways, check_function
from tests.tables import every, refusals

RANDOM = np.random.default_rng(7)
SHAPES = {1: (2, 3, 7), 2: (1, 2, 7, 6), 3: (1, 2, 4, 3, 4)}
INPUTS = {rank: RANDOM.permutation(np.prod(shape)).reshape(shape) / 7 for rank, shape in SHAPES.items()}
LARGEST = {2: ops.max_pool2d, 3: ops.max_pool3d}
MEANS = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}


def windows(size, kernel, stride, padding, dilation, ceil):
    """Where each window's elements stand on one axis; a window begins inside of the axis or its first border."""
    starts = range(-padding, size + padding, stride)
    last = dilation * (kernel - 1)
    whole = [at for at in starts if at + last < size + padding]
    if ceil and whole[-1] + last < size + padding - 1 and whole[-1] + stride < size:
        whole.append(whole[-1] + stride)
    return [[at + dilation * k for k in range(kernel)] for at in whole]


def pooled(x, rank, fold, kernel, stride, padding=0, dilation=1, ceil=False):
    """``fold`` of the elements of each window and the places they have: pairs (place, element or None)."""
    axes = [windows(size, kernel, stride, padding, dilation, ceil) for size in x.shape[-rank:]]
    found = np.zeros((*x.shape[:-rank], *map(len, axes)))
    for lead in np.ndindex(*x.shape[:-rank]):
        for at in np.ndindex(*map(len, axes)):
            places = product(*(axis[i] for axis, i in zip(axes, at, strict=True)))
            found[(*lead, *at)] = fold([(place, element(x[lead], place)) for place in places])
    return found


def element(x, place):
    return x[place] if all(0 <= at < size for at, size in zip(place, x.shape, strict=True)) else None


def largest(cells):
    return max(value for _, value in cells if value is not None)


def looked_up(x, places):
    """The elements at places counted through each image."""
    rows, flat = (one.reshape(*one.shape[:2], -1) for one in (x, places))
    return np.take_along_axis(rows, flat, 2).reshape(places.shape)


WAYS = [
    {"kernel": 2, "stride": 2},
    {"kernel": 3, "stride": 2, "padding": 1},
    {"kernel": 2, "stride": 3, "padding": 1, "ceil": True},
    {"kernel": 3, "stride": 2, "ceil": True},
]


def spelled(way):
    names = {"kernel": "kernel_size", "ceil": "ceil_mode"}
    return {names.get(name, name): value for name, value in way.items()}


@every(rank=LARGEST, way=[*WAYS, {"kernel": 2, "stride": 1, "dilation": 2}])
def test_the_largest_and_where_it_stands(rank, way):
    x, call = INPUTS[rank], partial(LARGEST[rank], **spelled(way))
    wanted = pooled(x, rank, largest, **way)
    check_function(call, wanted, x, rtol=0)
    found, places = both_ways(partial(call, return_indices=True), Tensor(x))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(looked_up(x, places), wanted)


@every(border=[True, False], rank=MEANS, way=WAYS)
def test_means(rank, way, border):
    x, padding = INPUTS[rank], way.get("padding", 0)

    def mean(cells):
        known = [value for _, value in cells if value is not None]
        ends = [size + padding for size in x.shape[-rank:]]
        within = [place for place, _ in cells if all(at < end for at, end in zip(place, ends, strict=True))]
        return sum(known) / (len(within) if border else len(known))

    call = partial(MEANS[rank], **spelled(way), count_include_pad=border)
    check_function(call, pooled(x, rank, mean, **way), x, rtol=1e-6)


@every(rank=[2, 3])
def test_another_divisor(rank):
    found = MEANS[rank](Tensor(INPUTS[rank]), 2, 2, divisor_override=5).asnumpy()
    np.testing.assert_allclose(found, MEANS[rank](Tensor(INPUTS[rank]), 2, 2).asnumpy() * 2**rank / 5)


@every(power=[1.0, 2.0, 3.0])
def test_norms(power):
    for rank, call in ((1, ops.lp_pool1d), (2, ops.lp_pool2d)):
        norm = lambda cells: sum(value**power for _, value in cells) ** (1 / power)  # noqa: E731 - of one window
        found = both_ways(lambda t, call=call: call(t, power, 2, 2), Tensor(INPUTS[rank]))
        np.testing.assert_allclose(found, pooled(INPUTS[rank], rank, norm, 2, 2), rtol=1e-9)


X = Tensor(INPUTS[2])


test_refusals = refusals(
    (lambda: ops.max_pool2d(X[0, 0], 2), errors.ShapeError, "max_pool2d"),
    (lambda: ops.max_pool2d(X, 2, dilation=0), errors.ValueArgument, "max_pool2d: dilation is a number from 1"),
    (lambda: ops.max_pool2d(X, 9, ceil_mode=True), errors.ShapeError, "a window of 9 does not fit in 7 elements"),
    (lambda: ops.avg_pool1d(X, (2, 2)), errors.ShapeError, "avg_pool1d: needs an input of rank 2 or 3"),
    (lambda: ops.avg_pool3d(X[0], 2), errors.ShapeError, "avg_pool3d: needs an input of rank 4 or 5"),
    (lambda: ops.avg_pool2d(X, (2, 2, 2), ceil_mode=True), errors.ValueArgument, "kernel_size is a number from 1"),
)


def test_default_strides():
    images = Tensor(np.random.default_rng(0).normal(size=(2, 3, 5, 5)))
    assert ops.max_pool2d(images, 2).shape == ops.avg_pool2d(images, 2, 2).shape == (2, 3, 2, 2)
    assert ops.avg_pool2d(images, 2).shape == (2, 3, 4, 4)  # another default than that of max_pool2d
