"""Passes beside the default pipeline, each a file that says what it does and whether every bit stays."""

from passes.library import (
    algebra,
    algebra_near,
    dead_stores,
    fuse_attention,
    fuse_epilogue,
    fuse_reduction,
    fuse_rms_norm,
    hoist_invariants,
    inline_bodies,
    nz_layouts,
    plan_memory,
    recognize,
    recognize_near,
    recompute,
    sink_slices,
    sink_transposes,
)

__all__ = [
    "algebra",
    "algebra_near",
    "dead_stores",
    "fuse_attention",
    "fuse_epilogue",
    "fuse_reduction",
    "fuse_rms_norm",
    "hoist_invariants",
    "inline_bodies",
    "nz_layouts",
    "plan_memory",
    "recognize",
    "recognize_near",
    "recompute",
    "sink_slices",
    "sink_transposes",
]
