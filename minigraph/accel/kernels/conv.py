"""Convolution and its gradients by blocked im2col, in the column order that suits the sizes.

Threads of BLAS would not speed up the products of a block, unless there are many filters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.accel.host.blas import single_threaded_blas
from minigraph.accel.kernels.chwn import as_nchw_contiguous
from minigraph.accel.kernels.chwn_im2col import ChwnColumns
from minigraph.accel.kernels.im2col import Columns
from minigraph.accel.kernels.mec import MecColumns, should_use_mec
from minigraph.core.machine import ADDED_BLOCK_BYTES, COLUMN_TILE_BYTES, MAX_ONE_THREAD_MACS, PRODUCTS_PER_COPY
from minigraph.core.types import Shape
from minigraph.operators.chwn import should_use_chwn
from minigraph.operators.im2col import Window, crop, pad_images

Order = type[Columns]


def _limit_blas_threads(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """A function of a convolution, on one thread of BLAS where a block of columns is multiplied by few filters.

    Its operands are images and weights, or the gradient of results first.
    """
    single_threaded = single_threaded_blas(function)

    def run(first: np.ndarray, second: np.ndarray, *rest: np.ndarray | None, group: int, **attrs: Any) -> np.ndarray:
        filters = (first.shape[1] if "shape" in attrs else len(second)) // group
        few = filters * COLUMN_TILE_BYTES <= MAX_ONE_THREAD_MACS * first.itemsize
        return (single_threaded if few else function)(first, second, *rest, group=group, **attrs)

    return run


def _column_order(image: Shape, weight: Shape, window: Window) -> Order:
    """The order of columns for a convolution and its gradient with respect to the weight."""
    if should_use_mec(image, weight, window):
        return MecColumns
    return ChwnColumns if should_use_chwn(image, weight, window) else Columns


def conv2d(x: np.ndarray, weight: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> np.ndarray:
    """The convolution, in NCHW memory."""
    result = convolve(x, weight, out, **attrs)
    return as_nchw_contiguous(result) if out is None else result


@_limit_blas_threads
def convolve(x: np.ndarray, weight: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> np.ndarray:
    """The convolution, in the memory order of its columns, or in ``out``."""
    window = Window(**attrs)
    order = _column_order(x.shape, weight.shape, window)
    columns = order(pad_images(x, window.padding), weight.shape[2:], window, len(weight))
    return columns.products(columns.filters(weight), out)


def conv2d_input_grad(g: np.ndarray, weight: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """The gradient with respect to the images, in NCHW memory."""
    return as_nchw_contiguous(input_grad(g, weight, shape=shape, **attrs))


@_limit_blas_threads
def input_grad(g: np.ndarray, weight: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """The gradient with respect to the images, in the memory order of its columns."""
    window = Window(**attrs)
    order: Order = ChwnColumns if should_use_chwn(shape, weight.shape, window, back=True) else Columns
    total, g = order.zeros(shape, g.dtype, window.padding), order.to_layout(g)
    add = _add_rows if _should_add_rows(g, weight, total, window) else _add_pixels
    return crop(add(order, total, g, weight, window), window.padding)


def _should_add_rows(g: np.ndarray, weight: np.ndarray, total: np.ndarray, window: Window) -> bool:
    """Whether products with the zeros around results are cheaper than additions, and are zeros."""
    o, across, width = weight.shape[0] // window.group, total.shape[3], g.shape[3]
    cheap = window.stride[1] == 1 < weight.shape[3] and o * (across - width) <= PRODUCTS_PER_COPY * width
    return cheap and bool(np.isfinite(weight).all())


def _add_rows(order: Order, total: np.ndarray, g: np.ndarray, weight: np.ndarray, window: Window) -> np.ndarray:
    """The product sums over a row of the kernel; results are shifted right by each tap of that row."""
    o, c, kh, kw = weight.shape
    down = window._replace(stride=(window.stride[0], 1))
    columns = order(total, (kh, 1), down, dense=True)
    grouped = weight.reshape(window.group, o // window.group, c, kh, kw).transpose(0, 2, 3, 1, 4)
    filters = np.ascontiguousarray(grouped).reshape(window.group, c * kh, -1)
    for block in columns.blocks():
        columns.add(block, np.matmul(filters, columns.result_columns(g, block, kw)))
    return columns.images


def _add_pixels(order: Order, total: np.ndarray, g: np.ndarray, weight: np.ndarray, window: Window) -> np.ndarray:
    """The product for each tap of the kernel is added to the pixels under it; blocks are large, for taps are many."""
    columns = order(total, weight.shape[2:], window, dense=True)
    filters = columns.filters(weight).swapaxes(1, 2)
    for block in columns.blocks(ADDED_BLOCK_BYTES):
        columns.add(block, np.matmul(filters, columns.result_columns(g, block)))
    return columns.images


@_limit_blas_threads
def weight_grad(g: np.ndarray, x: np.ndarray, *, shape: Shape, **attrs: Any) -> np.ndarray:
    """The gradient with respect to the weight: a sum of one product per block.

    BLAS is several times slower on a single product that is so long and narrow. It is also faster with the taller of
    two matrices first; so the transposed product is computed, unless the result is large.
    """
    window = Window(**attrs)
    order = _column_order(x.shape, shape, window)
    dense = order is not Columns or not np.isfinite(x).all()  # the other orders are always dense
    columns = order(pad_images(x, window.padding), shape[2:], window, shape[0], dense=dense)
    filters, taps = shape[0] // window.group, shape[1] * shape[2] * shape[3]
    transposed = filters < taps and filters * taps * g.itemsize <= COLUMN_TILE_BYTES
    total = np.zeros((window.group, *((taps, filters) if transposed else (filters, taps))), g.dtype)
    g = columns.to_row_layout(g) if transposed else columns.to_layout(g)
    for block, matrix in columns.matrices():
        if transposed:
            product = np.matmul(matrix, columns.result_rows(g, block))
        else:
            product = np.matmul(columns.result_columns(g, block), matrix.swapaxes(-1, -2))
        total += product if product.ndim == 3 else product.sum(axis=1)
    return columns.weight_of(total.swapaxes(1, 2) if transposed else total, shape)
