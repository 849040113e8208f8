"""``@jit``: functions are traced and compiled once per combination of types, and cached in memory and on disk."""

from minigraph.compilation.jit import Jitted, jit
from minigraph.compilation.op_by_op import RunsOpByOp

__all__ = ["Jitted", "RunsOpByOp", "jit"]
