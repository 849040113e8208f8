"""Convolution and its gradients by columns block by block, in the order that suits the sizes.

Threads of BLAS would gain nothing from the products of a block, unless there are many filters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.accel.host.blas import on_one_thread
from minigraph.accel.kernels.chwn import apart
from minigraph.accel.kernels.chwn_columns import Across
from minigraph.accel.kernels.columns import Columns
from minigraph.accel.kernels.sliding_columns import Sliding, slides
from minigraph.core.machine import ADDED_BLOCK_BYTES, COLUMN_BLOCK_BYTES, MAX_ONE_THREAD_MACS, PRODUCTS_PER_COPY
from minigraph.core.types import Shape
from minigraph.operators.chwn import prefers_chwn
from minigraph.operators.img2col import Window, bordered, inside

Order = type[Columns]


def _on_few_threads(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """A function of a convolution, on one thread of BLAS where a block of columns has few filters.

    Its operands are images and kernels, or results first.
    """
    on_one = on_one_thread(function)

    def run(first: np.ndarray, second: np.ndarray, *given: Any, group: int, **attrs: Any) -> np.ndarray:
        filters = (first.shape[1] if "shape" in attrs else len(second)) // group
        few = filters * COLUMN_BLOCK_BYTES <= MAX_ONE_THREAD_MACS * first.itemsize
        return (on_one if few else function)(first, second, *given, group=group, **attrs)

    return run


def _columns_of(image: Shape, weight: Shape, window: Window) -> Order:
    """The order of columns that suits a convolution and its gradient with respect to weights."""
    if slides(image, weight, window):
        return Sliding
    return Across if prefers_chwn(image, weight, window) else Columns


def conv2d(x: np.ndarray, weight: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> np.ndarray:
    """The convolution, its results one after the other."""
    found = results(x, weight, out, **attrs)
    return apart(found) if out is None else found


@_on_few_threads
def results(x: np.ndarray, weight: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> np.ndarray:
    """The convolution, lying as its columns do, or in ``out``."""
    window = Window(**attrs)
    order = _columns_of(x.shape, weight.shape, window)
    columns = order(bordered(x, window.padding), weight.shape[2:], window, len(weight))
    return columns.products(columns.filters(weight), out)


def conv2d_input_grad(g: np.ndarray, weight: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """The gradient with respect to images, these one after the other."""
    return apart(input_grad(g, weight, shape=shape, **attrs))


@_on_few_threads
def input_grad(g: np.ndarray, weight: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """The gradient with respect to images, lying as its columns do."""
    window = Window(**attrs)
    order: Order = Across if prefers_chwn(shape, weight.shape, window, back=True) else Columns
    total, g = order.zeros(shape, g.dtype, window.padding), order.lying(g)
    add = _add_rows if _goes_by_rows(g, weight, total, window) else _add_pixels
    return inside(add(order, total, g, weight, window), window.padding)


def _goes_by_rows(g: np.ndarray, weight: np.ndarray, total: np.ndarray, window: Window) -> bool:
    """Whether products with zeros beside results cost less than additions do, and are zeros."""
    o, across, width = weight.shape[0] // window.group, total.shape[3], g.shape[3]
    cheap = window.stride[1] == 1 < weight.shape[3] and o * (across - width) <= PRODUCTS_PER_COPY * width
    return cheap and bool(np.isfinite(weight).all())


def _add_rows(order: Order, total: np.ndarray, g: np.ndarray, weight: np.ndarray, window: Window) -> np.ndarray:
    """The product sums over a row of the kernel, of results that lie as far to the right as its places do."""
    o, c, kh, kw = weight.shape
    down = window._replace(stride=(window.stride[0], 1))
    columns = order(total, (kh, 1), down, exact=True)
    grouped = weight.reshape(window.group, o // window.group, c, kh, kw).transpose(0, 2, 3, 1, 4)
    filters = np.ascontiguousarray(grouped).reshape(window.group, c * kh, -1)
    for block in columns.blocks():
        columns.add(block, np.matmul(filters, columns.of_results(g, block, kw)))
    return columns.images


def _add_pixels(order: Order, total: np.ndarray, g: np.ndarray, weight: np.ndarray, window: Window) -> np.ndarray:
    """The product of each place of the kernel is added where that place is; large blocks, for they are many."""
    columns = order(total, weight.shape[2:], window, exact=True)
    filters = columns.filters(weight).swapaxes(1, 2)
    for block in columns.blocks(ADDED_BLOCK_BYTES):
        columns.add(block, np.matmul(filters, columns.of_results(g, block)))
    return columns.images


@_on_few_threads
def weight_grad(g: np.ndarray, x: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """A product per block and a sum of them: BLAS is several times slower on one that is so long and so narrow.

    It is also faster with the higher of two matrices first; the result is turned, unless it is large.
    """
    window = Window(**attrs)
    order = _columns_of(x.shape, shape, window)
    exact = order is not Columns or not np.isfinite(x).all()  # across images it is anyway
    columns = order(bordered(x, window.padding), shape[2:], window, shape[0], exact=exact)
    filters, deep = shape[0] // window.group, shape[1] * shape[2] * shape[3]
    upright = filters < deep and filters * deep * g.itemsize <= COLUMN_BLOCK_BYTES
    total = np.zeros((window.group, *((deep, filters) if upright else (filters, deep))), g.dtype)
    g = columns.standing(g) if upright else columns.lying(g)
    for block, matrix in columns.matrices():
        if upright:
            found = np.matmul(matrix, columns.upright(g, block))
        else:
            found = np.matmul(columns.of_results(g, block), matrix.swapaxes(-1, -2))
        total += found if found.ndim == 3 else found.sum(axis=1)
    return columns.weights(total.swapaxes(1, 2) if upright else total, shape)
