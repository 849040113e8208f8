"""ONNX's matrix products and convolutions, with our operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import Attrs
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.importers.operator_table import KnownValue, Rows

T = Tensor
Pads = tuple[tuple[int, int], ...]

# ---- products --------------------------------------------------------------------------------------


def matmul(a: T, b: T) -> T:
    """A matrix product, by numpy's rules."""
    return ops.matmul(a, b)


def gemm(a: T, b: T, c: T | None, alpha: float, beta: float, transposed: tuple[int, int]) -> T:
    """``alpha * a @ b + beta * c``, with the operands transposed where ``transposed`` says so."""
    left, right = (
        apply("transpose", x) if is_transposed else x for x, is_transposed in zip((a, b), transposed, strict=True)
    )
    product = ops.matmul(left, right)
    product = product if alpha == 1 else product * alpha
    return product if c is None or beta == 0 else product + (c if beta == 1 else c * beta)


# ---- windows ---------------------------------------------------------------------------------------


def window(x: T, kernel: Sequence[int], attrs: Attrs) -> tuple[tuple[int, ...], tuple[int, ...], Pads]:
    """Strides, dilations and pads of a sliding window over the spatial axes of ``x``."""
    rank = x.ndim - 2
    if len(kernel) != rank or rank < 1:
        raise ModelError(f"a kernel of {len(kernel)} axes for {x.type}; needs x[N,C,...] with as many spatial axes")
    strides, dilations = (tuple(attrs.get(key) or (1,) * rank) for key in ("strides", "dilations"))
    pads = tuple(attrs.get("pads") or (0,) * 2 * rank)
    mode = attrs.get("auto_pad", "NOTSET")
    if any(len(part) != rank for part in (strides, dilations)) or len(pads) != 2 * rank:
        raise ModelError(f"strides {strides}, dilations {dilations}, pads {pads} for {rank} spatial axes")
    if min((*strides, *dilations)) < 1 or min(kernel) < 1:
        raise ModelError(f"kernel {tuple(kernel)}, strides {strides} and dilations {dilations} must be at least 1")
    if mode in ("NOTSET", ""):
        return strides, dilations, tuple(zip(pads[:rank], pads[rank:], strict=True))
    if mode == "VALID":
        return strides, dilations, ((0, 0),) * rank
    totals = [
        max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return strides, dilations, tuple(zip(*((small, large) if mode == "SAME_UPPER" else (large, small)), strict=True))


def pad_images(x: T, pads: Pads, value: float = 0.0) -> T:
    """The images with borders of one value."""
    return x if not any(map(any, pads)) else apply("pad", x, widths=((0, 0), (0, 0), *pads), value=value)


def convolve(x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: KnownValue = None, **attrs: Any) -> T:
    """A convolution over one, two or three axes."""
    strides, dilations, pads = window(x, w.shape[2:], attrs)
    if len(strides) == 3:
        out = ops.conv3d(pad_images(x, pads), w, None, strides, "valid", 0, dilations, group)
    else:
        images, weights = (apply("expand_dims", t, axis=2) if len(strides) == 1 else t for t in (x, w))
        full = (((0, 0),) * (2 - len(pads))) + tuple(pads)
        out = apply("conv2d", images, weights, stride=(1, *strides)[-2:], dilation=(1, *dilations)[-2:], padding=full,
                    group=group)  # fmt: skip
        out = apply("squeeze", out, axis=2) if len(strides) == 1 else out
    return out if bias is None else out + apply("reshape", bias, shape=(-1, *(1,) * len(strides)))


def conv_transpose(
    x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: object = None,
    output_padding: KnownValue = None, output_shape: KnownValue = None, **attrs: Any,
) -> T:  # fmt: skip
    """A transposed convolution over one, two or three axes: the gradient of a convolution for its input."""
    rank, kernel = x.ndim - 2, w.shape[2:]
    strides, dilations, pads = window(x, kernel, attrs | {"auto_pad": "NOTSET"})
    extra = tuple(output_padding or (0,) * rank)
    whole = tuple(
        s * (n - 1) + (k - 1) * d + 1 + e
        for n, k, s, d, e in zip(x.shape[2:], kernel, strides, dilations, extra, strict=True)
    )
    mode = attrs.get("auto_pad", "NOTSET")
    if output_shape is not None or mode.startswith("SAME"):
        sizes = output_shape or [n * s for n, s in zip(x.shape[2:], strides, strict=True)]
        totals = [max(a - b, 0) for a, b in zip(whole, sizes[-rank:], strict=True)]
        whole = tuple(map(max, whole, sizes[-rank:]))
        pairs = [(total // 2, total - total // 2) for total in totals]
        pads = tuple(pair if mode == "SAME_UPPER" else pair[::-1] for pair in pairs)
    out = _scatter_windows(x, w, group, strides, dilations, whole)
    out = out[(slice(None), slice(None), *(slice(a, n - b) for n, (a, b) in zip(whole, pads, strict=True)))]
    return out if bias is None else out + apply("reshape", bias, shape=(-1, *(1,) * rank))


def _scatter_windows(x: T, w: T, group: int, strides: KnownValue, dilations: KnownValue, whole: tuple[int, ...]) -> T:
    """The transposed convolution without pads; over three axes, the sum over the kernel's depth."""
    channels, rank = w.shape[1] * group, len(strides)
    if rank == 3:
        slabs = [_scatter_slab(x, w[:, :, k], group, strides, dilations, (k, *whole)) for k in range(w.shape[2])]
        return ops.addn(slabs) if len(slabs) > 1 else slabs[0]
    images, weights = (apply("expand_dims", t, axis=2) if rank == 1 else t for t in (x, w))
    attrs = {"stride": (1, *strides)[-2:], "dilation": (1, *dilations)[-2:], "padding": 0, "group": group}
    out = apply("conv2d_input_grad", images, weights, shape=(x.shape[0], channels, *(1, *whole)[-2:]), **attrs)
    return apply("squeeze", out, axis=2) if rank == 1 else out


def _scatter_slab(x: T, w: T, group: int, strides: KnownValue, dilations: KnownValue, sizes: tuple[int, ...]) -> T:
    """The part of one slice of the kernel: a transposed convolution of every slab, at its depth in the result."""
    k, depth, *plane = sizes
    n, c, slabs = x.shape[:3]
    images = apply("reshape", apply("transpose", x, axes=(0, 2, 1, 3, 4)), shape=(n * slabs, c, *x.shape[3:]))
    flat = _scatter_windows(images, w, group, strides[1:], dilations[1:], tuple(plane))
    out = apply("transpose", apply("reshape", flat, shape=(n, slabs, *flat.shape[1:])), axes=(0, 2, 1, 3, 4))
    spread = apply("expand_dims", out, axis=3)
    spread = apply("pad", spread, widths=(*((0, 0),) * 3, (0, strides[0] - 1), (0, 0), (0, 0)), value=0.0)
    spread = apply("reshape", spread, shape=(*out.shape[:2], slabs * strides[0], *plane))
    begin, count = k * dilations[0], (slabs - 1) * strides[0] + 1
    widths = ((0, 0), (0, 0), (begin, depth - begin - count), (0, 0), (0, 0))
    return apply("pad", spread[:, :, :count], widths=widths, value=0.0)


ROWS: Rows = {
    "MatMul": matmul,
    "Gemm": lambda a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0: gemm(
        a, b, c, alpha, beta, (transA, transB)),
    "Conv": convolve, "ConvTranspose": conv_transpose,
}  # fmt: skip
