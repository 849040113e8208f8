"""``@jit``: one capture per combination of types, kept in memory and, if wanted, on disk."""

from minigraph.compilation.cache_entry import RunsOpByOp
from minigraph.compilation.jit import Jitted, jit

__all__ = ["Jitted", "RunsOpByOp", "jit"]
