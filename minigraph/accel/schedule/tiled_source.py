"""The text of a plan with blocks: loops over pieces, threads, views made once.

::

    def run(inputs, parameters, buffers, mul=mul, add=add):
        v0, v1, = inputs
        b0, = buffers
        mul(v0, v1, b0)  # %2 net.py:12
        v3 = add(b0, v1)  # %3 net.py:13
        return [v3], []

What Python asks at every call is asked once: kernels are bound as arguments, because Python finds local names fastest,
views of buffers are made together with these, and where layouts are known kernels look at nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MethodDescriptorType
from typing import Any, ClassVar

import numpy as np

from minigraph.accel.host.threads import side_by_side
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.schedule.buffers import in_order
from minigraph.accel.schedule.tiled_plan import Block, TiledPlan
from minigraph.accel.schedule.totals import is_in_place
from minigraph.core.op import forward_of
from minigraph.core.types import TensorType
from minigraph.execute.codegen import Line, Slot, SourceText, comment, results_of, unpacked
from minigraph.execute.steps import Step

LOCALS = {"rows", "some", "pieces", "views"}  # what programs call things of their own


class TiledSource(SourceText):
    """The text of a tiled plan's program; ``views(buffers)`` makes what it wants to be given, of its buffers."""

    plan: TiledPlan
    entries: tuple[str, ...] = ("run", "views")
    helpers: ClassVar[dict[str, Any]] = SourceText.helpers | {
        "empty": np.empty, "in_order": in_order, "side_by_side": side_by_side,
    }  # fmt: skip

    def __init__(self, plan: TiledPlan) -> None:
        self.types = plan.types if plan.blocks else {}
        self._names: dict[int, str] = {}
        self._own: set[int] = set()  # values that are arrays of their own whatever happens
        self._views: list[str] = []  # the lines of what makes views, and what the program calls these
        self._still: list[str] = []
        self._bound: list[str] = []  # the kernels that are called each time: bound to many names, a call takes longer
        super().__init__(plan)

    def head(self) -> list[str]:
        """The lines above the first step: loops as comments, views, and what is brought to C order."""
        kernels = "".join(f", {name}={name}" for name in self._bound)
        lines = [*self._bodies(), *self._views, f"def run(inputs, parameters, buffers{kernels}):", *super().head()[1:]]
        outer = sorted(self.plan.outer)
        return lines + [f"    v{v} = v{v} if v{v}.flags.c_contiguous else in_order(v{v})" for v in outer]

    def given(self) -> list[str]:
        """The lines that name Parameters, buffers and views."""
        parameters = (f"v{source.value}" for source in self.plan.sources if source.role == "parameter")
        return [*unpacked(parameters, "parameters"), *unpacked((*self.buffers.values(), *self._still), "buffers")]

    def last_lines(self) -> Iterator[Line]:
        """The lines behind the last step: what the program returns."""
        self._bound = list(self.called.values())
        self._views, self._still = self._views_once()
        outs, stored = (", ".join(map(self._leaving, some)) for some in (self.plan.outs, self.plan.stored.values()))
        yield None, f"    return [{outs}], [{stored}]"

    def _bodies(self) -> Iterator[str]:
        """The loops that kernels stand for, as comments; the text of a record, so nothing of the user's."""
        for op in {step.op: None for step in self.plan.steps if step.op.role == "fused"}:
            lines = op.doc.splitlines()
            yield f"# {self.called[id(op.forward)]}: {lines[0]}"
            yield from (f"# {line}" for line in lines[1:])

    def _views_once(self) -> tuple[list[str], list[str]]:
        """The function that makes views once, together with the memory they show, and what the program calls them."""
        lines = [f"    {self.line(step)}" for step in self.plan.steps if self._is_still(step)]
        read = {value for step in self.plan.steps if not self._is_still(step) for value in step.ins}
        read.update(self.plan.leaving, self.plan.places.values())
        names = [f"v{value}" for value in sorted(self.plan.still & read)]
        if not names:
            return [], []
        head = ["def views(buffers):", *unpacked(self.buffers.values(), "buffers")]
        return [*head, *lines, f"    return [*buffers, {', '.join(names)}]"], names

    # ---- names -------------------------------------------------------------------------------------

    def free_name(self, wanted: str) -> str:
        """The operator's name as the name of a function; more names are taken here."""
        return super().free_name("operator" if wanted in LOCALS else wanted)

    def _slot(self, value: int, type: TensorType) -> str:
        """The buffer that a value is written into, as an array of a type, or the view."""
        view = self.plan.places.get(value)
        own = self.buffer((self.plan.buffer_of[value], type)) if view is None else self._name(view)
        self._names[value] = own
        return own

    def _leaving(self, value: int) -> str:
        """A value that the caller gets."""
        return self._name(value) if value in self._own else f"own({self._name(value)})"

    def _name(self, value: int) -> str:
        return self._names.get(value) or f"v{value}"

    def _kernel(self, step: Step, bare: Any) -> str:
        """The name of what a line calls: a kernel that asks nothing where layouts are known, else the forward."""
        if bare:
            return self.named(step.op.name, bare, {})
        forward = forward_of(step.op)
        forward = getattr(forward, "__wrapped__", forward)  # dtypes were looked at long ago
        return self.named(step.op.name, forward, step.attrs)

    def _constant(self, stem: str, value: Any) -> str:
        """A name for a value that the program keeps."""
        name = f"{stem}_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    # ---- lines -------------------------------------------------------------------------------------

    def lines(self) -> Iterator[Line]:
        """The lines between head and return."""
        runs, steps = {block.first: block for block in self.plan.blocks}, self.plan.steps
        i = 0
        while i < len(steps):
            step = steps[i]
            if i in runs:
                yield from self._block(runs[i])
                i = runs[i].last
                continue
            if step.op.role == "memory" and step.outs[0] in self.plan.buffer_of:
                self._slot(step.outs[0], step.types[0])
            elif not self._is_still(step):
                yield step, f"    {self.line(step)}"
            i += 1

    def _is_still(self, step: Step) -> bool:
        """Whether the results of a step are the same arrays at every call."""
        return bool(step.outs) and step.outs[0] in self.plan.still

    def line(self, step: Step) -> str:
        """``mul(v0, v1, b0)`` where there is a buffer to write into, else ``v2 = sum(v0)``."""
        outs, known = step.outs, self._names
        ins = [known.get(value) or f"v{value}" for value in step.ins]
        if len(outs) > 1 and step.op.into:
            return self._several(step, ins)
        if outs and (outs[0] in self.plan.buffer_of or outs[0] in self.plan.places):
            return self._written(step, ins, self._slot(outs[0], step.types[0]))
        if is_in_place(step):
            self._names[step.outs[0]] = ins[0]
            return f"{self._kernel(step, None)}({', '.join(ins)}){comment(step)}"
        if len(step.outs) == 1 and ufunc_of(step.op) and step.types[0].shape:
            self._own.add(step.outs[0])
        kernel = self._kernel(step, self.plan.kernels.get(step.outs))
        return f"{results_of(step)}{kernel}({', '.join(ins)}){comment(step)}"

    def _written(self, step: Step, ins: list[str], out: str) -> str:
        """The line that writes into an array that is there already, or into a tuple of some."""
        op = step.op
        if ufunc_of(op) is not None:
            return f"{self._kernel(step, ufunc_of(op))}({', '.join(ins)}, {out}){comment(step)}"
        bare = self.plan.kernels.get(step.outs)
        kernel = self._kernel(step, bare)
        if not op.into:
            return f"{out}[...] = {kernel}({', '.join(ins)}){comment(step)}"
        by_place = isinstance(bare, (np.ufunc, MethodDescriptorType))
        return f"{kernel}({', '.join([*ins, out if by_place else f'out={out}'])}){comment(step)}"

    def _several(self, step: Step, ins: list[str]) -> str:
        """The line of several results: those that have no buffers are arrays of their own."""
        own = {out: type for out, type in zip(step.outs, step.types, strict=True) if out not in self.plan.buffer_of}
        made = {out: f"empty({type.shape}, {self._constant('dtype', type.dtype.numpy)})" for out, type in own.items()}
        outs = [made.get(out) or self._slot(out, type) for out, type in zip(step.outs, step.types, strict=True)]
        self._own.update(own)
        return f"{results_of(step)}{self._written(step, ins, together(outs))}"

    # ---- pieces ------------------------------------------------------------------------------------
    def _block(self, block: Block) -> Iterator[Line]:
        """A loop over the pieces of a run of steps; with several threads, a function that takes what is left."""
        steps = self.plan.steps[block.first : block.last]
        for step in steps:
            for out, type in zip(step.outs, step.types, strict=True):
                if out not in self.plan.inner:
                    yield None, f"    {self._whole(step, out, type)}"
        names, views, slots = self._pieces_of(block, steps)
        pieces = self._constant("pieces", block.pieces)
        told = f"  # {len(block.pieces)} pieces of {steps[0].types[0]}"
        if block.threads == 1:
            yield from self._loop("    ", f"for rows, some in {pieces}:{told}", steps, names, views)
            return
        part = f"part_{block.first}"
        yield None, f"    def {part}(pieces, {', '.join(slots)}):"
        yield from self._loop("        ", f"for rows, some in pieces:{told}", steps, names, views)
        own = (self._own_slots(block, slots, k) for k in range(block.threads))
        works = (f"(pieces, {''.join(f'{slot}, ' for slot in mine)})" for mine in own)
        yield None, f"    pieces = iter({pieces})"
        yield None, f"    side_by_side({part}, {', '.join(works)})"

    def _loop(
        self, indent: str, head: str, steps: Sequence[Step], names: dict[int, str], views: dict[str, str]
    ) -> Iterator[Line]:
        yield None, f"{indent}{head}"
        for name, view in views.items():
            yield None, f"{indent}    {name} = {view}"
        for step in steps:
            yield step, f"{indent}    {self._piece(step, names)}"

    def _own_slots(self, block: Block, slots: dict[str, Slot], thread: int) -> list[str]:
        """The buffers that one thread uses for those of the first."""
        copies = self.plan.copies
        return [self.buffer((copies.get((buffer, thread), buffer), type)) for buffer, type in slots.values()]

    def _pieces_of(self, block: Block, steps: Sequence[Step]) -> tuple[dict[int, str], dict[str, str], dict[str, Slot]]:
        """What the values of a run are called inside of its loop, what the names stand for there, and its buffers."""
        names, views, slots = dict[int, str](), dict[str, str](), dict[str, Slot]()
        for step in steps:
            for value in step.ins:
                if value not in names:
                    part = block.part_of(self.types[value])
                    names[value] = f"p{value}" if part else self._name(value)
                    views |= {f"p{value}": f"{self._name(value)}{part}"} if part else {}
            for out, type in zip(step.outs, step.types, strict=True):
                names[out] = f"p{out}"
                if out not in self.plan.inner:
                    views[f"p{out}"] = f"{self._name(out)}[rows]"
                elif out in self.plan.buffer_of:
                    slot = self._slot(out, block.piece_of(type))
                    slots[slot] = self.plan.buffer_of[out], block.piece_of(type)
                    names[out] = f"t{slot[1:]}"
                    views[f"t{slot[1:]}"] = f"{slot}[some]"
        return names, views, slots

    def _piece(self, step: Step, names: dict[int, str]) -> str:
        ins, outs = [names[value] for value in step.ins], [names[out] for out in step.outs]
        if step.op.into or step.outs[0] not in self.plan.inner:
            return self._written(step, ins, together(outs))
        return f"{outs[0]} = {self._kernel(step, None)}({', '.join(ins)}){comment(step)}"

    def _whole(self, step: Step, value: int, type: TensorType) -> str:
        """Memory for a result that is needed after the loop."""
        if value in self.plan.buffer_of or value in self.plan.places:
            return f"{self._slot(value, type)}  # {step.node}"
        self._own.add(value)
        return f"v{value} = empty({type.shape}, {self._constant('dtype', type.dtype.numpy)})  # {step.node}"


def together(names: Sequence[str]) -> str:
    """One name as it is, several as a tuple."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
