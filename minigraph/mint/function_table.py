"""The functions of ``mint`` as rows of tables."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.missing_names import missing_name_getattr
from minigraph.core.tensor import Tensor
from minigraph.mint import functions as own_functions
from minigraph.ops.functional.forms import functions_with
from minigraph.ops.renaming import functions

# functions of ops whose leading parameters have other names here; for the others see ``FORMS`` of their chapters
OPS = """
arcsin: x
all any: input dim keepdim
amax amin argmin: input dim keepdim
argmax cumprod trace: input
bmm: input mat2
cat concat stack: tensors dim
cdist: x1 x2 p
chunk: input chunks dim
count_nonzero: input dim
cummax cummin: input dim
cumsum: input dim
diff: input n dim
frac: input
index_select: input dim index
isnan: tensor
logsumexp: input dim keepdim
mv: input vec
nansum: input dim keepdim
narrow: input dim start length
permute: input dims
repeat_interleave: input repeats dim
split: tensor split_size_or_sections dim
"""
# methods of a Tensor, likewise
METHODS = """
allclose: input other
item: input
mean: input dim keepdim
prod: input dim keepdim
round: input
topk: input k dim
unique: input
"""
MINT_FUNCTIONS = """
add argsort bernoulli bitwise_not clone diag empty empty_like fix gather index_add max median meshgrid min multinomial
norm
normal randint randint_like scatter scatter_add select softmax sort squeeze std std_mean sub transpose var var_mean vdot
"""
FUNCTIONS: dict[str, Any] = {name: getattr(ops, name) for name in functions_with("mint", ops.functional)}
FUNCTIONS |= functions(ops, OPS) | functions(Tensor, METHODS) | functions(own_functions, MINT_FUNCTIONS)
globals().update(FUNCTIONS)
mint_getattr = missing_name_getattr("mint")

__all__ = [*FUNCTIONS]  # noqa: PLE0604 - strings of a table
