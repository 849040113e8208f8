"""VJPs on bare arrays: for each simple operator a generated function that a tape runs where no other tape is active.

::

    def vjp(g, call, cotangents):  # mul
        _, _, _, _, (k0, k1,), _, out, x0, x1, = call
        shape = g.shape
        before = cotangents.get(k0, unknown)
        if before is not unknown:
            cotangent = multiply(g, x1)
            if x0.shape != shape:
                cotangent = sum_to(cotangent, x0.shape)
            ...

Such a function does for arrays what ``vjps`` and ``unbroadcast`` do for tensors, bit for bit. A second variant, for
operands and result of one layout, needs neither the broadcast check nor the conversion to an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigraph.accel.vjp_formulas import UFUNC_NAMES, formulas
from minigraph.core.location import exec_with_source
from minigraph.core.op import VJP_OBSERVERS, Op, apply
from minigraph.core.tensor import wrap

ArrayVjp = Callable[[np.ndarray, tuple[Any, ...], dict[Any, Any]], None]
NUMPY_NAMES = ("negative", "ndarray", "asarray")


class ArrayVjps(NamedTuple):
    """The VJP of an operator on arrays: the general one, and one for operands and result of the same layout."""

    general: ArrayVjp
    same_layout: ArrayVjp


HEAD = """\
def vjp(g, call, cotangents):
    _, _, _, _, ({keys},), _, out, {operands}, = call
    shape = g.shape
"""
OPERAND = """\
    before = cotangents.get(k{i}, unknown)
    if before is not unknown:
        cotangent = {cotangent}
        if x{i}.shape != shape:
            cotangent = sum_to(cotangent, x{i}.shape)
        if before is not None:
            cotangent = (before if before.__class__ is ndarray else before.array) + cotangent
        cotangent = cotangent if cotangent.__class__ is ndarray else asarray(cotangent)
        cotangents[k{i}] = cotangent if before is None or before.__class__ is ndarray else wrap(cotangent)
"""
SAME_LAYOUT_HEAD = """\
def vjp(g, call, cotangents):
    _, _, _, _, ({keys},), _, out, {operands}, = call
"""
SAME_LAYOUT_OPERAND = """\
    before = cotangents.get(k{i}, unknown)
    if before is None:
        cotangents[k{i}] = {cotangent}
    elif before.__class__ is ndarray:
        cotangent = {cotangent}
        cotangents[k{i}] = add(before, cotangent, {into})
    elif before is not unknown:
        cotangents[k{i}] = wrap(before.array + {cotangent})
"""  # An array computed here is written in place; ``g`` is not, because it may also be another operand's cotangent. A
# sum with a tensor's array stays a tensor and is checked again later: it may have another dtype.


def array_vjps_of(op: Op) -> ArrayVjps | None:
    """The functions ``vjp(g, call, cotangents)`` of an operator; ``None`` if its rules are not plain arithmetic.

    ``call`` is a recorded call of a tape, ``g`` the cotangent of its result, C contiguous and of the operands' dtype.
    ``cotangents`` maps the watched tensors to their cotangents so far; the operands' are added there.
    """
    rules = formulas(op)
    if rules is None:
        return None
    return ArrayVjps(_compile_vjp(rules, HEAD, OPERAND), _compile_vjp(rules, SAME_LAYOUT_HEAD, SAME_LAYOUT_OPERAND))


def _compile_vjp(formulas: tuple[str | None, ...], head: str, operand: str) -> ArrayVjp:
    """A function with a section for each operand that has a gradient."""
    keys, operands = (", ".join(f"{stem}{i}" for i in range(len(formulas))) for stem in "kx")
    text = head.format(keys=keys, operands=operands)
    for i, formula in enumerate(formulas):
        if formula is not None:
            text += operand.format(i=i, cotangent=formula, into="None" if formula == "g" else "cotangent")
    namespace: dict[str, Any] = {name: getattr(np, name) for name in (*UFUNC_NAMES.values(), *NUMPY_NAMES)}
    namespace |= {"unknown": object(), "sum_to": _sum_to, "wrap": wrap}
    return exec_with_source(text, namespace, "vjp", "VJP rule")


def _sum_to(cotangent: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The cotangent of a broadcast operand: summed over the axes along which broadcasting repeated it."""
    total: np.ndarray = apply("sum_to", wrap(np.asarray(cotangent)), shape=shape).array
    return total


MAX_CACHED_OPERATORS = 4096  # a program may define ever new records; the cache is cleared when it is full


class _ArrayVjpCache(dict[Op, ArrayVjps | None]):
    """``array_vjps_of`` by operator, filled on first use."""

    def __missing__(self, op: Op) -> ArrayVjps | None:
        if len(self) >= MAX_CACHED_OPERATORS:
            self.clear()
        vjps = self[op] = array_vjps_of(op)
        return vjps


ARRAY_VJPS = _ArrayVjpCache()
VJP_OBSERVERS.append(lambda op: ARRAY_VJPS.pop(op, None))  # drop functions generated from the old gradient
