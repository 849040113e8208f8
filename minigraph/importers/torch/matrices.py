"""ATen's linear algebra, with our operators.

Factors that torch's operators return only for their gradients are left out (``None``), and codes for failures are 0:
our operators raise instead.
"""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.aliases import Function
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32


def solve(a: Tensor, b: Tensor, left: bool = True) -> Tensor:
    """x with a x = b, or x a = b if not ``left``; ``b`` holds vectors if it has an axis less than ``a``.

    >>> print(solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 2.0])))
    [1.  0.5]
    """
    if b.ndim == 1 or b.shape == a.shape[:-1]:
        return ops.matrix_solve(a, b.expand_dims(-1)).squeeze(-1)
    return ops.matrix_solve(a, b) if left else ops.matrix_solve(a.mT, b.mT).mT


def solve_triangular(
    a: Tensor, b: Tensor, *, upper: bool = False, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """``solve`` with one triangle of ``a``, whose diagonal counts as ones if ``unitriangular``.

    >>> print(solve_triangular(Tensor([[2.0, 9.0], [1.0, 1.0]]), Tensor([[2.0], [3.0]])))
    [[1.]
     [2.]]
    """
    offset = int(unitriangular)
    triangle = ops.triu(a, offset) if upper else ops.tril(a, -offset)
    return solve(triangle + ops.eye(a.shape[-1], dtype=a.dtype) if unitriangular else triangle, b, left)


def svd(x: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> tuple[Tensor | None, ...]:
    """(left vectors, singular values, adjoint right vectors), or the values between two ``None``."""
    if not compute_uv:
        return None, ops.svd(x, compute_uv=False), None
    values, left, right = ops.svd(x, full_matrices)
    return left, values, right.mT


def pinv(x: Tensor, *, atol: object = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse; without ``rtol``, torch's limit for singular values that count as 0: max(m, n) eps.

    Raises ``UsageError`` for an absolute limit, or for a limit that is a tensor.
    """
    if atol is not None or isinstance(rtol, Tensor):
        raise UsageError("linalg_pinv: only a relative limit that is a number can be imported; pass rtol=number")
    limit = max(x.shape[-2:]) * float(np.finfo(x.dtype.numpy).eps) if rtol is None else rtol
    return ops.pinv(x, rtol=limit, hermitian=hermitian)


def _success(x: Tensor) -> Tensor:
    """The code 0 for each matrix."""
    return ops.zeros(x.shape[:-2], int32)


CONVERTERS: dict[str, Function] = {
    "_linalg_det": lambda x: (ops.det(x), None, None),
    "_linalg_slogdet": lambda x: (*ops.slogdet(x), None, None),
    "linalg_inv_ex": lambda x, check_errors=False: (ops.inverse(x), _success(x)),
    "linalg_cholesky_ex": lambda x, upper=False, check_errors=False: (ops.cholesky(x, upper), _success(x)),
    "_linalg_solve_ex": lambda a, b, left=True, check_errors=False: (solve(a, b, left), None, None, _success(a)),
    "linalg_solve_triangular": solve_triangular,
    "cholesky_solve": lambda b, factor, upper=False: ops.cholesky_solve(b, factor, upper),
    "cholesky_inverse": lambda factor, upper=False: ops.cholesky_inverse(factor, upper),
    "linalg_qr": lambda x, mode="reduced": ops.qr(x, mode),
    "_linalg_svd": lambda x, full_matrices=False, compute_uv=True, driver=None: svd(x, full_matrices, compute_uv),
    "linalg_pinv": pinv,
    "linalg_matrix_exp": lambda x: ops.matrix_exp(x),
}
