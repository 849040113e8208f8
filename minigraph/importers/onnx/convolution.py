"""ONNX's matrix products and convolutions, with our operators."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import Attrs, AttrValue
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.importers.convolutions import convolve, convolve_transposed
from minigraph.importers.operator_table import Converters, KnownValue

T = Tensor
Pads = tuple[tuple[int, int], ...]

# ---- products --------------------------------------------------------------------------------------


def gemm(
    a: T, b: T, c: T | None = None, *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0
) -> T:
    """``alpha * a @ b + beta * c``, with operands transposed."""
    product = ops.matmul(apply("transpose", a) if transA else a, apply("transpose", b) if transB else b)
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


def with_bias(x: T, bias: T | None) -> T:
    """A number added to each channel."""
    return x if bias is None else x + apply("reshape", bias, shape=(-1, *(1,) * (x.ndim - 2)))


def conv(x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: object = None, **attrs: AttrValue) -> T:
    """A convolution over one, two or three axes."""
    strides, dilations, pads = window(x, w.shape[2:], attrs)
    return with_bias(convolve(x, w, strides, pads, dilations, group), bias)


def conv_transpose(
    x: T, w: T, bias: T | None = None, *, group: int = 1, kernel_shape: object = None,
    output_padding: KnownValue = None, output_shape: KnownValue = None, **attrs: AttrValue,
) -> T:  # fmt: skip
    """A transposed convolution over one, two or three axes."""
    rank, mode = x.ndim - 2, attrs.get("auto_pad", "NOTSET")
    strides, dilations, pads = window(x, w.shape[2:], attrs | {"auto_pad": "NOTSET"})
    extra = output_padding or (0,) * rank
    if output_shape is not None or mode.startswith("SAME"):
        axes = zip(x.shape[2:], w.shape[2:], strides, dilations, extra, strict=True)
        whole = [s * (n - 1) + (k - 1) * d + 1 + e for n, k, s, d, e in axes]
        sizes = output_shape or [n * s for n, s in zip(x.shape[2:], strides, strict=True)]
        totals = [max(a - b, 0) for a, b in zip(whole, sizes[-rank:], strict=True)]
        extra = [e + max(b - a, 0) for e, a, b in zip(extra, whole, sizes[-rank:], strict=True)]
        pairs = [(total // 2, total - total // 2) for total in totals]
        pads = tuple(pair if mode == "SAME_UPPER" else pair[::-1] for pair in pairs)
    return with_bias(convolve_transposed(x, w, strides, pads, dilations, group, extra), bias)


CONVERTERS: Converters = {
    "MatMul": lambda a, b: ops.matmul(a, b),
    "Gemm": gemm,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
}
