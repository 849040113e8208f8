"""What a tape does where nobody listens to it: arithmetic on bare arrays, in a function written for each operator.

::

    def pull(g, call, known):  # mul
        _, _, _, _, (k0, k1,), out, x0, x1, = call
        shape = g.shape
        before = known.get(k0, unknown)
        if before is not unknown:
            cotangent = (g * x1)
            ...

Such a function does for arrays what ``cotangents`` and ``unbroadcast`` do for tensors, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.autodiff.arithmetic import formulas
from minigraph.op import Op, apply
from minigraph.tensor import wrap

Pull = Callable[[np.ndarray, tuple[Any, ...], dict[Any, Any]], None]

HEAD = """\
def pull(g, call, known):
    _, _, _, _, ({keys},), out, {operands}, = call
    shape = g.shape
"""
OPERAND = """\
    before = known.get(k{i}, unknown)
    if before is not unknown:
        cotangent = {cotangent}
        if x{i}.shape != shape:
            cotangent = summed(cotangent, x{i}.shape)
        if before is not None:
            cotangent = (before if before.__class__ is ndarray else before.array) + cotangent
        known[k{i}] = cotangent if cotangent.__class__ is ndarray else asarray(cotangent)
"""


def pull_of(op: Op) -> Pull | None:
    """The function ``pull(g, call, known)`` of an operator; ``None`` if arrays will not do.

    ``call`` is one that a tape has recorded, ``g`` what has arrived at its result, of the dtype of its operands and in
    C order; ``known`` has the tensors that matter and what has arrived at them so far, where the rest is added.
    """
    found = formulas(op)
    if found is None:
        return None
    keys, operands = (", ".join(f"{stem}{i}" for i in range(len(found))) for stem in "kx")
    text = HEAD.format(keys=keys, operands=operands)
    for i, formula in enumerate(found):
        if formula is not None:
            text += OPERAND.format(i=i, cotangent=formula)
    space: dict[str, Any] = {"unknown": object(), "summed": _summed, "ndarray": np.ndarray, "asarray": np.asarray}
    exec(compile(text, "<pull>", "exec"), space)
    pull: Pull = space["pull"]
    return pull


def _summed(cotangent: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Summed back to an operand's shape, where broadcasting had repeated it."""
    total: np.ndarray = apply("sum_to", wrap(np.asarray(cotangent)), shape=shape).array
    return total


class _Pulls(dict[Op, Pull | None]):
    """``pull_of`` every operator that was asked for."""

    def __missing__(self, op: Op) -> Pull | None:
        pull = self[op] = pull_of(op)
        return pull


PULLS = _Pulls()
