"""Images laid beside each other, where convolutions and pools among the steps are faster that way.

The steps then work on tensors [C,H,W,N] instead of [N,C,H,W]: an elementwise operator as it is, others by what their
records have for it, to the same bits. Turning images around is a step of its own, and happens where what wants
them beside each other meets what has them one after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from minigraph.accel.kernels.chwn import BACK, TURN, apart, spaced
from minigraph.accel.kernels.table import BESIDE
from minigraph.core.machine import MIN_CHWN_BYTES
from minigraph.core.op import Op, forward_of
from minigraph.core.types import Shape, TensorType
from minigraph.execute.steps import Step, ops_of
from minigraph.operators.scalar_expressions import SCALARS

_FOUR = (1, 1, 1, 1)


def with_images_beside(
    steps: Sequence[Step], leaving: Iterable[int], types: Mapping[int, TensorType], fresh: itertools.count[int]
) -> list[Step]:
    """The steps, some on images beside each other if kernels are tuned; ``types`` are those of values there before."""
    if not any(op in BESIDE and forward_of(op) is not op.forward for op in ops_of(steps)):
        return list(steps)
    laying = _Laying(steps, types, fresh)
    for step in steps:
        laying.place(step)
    for value in leaving:
        laying.plain(value, steps[-1])
    return laying.steps


class _Laying:
    """Steps so far, and by value its ``twin``, the same images beside each other.

    ``lost`` are the values of which there is nothing but the twin, ``wanted`` those that are better made as twins.
    """

    def __init__(self, old: Sequence[Step], types: Mapping[int, TensorType], fresh: itertools.count[int]) -> None:
        self.steps: list[Step] = []
        self._fresh, self._twin, self._lost = fresh, dict[int, int](), set[int]()
        self._types = {**types, **{out: type for step in old for out, type in zip(step.outs, step.types, strict=True)}}
        self._wanted = set[int]()
        for step in reversed(old):
            self._wanted |= self._wishes(step)

    # ---- what is wanted ----------------------------------------------------------------------------

    def _wishes(self, step: Step) -> set[int]:
        """The operands of a step that are better made beside each other; what reads its result has been asked."""
        if self._likes(step):
            return {*self._images(step)}
        if _by_elements(step) and step.outs[0] in self._wanted:
            return {value for value in step.ins if self._types[value].shape == step.types[0].shape}
        return set()

    def _likes(self, step: Step) -> bool:
        """Whether the operator of a step is faster on images beside each other."""
        if step.op not in BESIDE or not self._is_large(step):
            return False
        return BESIDE[step.op].likes(step.types[0], *(self._types[value] for value in step.ins), **step.attrs)

    def _is_large(self, step: Step) -> bool:
        return max(self._types[value].nbytes for value in (*step.outs, *step.ins)) >= MIN_CHWN_BYTES

    def _images(self, step: Step) -> list[int]:
        return [step.ins[i] for i in BESIDE[step.op].of]

    # ---- steps -------------------------------------------------------------------------------------

    def place(self, step: Step) -> None:
        """Append a step, on images beside each other if that is the better way."""
        if self._goes(step):
            self._append_beside(step)
        elif _by_elements(step) and not self._twin.keys().isdisjoint(step.ins) and self._turns(step):
            ins = tuple(value if self._types[value].shape == () else self._turned(value, step) for value in step.ins)
            self._append_twins(step._replace(ins=ins))
        else:
            for value in step.ins:
                self.plain(value, step)
            self.steps.append(step)

    def _goes(self, step: Step) -> bool:
        """Whether an operator that can work on images beside each other is to do so: the largest lie so, or will."""
        beside = BESIDE.get(step.op)
        if beside is None or not self._likes(step):
            return False
        met = max(self._images(step), key=lambda value: self._types[value].size) in self._twin
        return met or (beside.turns and beside.images and step.outs[0] in self._wanted)

    def _turns(self, step: Step) -> bool:
        """Whether an elementwise step can work on tensors with their axes in another order."""
        return any(value in self._twin and self._types[value].shape == step.types[0].shape for value in step.ins)

    def _append_beside(self, step: Step) -> None:
        """Append what a record has for images beside each other."""
        ins = [self._turned(value, step) if i in BESIDE[step.op].of else value for i, value in enumerate(step.ins)]
        made = step._replace(op=_beside(step.op), ins=tuple(ins))
        if BESIDE[step.op].images:
            self._append_twins(made)
        else:
            self.steps.append(made)

    def _append_twins(self, step: Step) -> None:
        """Append a step whose results are to lie beside each other."""
        for out in step.outs:
            self._twin[out] = next(self._fresh)
            self._lost.add(out)
        types = tuple(_permuted(type, TURN) for type in step.types)
        self.steps.append(step._replace(outs=tuple(self._twin[out] for out in step.outs), types=types))

    def _turned(self, value: int, step: Step) -> int:
        """The twin of a value, made for a step if there is none yet."""
        if value not in self._twin:
            self._twin[value] = next(self._fresh)
            self._append_copy(value, self._twin[value], TURN, step)
        return self._twin[value]

    def plain(self, value: int, step: Step) -> None:
        """See to it that there are images one after the other, for a step."""
        if value in self._lost:
            self._lost.remove(value)
            self._append_copy(self._twin[value], value, BACK, step)

    def _append_copy(self, value: int, out: int, axes: Shape, step: Step) -> None:
        """Append what lays a value the other way, for a step; only a value one after the other has a type here."""
        type = self._types[out] if axes == BACK else _permuted(self._types[value], TURN)
        self.steps.append(step._replace(op=_COPIES[axes], ins=(value,), attrs={}, outs=(out,), types=(type,)))


def _by_elements(step: Step) -> bool:
    """Whether each element of a step's results depends on one of each operand, whatever the axes are called."""
    by_elements = step.op.family == "elementwise" and step.op in SCALARS and not step.op.effects
    return by_elements and len(step.types[0].shape) == 4


def _permuted(type: TensorType, axes: Shape) -> TensorType:
    """The type with its axes in another order, those it has not got before the others."""
    shape = _FOUR[len(type.shape) :] + type.shape
    return TensorType(tuple(shape[i] for i in axes), type.dtype)


# ---- operators that no graph holds -------------------------------------------------------------------


def _copied(x: np.ndarray, *, out: np.ndarray | None = None, axes: Shape) -> np.ndarray:
    images = x.reshape(_FOUR[x.ndim :] + x.shape)
    if axes == BACK:
        return apart(images.transpose(BACK), out)
    looked = spaced(images).transpose(TURN)
    if out is None:
        return np.array(looked, order="C")
    np.copyto(out, looked)
    return out


def _copy(name: str, axes: Shape, doc: str) -> Op:
    return Op(name, partial(_copied, axes=axes), lambda x: _permuted(x, axes), into=True, doc=doc)


_COPIES: dict[Shape, Op] = {
    TURN: _copy("beside", TURN, "Images laid beside each other."),
    BACK: _copy("one_by_one", BACK, "Images laid one after the other."),
}


@cache
def _beside(op: Op) -> Op:
    """The operator that works on images beside each other."""
    beside = BESIDE[op]
    doc = f"{op.doc} Images lie beside each other."
    return Op(op.name, _turning(beside.forward, beside.of, beside.images), op.infer, into=op.into, doc=doc)


@cache
def _turning(kernel: Any, of: tuple[int, ...], images: bool) -> Any:
    """A kernel of images one after the other as one of such that lie beside each other, as its result does then."""

    def turning(*operands: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> Any:
        if out is not None:
            attrs["out"] = out.transpose(BACK)
        found = kernel(*[x.transpose(BACK) if i in of else x for i, x in enumerate(operands)], **attrs)
        return np.ascontiguousarray(found.transpose(TURN)) if images else found

    return turning
