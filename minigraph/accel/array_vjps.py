"""What a tape does where nobody listens to it: arithmetic on bare arrays, in functions written for each operator.

::

    def pull(g, call, known):  # mul
        _, _, _, _, (k0, k1,), _, out, x0, x1, = call
        shape = g.shape
        before = known.get(k0, unknown)
        if before is not unknown:
            cotangent = multiply(g, x1)
            if x0.shape != shape:
                cotangent = summed(cotangent, x0.shape)
            ...

Such a function does for arrays what ``cotangents`` and ``unbroadcast`` do for tensors, bit for bit. Where operands and
result are of one form there is nothing to sum, and another function need not look.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigraph.accel.vjp_formulas import SIGNS, formulas
from minigraph.core.op import VJP_OBSERVERS, Op, apply
from minigraph.core.tensor import wrap

ArrayVjp = Callable[[np.ndarray, tuple[Any, ...], dict[Any, Any]], None]


class ArrayVjps(NamedTuple):
    """How an operator hands back what has arrived: in general, and where operands and result are of one form."""

    general: ArrayVjp
    alike: ArrayVjp


HEAD = """\
def pull(g, call, known):
    _, _, _, _, ({keys},), _, out, {operands}, = call
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
        cotangent = cotangent if cotangent.__class__ is ndarray else asarray(cotangent)
        known[k{i}] = cotangent if before is None or before.__class__ is ndarray else wrap(cotangent)
"""
ALIKE_HEAD = """\
def pull(g, call, known):
    _, _, _, _, ({keys},), _, out, {operands}, = call
"""
ALIKE_OPERAND = """\
    before = known.get(k{i}, unknown)
    if before is None:
        known[k{i}] = {cotangent}
    elif before.__class__ is ndarray:
        cotangent = {cotangent}
        known[k{i}] = add(before, cotangent, {into})
    elif before is not unknown:
        known[k{i}] = wrap(before.array + {cotangent})
"""  # what was made here may be written to, and is; what has arrived may be known elsewhere, too. A sum with a tensor's
# array stays a tensor, which is looked at again: it may be of another dtype.


def array_vjps_of(op: Op) -> ArrayVjps | None:
    """The functions ``pull(g, call, known)`` of an operator; ``None`` if arrays will not do.

    ``call`` is one that a tape has recorded, ``g`` what has arrived at its result, of the dtype of its operands and in
    C order; ``known`` has the tensors that matter and what has arrived at them so far, where the rest is added.
    """
    found = formulas(op)
    if found is None:
        return None
    return ArrayVjps(_written(found, HEAD, OPERAND), _written(found, ALIKE_HEAD, ALIKE_OPERAND))


def _written(formulas: tuple[str | None, ...], head: str, operand: str) -> ArrayVjp:
    """A function with a part for each operand that has a gradient."""
    keys, operands = (", ".join(f"{stem}{i}" for i in range(len(formulas))) for stem in "kx")
    text = head.format(keys=keys, operands=operands)
    for i, formula in enumerate(formulas):
        if formula is not None:
            text += operand.format(i=i, cotangent=formula, into="None" if formula == "g" else "cotangent")
    space: dict[str, Any] = {name: getattr(np, name) for name in (*SIGNS.values(), "negative", "ndarray", "asarray")}
    space |= {"unknown": object(), "summed": _summed, "wrap": wrap}
    exec(compile(text, "<pull>", "exec"), space)
    pull: ArrayVjp = space["pull"]
    return pull


def _summed(cotangent: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Summed back to an operand's shape, where broadcasting had repeated it."""
    total: np.ndarray = apply("sum_to", wrap(np.asarray(cotangent)), shape=shape).array
    return total


class _Table(dict[Op, ArrayVjps | None]):
    """``array_vjps_of`` every operator that was asked for."""

    def __missing__(self, op: Op) -> ArrayVjps | None:
        pulls = self[op] = array_vjps_of(op)
        return pulls


ARRAY_VJPS = _Table()
VJP_OBSERVERS.append(lambda op: ARRAY_VJPS.pop(op, None))  # what is there was written for the old gradient
