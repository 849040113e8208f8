"""The functions of ``mint`` as rows of tables."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.missing_names import missing_name_getattr
from minigraph.core.tensor import Tensor
from minigraph.mint import functions as own_functions
from minigraph.ops.renaming import functions

# functions of ops; after a colon, the names of their leading parameters here
OPS = """
abs acos acosh addbmm addcdiv addcmul addmm addmv arange arccos arccosh arcsinh arctan arctan2 arctanh asin asinh
arcsin: x
atan atan2 atanh baddbmm bincount bitwise_and bitwise_or bitwise_xor broadcast_to ceil clamp clip cos cosh cross
div divide dot dstack einsum eq equal erf erfc erfinv exp exp2 expm1 eye flip float_power floor floor_divide fmod
full full_like gcd ge greater greater_equal gt hstack imag inverse isclose isfinite isinf
isneginf le lerp less less_equal linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor lt masked_select matmul maximum minimum mm mul nan_to_num ne neg negative nonzero not_equal
ones ones_like outer polar pow rand randn randperm ravel real reciprocal remainder reshape roll rsqrt searchsorted
sigmoid sign
sin sinc sinh sqrt square sum swapaxes t take tan tanh tile tril triu trunc unbind unique_consecutive unsqueeze where
xlogy zeros zeros_like rand_like randn_like histc
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
FUNCTIONS: dict[str, Any] = functions(ops, OPS) | functions(Tensor, METHODS) | functions(own_functions, MINT_FUNCTIONS)
globals().update(FUNCTIONS)
mint_getattr = missing_name_getattr("mint")

__all__ = [*FUNCTIONS]  # noqa: PLE0604 - strings of a table
