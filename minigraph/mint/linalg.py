"""``mindspore.mint.linalg``: inverses, norms and factors of matrices."""

from minigraph import ops
from minigraph.ops import norm as norm
from minigraph.ops.renaming import rename_parameters

inv = rename_parameters(ops.inverse, "input")
matrix_norm = rename_parameters(ops.matrix_norm, "A ord dim keepdim")
qr = rename_parameters(ops.qr, "A mode")
vector_norm = rename_parameters(ops.vector_norm, "x ord dim keepdim")

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
