"""The named pipelines; ``DEFAULT`` is the one that ``@jit`` runs by default.

``set_context(enable_graph_kernel=True)`` selects ``graph_kernel``: it simplifies to a fixed point and then fuses into
the largest kernels: attention, products with their epilogues, reductions with their producers. It keeps every bit, too.
``cann`` fuses what the kernel library of the Ascend vendor has kernels for; ``simulate`` uses it, without the passes
whose kernels a chip's library lacks. ``fast`` is the default pipeline with passes that change rounding. The accelerator
lowers a copy of the graph by ``numpy``, or, if numba is installed and compiles the loops, by ``numba``; by
``numba_fast`` if the user selects numba by name, which allows its rounding.
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.core.machine import MIN_BATCHED_SUM_TERMS
from minigraph.operators.chwn import CHWN_KERNELS
from passes.core.pipeline import FixedPoint
from passes.core.registry import Pass
from passes.numpy.batch_sums import batch_sums
from passes.numpy.chwn import chwn
from passes.numpy.expand_composites import expand_composites
from passes.numpy.fuse_loops import fuse_loops
from passes.numpy.scatter_sums import scatter_sums
from passes.numpy.unfuse import unfuse
from passes.optimize.canonicalize import canonicalize
from passes.optimize.constant_fold import constant_fold
from passes.optimize.cse import cse
from passes.optimize.dce import dce
from passes.optimize.fuse_attention import fuse_attention
from passes.optimize.fuse_conv_bn_relu import fuse_conv_bn_relu
from passes.optimize.fuse_elementwise import fuse_elementwise
from passes.optimize.fuse_epilogue import fuse_epilogue
from passes.optimize.fuse_matmul_bias import fuse_matmul_bias
from passes.optimize.fuse_reduction import fuse_reduction
from passes.optimize.fuse_rms_norm import fuse_rms_norm
from passes.optimize.hoist_pools import hoist_pools
from passes.optimize.lower_depend import lower_depend
from passes.optimize.merge_products import merge_products
from passes.optimize.recognize import recognize
from passes.optimize.transpose_products import transpose_products

# Every pass here is bit-exact: the optimised graph computes the bits of the captured graph.
DEFAULT: tuple[Pass, ...] = (
    lower_depend,  # depends become order edges first, so that later patterns match through them
    canonicalize,
    constant_fold,
    cse,
    dce,
    fuse_conv_bn_relu,  # patterns before elementwise groups, which would take their bias and activation
    fuse_matmul_bias,
    fuse_elementwise,
    dce,  # one-element constants are in the fused bodies now
)

GRAPH_KERNEL: tuple[Pass | FixedPoint, ...] = (
    lower_depend,
    FixedPoint((canonicalize, constant_fold, cse, recognize, dce)),
    fuse_attention,
    fuse_rms_norm.with_options(layer_norms=False),  # no library kernel: reductions are fused with what they reduce
    fuse_conv_bn_relu,
    fuse_epilogue,
    fuse_matmul_bias,
    fuse_reduction.with_options(max_nodes=1024),
    fuse_elementwise.with_options(max_nodes=1024),
    dce,
)

# The vendor's library has kernels for attention, norms, and products and convolutions with their epilogues. All other
# operators are launched one by one, as in eager mode.
CANN: tuple[Pass | FixedPoint, ...] = (
    lower_depend,
    FixedPoint((canonicalize, constant_fold, cse, recognize, dce)),
    fuse_attention,
    fuse_rms_norm,
    fuse_epilogue,  # first: it takes residuals, too
    fuse_conv_bn_relu,
    fuse_matmul_bias,
    dce,
)

FAST: tuple[Pass, ...] = (
    *DEFAULT[: DEFAULT.index(dce) + 1],
    transpose_products,
    merge_products,
    hoist_pools,
    dce,
    *DEFAULT[DEFAULT.index(dce) + 1 :],
)

# The pipeline ``numpy`` rewrites these operators and long sums; ``unfuse`` makes them visible, since fused nodes hide
# their operators from later passes. In a sum of n terms, n - 2 additions have another addition as an operand.
REWRITTEN_OPERATORS = ("index_add", *map(str, CHWN_KERNELS))
MIN_NESTED_ADDITIONS = MIN_BATCHED_SUM_TERMS - 2
NUMPY: tuple[Pass, ...] = (
    transpose_products.with_options(exact=True),
    dce,
    unfuse.with_options(around=REWRITTEN_OPERATORS, min_sums=MIN_NESTED_ADDITIONS),
    scatter_sums,
    batch_sums,
    chwn,
)

NUMBA: tuple[Pass, ...] = (*NUMPY[:2], unfuse, *NUMPY[3:], fuse_loops)

NUMBA_FAST: tuple[Pass, ...] = (
    *NUMPY[:2],
    unfuse,
    expand_composites,
    *NUMPY[3:],
    fuse_loops.with_options(inexact=True),
)

PIPELINES: Mapping[str, tuple[Pass | FixedPoint, ...]] = {
    "default": DEFAULT,
    "graph_kernel": GRAPH_KERNEL,
    "cann": CANN,
    "fast": FAST,
    "numpy": NUMPY,
    "numba": NUMBA,
    "numba_fast": NUMBA_FAST,
    "none": (),
}
