"""Hoists max-pools above bias and ReLU, which then work on fewer elements.

::

    %2 = add(%0, %1)  (%1 a scalar per channel)      %5 = max_pool2d(%0)
    %3 = relu(%2)                              ->    %6 = add(%5, %1)
    %4 = max_pool2d(%3)                              %7 = relu(%6)

Bias and ReLU are monotonic, so the maximum of a window stays the same, except for the sign of zero: the maximum of -0
and +0 is either. A pool is not moved if the gradient uses its operand. The gradient of the bias becomes a sum over the
pool's own cotangent, in another order. So the pass is not part of a default pipeline; ``fast`` has it.
"""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import rule
from passes.rewrite.tracing import S

RELATIVE_TOLERANCE = 1e-5  # in float32

IMAGE_SHAPES = ((2, 1, 4, 4),), ((1, 2, 5, 4),), ((3, 2, 2, 2),)


def _is_unpadded_float_pool(match: Match) -> bool:
    """Whether the pool has no padding, to which bias and ReLU would not apply."""
    return match.x.dtype.kind == "f" and match.attrs["padding"] == ((0, 0), (0, 0))


def _is_per_channel(match: Match) -> bool:
    """Whether the bias is constant over each channel and does not broadcast the images."""
    keeps_channels = len(match.x.shape) == 4 and match.x.shape[:2] == match.out.shape[:2]
    return _is_unpadded_float_pool(match) and keeps_channels and all(size == 1 for size in match.b.shape[-2:])


def _max_pool(x: Tensor) -> Tensor:
    return apply("max_pool2d", x, kernel=S.kernel, stride=S.stride, padding=S.padding)


@rule(where=_is_unpadded_float_pool, exact=False, tol=RELATIVE_TOLERANCE,
      examples=examples(lambda x: apply("max_pool2d", apply("relu", x), kernel=2), *IMAGE_SHAPES))  # fmt: skip
def pool_before_relu(x: Tensor) -> tuple[Tensor, Tensor]:
    """ReLU is monotonic, so it commutes with the maximum."""
    return _max_pool(apply("relu", x)), apply("relu", _max_pool(x))


def _pool_of_sum(x: Tensor, b: Tensor) -> Tensor:
    return apply("max_pool2d", x + b, kernel=2, stride=1)


BIAS_SHAPES = ((2, 3, 4, 4), (1, 3, 1, 1)), ((1, 2, 5, 4), (2, 1, 1)), ((1, 2, 5, 4), ())


@rule(where=_is_per_channel, exact=False, tol=RELATIVE_TOLERANCE, examples=examples(_pool_of_sum, *BIAS_SHAPES))
def pool_before_bias(x: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Rounded addition of one scalar is monotonic, so it commutes with the maximum."""
    return _max_pool(x + b), _max_pool(x) + b


def _is_sum_over_pixels(match: Match) -> bool:
    """Whether the sum is over all pixels of a pool's gradient, and the pool has no padding."""
    padding, shape = match.attrs["padding"], match.attrs["shape"]
    return padding == ((0, 0), (0, 0)) and all(size == 1 for size in shape[-2:])


def _sum_of_gradient(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    return apply("sum_to", apply("max_pool2d_grad", g, x, out, kernel=2), shape=(1, g.shape[1], 1, 1))


GRADIENT_SHAPES = tuple((small, large, small) for small, large in (
    ((2, 1, 2, 2), (2, 1, 4, 4)), ((1, 2, 2, 2), (1, 2, 5, 4)), ((3, 2, 1, 1), (3, 2, 2, 2)),
))  # fmt: skip


@rule(
    where=_is_sum_over_pixels,
    exact=False,
    tol=RELATIVE_TOLERANCE,
    recompute=True,
    examples=examples(_sum_of_gradient, *GRADIENT_SHAPES),
)
def sum_before_pool(g: Tensor, x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
    """A pool's gradient moves each element to one pixel; the sum is the same, in another order."""
    scattered = apply("max_pool2d_grad", g, x, out, kernel=S.kernel, stride=S.stride, padding=S.padding)
    return apply("sum_to", scattered, shape=S.shape), apply("sum_to", g, shape=S.shape)


RULES = (pool_before_relu, pool_before_bias, sum_before_pool)


@graph_pass(tol=RELATIVE_TOLERANCE)
def hoist_pools(graph: Graph, *, options: Options) -> None:
    """max_pool2d(relu(x + b)) -> relu(max_pool2d(x) + b), also in gradients: fewer elements; within 1e-5."""
    apply_rules(graph, RULES, options.statistics)
