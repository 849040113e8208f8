"""Sliding windows over images, and pooling as a reduction over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.errors import ShapeError
from minigraph.ground.beside import MANY, Beside
from minigraph.ground.common import Common
from minigraph.op import Op, Sample, apply, define
from minigraph.ops.families import check_operand
from minigraph.ops.pricing import gather_work, no_work
from minigraph.ops.records.compare import WORDS
from minigraph.ops.records.conv import padding_of, pair_of
from minigraph.ops.records.derived import composite
from minigraph.ops.records.img2col import NO_PADDING, Padding, Pair, Window, bordered, inside
from minigraph.types import BY_NUMPY, DType, Shape, TensorType, bool_, type_of

# ---- windows ---------------------------------------------------------------------------------------


def _window(stride: Pair) -> Window:
    return Window(stride, NO_PADDING, (1, 1), 1)


def _windows(x: np.ndarray, *, kernel: Pair, stride: Pair) -> np.ndarray:
    every = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))
    return every[:, :, :: stride[0], :: stride[1]]


def _windows_types(x: TensorType, *, kernel: Pair, stride: Pair) -> TensorType:
    if len(x.shape) != 4 or any(n < k for n, k in zip(x.shape[2:], kernel, strict=True)):
        raise ShapeError(f"windows: {kernel} windows over {x}; needs x[N,C,H,W] with at least one window")
    return TensorType((*x.shape[:2], *_window(stride).sizes(x.shape[2:], kernel), *kernel), x.dtype)


def _windows_attrs(*operands: Any, kernel: Any, stride: Any = 1, **rest: Any) -> dict[str, Any]:
    return {"kernel": pair_of("windows", "kernel", kernel), "stride": pair_of("windows", "stride", stride), **rest}


WINDOWS = define(Op(
    "windows", _windows, _windows_types, work=no_work, unit="none", family="view", view=True,
    vjp=(lambda g, out, x, kernel, stride: apply("windows_add", g, kernel=kernel, stride=stride, shape=x.shape),),
    canonical=_windows_attrs, label=lambda attrs: "windows {}x{}".format(*attrs["kernel"]),
    doc="Every place of a kernel over images [N,C,H,W], as two more axes: [N,C,oh,ow,kh,kw].",
    samples=lambda rng: [Sample((rng.normal(size=(1, 2, 4, 5)),), {"kernel": (2, 3), "stride": (2, 1)})],
))  # fmt: skip


def _windows_add(g: np.ndarray, *, kernel: Pair, stride: Pair, shape: Shape) -> np.ndarray:
    total = np.zeros(shape, g.dtype)
    for i, j, pixels in _window(stride).taps(kernel, (g.shape[2], g.shape[3])):
        total[:, :, *pixels] += g[..., i, j]
    return total


WINDOWS_ADD = define(Op(
    "windows_add", _windows_add, lambda g, *, kernel, stride, shape: TensorType(shape, g.dtype), work=gather_work,
    vjp=(lambda g, out, windows, kernel, stride, shape: apply("windows", g, kernel=kernel, stride=stride),),
    unit="move", canonical=_windows_attrs, label=lambda attrs: "windows_add {}x{}".format(*attrs["kernel"]),
    doc="The sum of windows at their places in images of `shape`: the gradient of `windows`.",
    samples=lambda rng: [
        Sample((rng.normal(size=(1, 2, 2, 3, 2, 3)),), {"kernel": (2, 3), "stride": (2, 1), "shape": (1, 2, 4, 5)})
    ],
))  # fmt: skip


# ---- pooling ---------------------------------------------------------------------------------------


def _pool_attrs(name: str, kinds: str) -> Any:
    def canonical(x: Any, *, kernel: Any, stride: Any = None, padding: Any = 0) -> dict[str, Any]:
        check_operand(name, kinds, x)
        size = pair_of(name, "kernel", kernel)
        return {
            "kernel": size,
            "stride": size if stride is None else pair_of(name, "stride", stride),
            "padding": padding_of(name, padding),
        }

    return canonical


def _pooled(reduce: str, border: Callable[[DType], float]) -> Any:
    def pool(x: Any, *, kernel: Pair, stride: Pair, padding: Any) -> Any:
        if padding != ((0, 0), (0, 0)):
            x = apply("pad", x, widths=((0, 0), (0, 0), *padding), value=border(x.dtype))
        return apply(reduce, apply("windows", x, kernel=kernel, stride=stride), axis=(-2, -1))

    return pool


PART = 1 << 19  # bytes of images, half of a usual second-level cache
_ATTRS = ("kernel", "stride", "padding")


def _max_pool(x: np.ndarray, **attrs: Any) -> np.ndarray:
    return _pooled_as_it_lies(np.ascontiguousarray(x), **attrs)


def _pooled_as_it_lies(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding) -> np.ndarray:
    """A maximum of whole images for each row of the kernel, then for each column of it: windows are too short."""
    edged = bordered(x, padding, _lowest(BY_NUMPY[x.dtype]))
    height, width = _window(stride).sizes(edged.shape[2:], kernel)
    if min(height, width) < 1:
        _windows_types(type_of(edged), kernel=kernel, stride=stride)  # which says what is wrong
    rows = [edged[:, :, i : i + (height - 1) * stride[0] + 1 : stride[0]] for i in range(kernel[0])]
    tall = _largest(rows)
    return _largest([tall[..., j : j + (width - 1) * stride[1] + 1 : stride[1]] for j in range(kernel[1])])


def _largest(views: Sequence[np.ndarray]) -> np.ndarray:
    """The element by element largest of arrays, in memory of its own, lying as they do."""
    found = np.maximum(*views[:2]) if len(views) > 1 else views[0].copy(order="K")
    for view in views[2:]:
        np.maximum(found, view, out=found)
    return found


def _max_pool_grad(g: np.ndarray, x: np.ndarray, **attrs: Any) -> np.ndarray:
    return _to_first(_max_pool(x, **attrs), g, x, **attrs)


def _to_first(out: np.ndarray, g: np.ndarray, x: np.ndarray, **attrs: Any) -> np.ndarray:
    return np.ascontiguousarray(_to_first_as_it_lies(out, g, np.ascontiguousarray(x), **attrs))


def _to_first_as_it_lies(
    out: np.ndarray, g: np.ndarray, x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding
) -> np.ndarray:
    """Each window's gradient at the first place that holds its largest element, again a whole image at a time."""
    edged = bordered(x, padding, _lowest(BY_NUMPY[x.dtype]))
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    covered = not overlap and out.size * kernel[0] * kernel[1] == edged.size
    total: np.ndarray = (np.empty_like if covered else np.zeros_like)(edged, g.dtype)
    for part in _parts(edged):
        _add_to_first(total[part], g[part], edged[part], out[part], kernel, stride)
    return inside(total, padding)


def _parts(images: np.ndarray) -> Iterator[tuple[slice, ...]]:
    """Images, or channels where images lie beside each other, of many so many at a time that they stay in the cache."""
    axis = int(np.argmax(images.strides[:2]))
    count = images.shape[axis]
    step = max(1, PART * count // images.nbytes if images.nbytes > 4 * PART else count)
    for first in range(0, count, step):
        yield (slice(None),) * axis + (slice(first, first + step),)


def _add_to_first(
    total: np.ndarray, g: np.ndarray, edged: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> None:
    left = g + g.dtype.type(0)  # of -0 made 0, as adding would have
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    for pixels, part in _shares(left, edged, out, kernel, stride):
        if overlap:
            total[:, :, *pixels] += part
        else:
            total[:, :, *pixels] = part


def _shares(
    left: np.ndarray, edged: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> Iterator[tuple[Any, np.ndarray]]:
    """For each place of the kernel the pixels it meets, and what these get: what is left where they are the largest."""
    nan = bool(np.isnan(out).any())
    *places, last = [pixels for _, _, pixels in _window(stride).taps(kernel, out.shape[2:4])]
    for pixels in places:
        tap = edged[:, :, *pixels]
        yield pixels, _taken(left, (tap == out) | (tap != tap) if nan else tap == out)
    yield last, left


def _taken(left: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """Take from what is left where something holds, else 0, without asking each: their bits times 0 or 1."""
    word = WORDS.get(left.dtype)
    if word is None:
        part = np.where(hit, left, left.dtype.type(0))
        np.copyto(left, 0, where=hit)
        return part
    bits = left.view(word)
    taken = bits * hit.view(np.int8).astype(word)
    np.subtract(bits, taken, out=bits)
    return taken.view(left.dtype)


def _made(made: np.ndarray, *operands: np.ndarray, **attrs: Any) -> np.ndarray:
    return made


def _to_first_beside(g: np.ndarray, x: np.ndarray, **attrs: Any) -> np.ndarray:
    return _to_first_as_it_lies(_pooled_as_it_lies(x, **attrs), g, x, **attrs)


def _likes(out: TensorType, *ins: TensorType, **attrs: Any) -> bool:
    """Windows are short, but not across many images."""
    return out.shape[0] >= MANY


def _max_pool_grad_of_parts(g: Any, x: Any, *, kernel: Pair, stride: Pair, padding: Any) -> Any:
    """The same by operators: where the gradient goes is a matter of x, so that it is linear in g."""
    sizes, count = g.shape, kernel[0] * kernel[1]
    if padding != ((0, 0), (0, 0)):
        x = apply("pad", x, widths=((0, 0), (0, 0), *padding), value=_lowest(x.dtype))
    windows = apply("reshape", apply("windows", x, kernel=kernel, stride=stride), shape=(*sizes, count))
    first = apply("one_hot", apply("argmax", windows, axis=-1), depth=count, axis=-1, dtype=bool_)
    parts = apply("where", first, apply("expand_dims", g, axis=-1), 0)
    parts = apply("reshape", parts, shape=(*sizes, *kernel))
    total = apply("windows_add", parts, kernel=kernel, stride=stride, shape=x.shape)
    if padding == ((0, 0), (0, 0)):
        return total
    (top, bottom), (left, right) = padding
    return total[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]


def _max_pool_grad_attrs(g: Any, x: Any, *, kernel: Any, stride: Any = None, padding: Any = 0) -> dict[str, Any]:
    found: dict[str, Any] = _pool_attrs("max_pool2d_grad", "if")(x, kernel=kernel, stride=stride, padding=padding)
    return found


MAX_POOL2D_GRAD = composite(
    "max_pool2d_grad", _max_pool_grad_of_parts, forward=_max_pool_grad,
    common=Common(_max_pool, (1,), _ATTRS, _to_first),
    beside=Beside(
        _to_first_beside, (0, 1), True, _likes, make=_pooled_as_it_lies, rest=_to_first_as_it_lies
    ),
    canonical=_max_pool_grad_attrs,
    label=lambda attrs: "max_pool2d_grad {}x{}".format(*attrs["kernel"]),
    doc="What each element of x[N,C,H,W] contributed to max_pool2d: g where it was the first largest of a window.",
    samples=lambda rng: [
        Sample((rng.normal(size=(1, 2, 2, 2)), rng.normal(size=(1, 2, 4, 4))), {"kernel": 2}),
        Sample(
            (rng.normal(size=(1, 2, 3, 2)), rng.normal(size=(1, 2, 5, 4))),
            {"kernel": (3, 2), "stride": 2, "padding": (1, 1, 0, 0)},
        ),
    ],
)  # fmt: skip


def _lowest(dtype: DType) -> float:
    """What no element is below."""
    return -np.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)


def _pool(name: str, kinds: str, reduce: str, border: Callable[[DType], float], doc: str, **fields: Any) -> Op:
    return composite(
        name, _pooled(reduce, border), canonical=_pool_attrs(name, kinds), doc=doc,
        label=lambda attrs: "{} {}x{}".format(name, *attrs["kernel"]),
        samples=lambda rng: [
            Sample((rng.normal(size=(2, 1, 4, 4)),), {"kernel": 2}),
            Sample((rng.normal(size=(1, 2, 5, 4)),), {"kernel": (3, 2), "stride": 2, "padding": 1}),
        ],
        **fields,
    )  # fmt: skip


MAX_POOL2D = _pool(
    "max_pool2d", "if", "first_max", _lowest,
    "The largest element of each window, of equal ones the first; the border never wins.",
    forward=_max_pool, vjp=(lambda g, out, x, **attrs: apply("max_pool2d_grad", g, x, **attrs),),
    beside=Beside(_pooled_as_it_lies, (0,), True, _likes, make=_pooled_as_it_lies, rest=_made),
    common=Common(_max_pool, (0,), _ATTRS, _made),
)  # fmt: skip
AVG_POOL2D = _pool("avg_pool2d", "f", "mean", lambda dtype: 0.0, "The mean of each window, a border of zeros included.")
