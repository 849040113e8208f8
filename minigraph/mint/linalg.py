"""``mindspore.mint.linalg``: inverses, norms and factors of matrices."""

from minigraph import ops
from minigraph.ops import norm as norm
from minigraph.ops.renaming import renamed

inv = renamed(ops.inverse, "input")
matrix_norm = renamed(ops.matrix_norm, "A ord dim keepdim")
qr = renamed(ops.qr, "A mode")
vector_norm = renamed(ops.vector_norm, "x ord dim keepdim")

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
