"""Operators whose forward is one numpy ufunc, which can then be called directly, without the wrapper around it."""

from __future__ import annotations

from functools import partial

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.op import Op


def ufunc_of(op: Op) -> np.ufunc | None:
    """The ufunc that is equivalent to ``forward`` on one or two C contiguous operands of one dtype.

    >>> from minigraph.operators.elementwise import ADD, POW
    >>> ufunc_of(ADD), ufunc_of(POW)
    (<ufunc 'add'>, None)
    """
    return _ufunc_in(op, op.forward)


def checked_ufunc_of(op: Op) -> np.ufunc | None:
    """The same for dtypes that ``infer`` accepts, so that a forward that checks dtypes again is unwrapped."""
    return _ufunc_in(op, getattr(op.forward, "__wrapped__", op.forward))


def _ufunc_in(op: Op, forward: Function) -> np.ufunc | None:
    if not isinstance(forward, partial) or forward.keywords != {"casting": "no", "order": "C"}:
        return None
    function, pair = forward.func, op.promotes is not None and op.promotes.positions == (0, 1)
    return function if isinstance(function, np.ufunc) and (op.arity == 1 or pair) else None
