"""Passes beside the default pipeline, each a file that says what it does and whether every bit stays."""

from passes.library import fuse_attention, fuse_epilogue, fuse_reduction, recognize, recognize_near

__all__ = ["fuse_attention", "fuse_epilogue", "fuse_reduction", "recognize", "recognize_near"]
