"""``@jit``: functions are traced and compiled once per combination of types, and cached in memory and on disk."""

from minigraph.compilation.jit import Jitted, jit
from minigraph.compilation.jit_config import JitConfig
from minigraph.compilation.op_by_op import OpByOpWarning
from minigraph.compilation.recompile_reasons import RecompileWarning

__all__ = ["JitConfig", "Jitted", "OpByOpWarning", "RecompileWarning", "jit"]
