"""The pipelines that have a name; ``DEFAULT`` is what ``@jit`` runs when nobody chooses.

``graph_kernel`` is what ``set_context(enable_graph_kernel=True)`` chooses: simplified until nothing changes,
then fused into kernels as large as they get: attention, products with all that follows, reductions with all that
goes before. It keeps every bit, too. ``fast`` is the default pipeline with what makes programs faster and rounds
otherwise. ``numpy`` is what the accelerator makes programs from, on a copy of the graph; ``numba`` the same where numba
is installed and computes what loops can, and ``numba_fast`` where it is asked for by name and may round otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.core.machine import MIN_STACKED_TERMS
from minigraph.operators.chwn import IN_CHWN
from passes.core.pipeline import Fix
from passes.core.registry import Pass
from passes.numpy.chwn import chwn
from passes.numpy.drop_broadcasts import drop_broadcasts
from passes.numpy.fuse_loops import fuse_loops
from passes.numpy.neutral import neutral
from passes.numpy.open_composites import open_composites
from passes.numpy.scatter_sums import scatter_sums
from passes.numpy.sum_many import sum_many
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
from passes.optimize.join_products import join_products
from passes.optimize.lower_depend import lower_depend
from passes.optimize.pool_first import pool_first
from passes.optimize.recognize import recognize
from passes.optimize.turn_products import turn_products

# Every pass here is bit-honest: the optimised graph computes exactly what the captured one would.
DEFAULT: tuple[Pass, ...] = (
    lower_depend,  # order becomes edges first, so that every later pass sees straight through it
    canonicalize,
    constant_fold,
    cse,
    dce,
    fuse_conv_bn_relu,  # patterns before regions: the region would swallow their bias and activation
    fuse_matmul_bias,
    fuse_elementwise,
    dce,  # one-element constants now live in the bodies
)

GRAPH_KERNEL: tuple[Pass | Fix, ...] = (
    lower_depend,
    Fix((canonicalize, constant_fold, cse, recognize, dce)),
    fuse_attention,
    fuse_rms_norm,
    fuse_conv_bn_relu,
    fuse_epilogue,
    fuse_matmul_bias,
    fuse_reduction.having(max_nodes=1024),
    fuse_elementwise.having(max_nodes=1024),
    dce,
)

FAST: tuple[Pass, ...] = (
    *DEFAULT[: DEFAULT.index(dce) + 1],
    turn_products,
    join_products,
    pool_first,
    dce,
    *DEFAULT[DEFAULT.index(dce) + 1 :],
)

UNFUSED_AROUND = ("broadcast_to", "index_add", *map(str, IN_CHWN))
NUMPY: tuple[Pass, ...] = (
    turn_products.having(exact=True),
    dce,
    unfuse.having(around=UNFUSED_AROUND, sums=MIN_STACKED_TERMS - 2),  # fusions hide what the others look for
    neutral,
    drop_broadcasts,
    scatter_sums,
    sum_many,
    chwn,
)

NUMBA: tuple[Pass, ...] = (*NUMPY[:2], unfuse, *NUMPY[3:], fuse_loops)

NUMBA_FAST: tuple[Pass, ...] = (*NUMPY[:2], unfuse, open_composites, *NUMPY[3:], fuse_loops.having(inexact=True))

PIPELINES: Mapping[str, tuple[Pass | Fix, ...]] = {
    "default": DEFAULT,
    "graph_kernel": GRAPH_KERNEL,
    "fast": FAST,
    "numpy": NUMPY,
    "numba": NUMBA,
    "numba_fast": NUMBA_FAST,
    "none": (),
}
