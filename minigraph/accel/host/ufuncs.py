"""Operators whose forward is one numpy ufunc, which can then be called directly, without the wrapper around it."""

from __future__ import annotations

import numpy as np

from minigraph.core.op import Op
from minigraph.execute.codegen import bare_ufunc


def ufunc_of(op: Op) -> np.ufunc | None:
    """The ufunc that is equivalent to ``forward`` on one or two C contiguous operands of one dtype.

    >>> from minigraph.operators.elementwise import ADD, POW
    >>> ufunc_of(ADD), ufunc_of(POW)
    (<ufunc 'add'>, None)
    """
    pair = op.promotes is not None and op.promotes.positions == (0, 1)
    return bare_ufunc(op.forward) if op.arity == 1 or pair else None
