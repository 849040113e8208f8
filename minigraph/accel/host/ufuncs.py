"""Operators that are one ufunc of numpy's, which may then be called without what surrounds it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minigraph.core.op import Op


def ufunc_of(op: Op) -> np.ufunc | None:
    """The ufunc that does what ``forward`` does when its one or two operands are of one dtype and in C order.

    >>> from minigraph.operators.elementwise import ADD, POW
    >>> ufunc_of(ADD), ufunc_of(POW)
    (<ufunc 'add'>, None)
    """
    return _ufunc_in(op, op.forward)


def checked_ufunc_of(op: Op) -> np.ufunc | None:
    """The same for dtypes that ``infer`` is known to take, so that a forward that looks again need not."""
    return _ufunc_in(op, getattr(op.forward, "__wrapped__", op.forward))


def _ufunc_in(op: Op, forward: Callable[..., Any]) -> np.ufunc | None:
    if not isinstance(forward, partial) or forward.keywords != {"casting": "no", "order": "C"}:
        return None
    bare, pair = forward.func, op.promotes is not None and op.promotes.positions == (0, 1)
    return bare if isinstance(bare, np.ufunc) and (op.arity == 1 or pair) else None
