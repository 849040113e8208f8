"""``@jit``: one capture per combination of types, kept in memory and, if wanted, on disk."""

from minigraph.jit.compiled import RunsOpByOp
from minigraph.jit.jit import Jitted, jit

__all__ = ["Jitted", "RunsOpByOp", "jit"]
