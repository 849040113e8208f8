"""``@jit``: functions are traced and compiled once per combination of types, and cached in memory and on disk."""

from minigraph.compilation.jit import Jitted, jit
from minigraph.compilation.op_by_op import RunsOpByOp
from minigraph.compilation.recompile_reasons import RecompileWarning

__all__ = ["Jitted", "RecompileWarning", "RunsOpByOp", "jit"]
