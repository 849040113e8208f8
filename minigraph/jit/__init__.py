"""``@jit``: one capture per combination of types, kept in memory and, if wanted, on disk."""

from minigraph.jit.jit import Jitted, RunsOpByOp, jit

__all__ = ["Jitted", "RunsOpByOp", "jit"]
