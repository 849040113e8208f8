"""The text of a compiled program: one line per operator, each naming its node and the user's line.

::

    def run(inputs, parameters, buffers, mul=mul, add=add):
        v0, v1, = inputs
        b0, = buffers
        mul(v0, v1, b0)  # %2 net.py:12
        v3 = add(b0, v1)  # %3 net.py:13
        return [v3], []

What is returned is what the caller gets, and what Parameters are to become; where there are ``updates``, also what
these need (``minigraph.run.updating``).
``v`` are values, ``b`` buffers of the plan as arrays of one type, everything else kernels, bound as arguments because
Python finds local names fastest. No text of the user's reaches the compiler as code: names are counted, or those of
operators if they are plain words; comments are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MethodDescriptorType
from typing import Any

import numpy as np

from minigraph.run.listing import run_listed
from minigraph.run.names import Names, Slot
from minigraph.run.planning.totals import is_in_place
from minigraph.run.steps import Block, Plan, Step
from minigraph.run.wording import Line, comment, together, unpacked, zipped
from minigraph.types import TensorType

STEP_AT = "__step_at__"  # what stands in a line of it


class Source(Names):
    """The text of a plan's program, the memory it wants to be given and what its names stand for.

    ``slots`` are the buffers in the order of the argument ``buffers``, behind which come views of them.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._steps: list[Step | None] = []  # by line
        self._lists: dict[str, str] = {}  # pieces of buffers that updates use
        lines = list(self._lines())
        kernels = "".join(f", {name}={name}" for name in self._kernels.values())
        updates = [pair for k, block in enumerate(plan.updates) for pair in self._update(f"u{k}", block)]
        views, still = self._views()
        parameters = [f"v{s.value}" for s in plan.sources if s.role == "parameter"]
        given = [*unpacked(parameters, "parameters"), *unpacked((*self._slots.values(), *still), "buffers")]
        head = [
            *self._bodies(),
            *views,
            f"def run(inputs, parameters, buffers{kernels}):",
            *unpacked((f"v{s.value}" for s in plan.sources if s.role == "input"), "inputs"),
            *given,
            *(f"    v{v} = v{v} if v{v}.flags.c_contiguous else in_order(v{v})" for v in sorted(plan.outer)),
        ]
        self._steps[:0] = [None] * len(head)
        made = self._made({*self.namespace, *parameters, *self._slots.values(), *still})
        left = [", ".join(map(self._leaving, values)) for values in (plan.outs, plan.given.values())]
        left += [", ".join(made)] if updates else []
        lines.append(self._noted(None, f"    return [{'], ['.join(left)}]"))
        if updates:
            new = unpacked(map(self._name, plan.updated.values()), "new")
            opened = ["", "", "def updates(parameters, buffers, made, new):", *given, *unpacked(made, "made"), *new]
            closed = f"    return [{', '.join(f'u{k}' for k in range(len(plan.updates)))}]"
            lines += [self._noted(*pair) for pair in (*((None, line) for line in opened), *updates, (None, closed))]
        self.text = "\n".join([*head, *lines]) + "\n"

    @property
    def slots(self) -> list[Slot]:
        """The buffers that the program is given, in order."""
        return list(self._slots)

    def functions(self) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """The program, ``run(inputs, parameters, buffers)``, and what makes its buffers of memory, ``views(slots)``.

        And ``updates(parameters, buffers, made, new)``, which makes iterators that write into ``new``.
        """
        named = {"__name__": __name__}  # so that numpy's warnings of inf and nan are ours
        space: dict[str, Any] = named | {STEP_AT: self.step_at} | self.namespace
        run_listed(self.text, space, "run")
        return space.pop("run"), space.pop("views", list), space.pop("updates", _no_updates)  # no circles

    def step_at(self, line: int) -> Step | None:
        """The step that stands in a line of the text; the first line is 1."""
        return self._steps[line - 1]

    def _bodies(self) -> Iterator[str]:
        """The loops that kernels stand for, as comments; the text of a record, so nothing of the user's."""
        for op in {step.op: None for step in self.plan.steps if step.op.role == "fused"}:
            lines = op.doc.splitlines()
            yield f"# {self._kernels[id(op.forward)]}: {lines[0]}"
            yield from (f"# {line}" for line in lines[1:])

    def _views(self) -> tuple[list[str], list[str]]:
        """The function that makes views once, together with the memory they show, and what the program calls them."""
        if not self.plan.still and not self._lists:
            return [], []
        lines = [f"    {self._line(step)}" for step in self.plan.steps if self._is_still(step)]
        read = {value for step in self.plan.steps if not self._is_still(step) for value in step.ins}
        read.update(self.plan.leaving, self.plan.places.values())
        names = [*(f"v{value}" for value in sorted(self.plan.still & read)), *self._lists]
        if not names:
            return [], []
        head = ["def views(buffers):", *unpacked(self._slots.values(), "buffers")]
        lines += (f"    {name} = {text}" for name, text in self._lists.items())
        return [*head, *lines, f"    return [*buffers, {', '.join(names)}]"], names

    # ---- lines -------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[str]:
        """The lines between head and return."""
        runs, steps, still = {block.first: block for block in self.plan.blocks}, self.plan.steps, self.plan.still
        i, last = 0, len(steps) - len(self.plan.late)
        while i < last:
            step = steps[i]
            if i in runs:
                yield from self._block(runs[i])
                i = runs[i].last
                continue
            if step.op.role == "memory" and step.outs[0] in self.plan.buffer_of:
                self._slot(step.outs[0], step.types[0])
            elif not still or not self._is_still(step):
                yield self._noted(step, f"    {self._line(step)}")
            i += 1

    def _is_still(self, step: Step) -> bool:
        """Whether the results of a step are the same arrays at every call."""
        return bool(step.outs) and step.outs[0] in self.plan.still

    def _noted(self, step: Step | None, line: str) -> str:
        """The line, of which is known from now on what stands in it."""
        self._steps.append(step)
        return line

    def _line(self, step: Step) -> str:
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
        if len(step.outs) == 1 and step.op.ufunc and step.types[0].shape:
            self._own.add(step.outs[0])
        results = "".join(f"v{out}, " for out in step.outs) if len(step.outs) != 1 else f"v{step.outs[0]}"
        kernel = self._kernel(step, self.plan.kernels.get(step.outs))
        return f"{results and results + ' = '}{kernel}({', '.join(ins)}){comment(step)}"

    def _written(self, step: Step, ins: list[str], out: str) -> str:
        """The line that writes into an array that is there already, or into a tuple of some."""
        op = step.op
        if op.ufunc is not None:
            return f"{self._kernel(step, op.ufunc)}({', '.join(ins)}, {out}){comment(step)}"
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
        return f"{''.join(f'v{out}, ' for out in step.outs)}= {self._written(step, ins, together(outs))}"

    # ---- pieces ------------------------------------------------------------------------------------

    def _block(self, block: Block) -> Iterator[str]:
        """A loop over the pieces of a run of steps; with several threads, a function that takes what is left."""
        steps = self.plan.steps[block.first : block.last]
        for step in steps:
            for out, type in zip(step.outs, step.types, strict=True):
                if out not in self.plan.inner:
                    yield self._noted(None, f"    {self._whole(step, out, type)}")
        names, views, slots = self._pieces_of(block, steps)
        pieces = self._constant("pieces", block.pieces)
        told = f"  # {len(block.pieces)} pieces of {steps[0].types[0]}"
        if block.threads == 1:
            yield from self._loop("    ", f"for rows, some in {pieces}:{told}", steps, names, views)
            return
        part = f"part{len(self._steps)}"
        yield self._noted(None, f"    def {part}(pieces, {', '.join(slots)}):")
        yield from self._loop("        ", f"for rows, some in pieces:{told}", steps, names, views)
        own = (self._own_slots(block, slots, k) for k in range(block.threads))
        works = (f"(pieces, {''.join(f'{slot}, ' for slot in mine)})" for mine in own)
        yield self._noted(None, f"    pieces = iter({pieces})")
        yield self._noted(None, f"    side_by_side({part}, {', '.join(works)})")

    def _loop(
        self, indent: str, head: str, steps: Sequence[Step], names: dict[int, str], views: dict[str, str]
    ) -> Iterator[str]:
        yield self._noted(None, f"{indent}{head}")
        for name, view in views.items():
            yield self._noted(None, f"{indent}    {name} = {view}")
        for step in steps:
            yield self._noted(step, f"{indent}    {self._piece(step, names)}")

    def _own_slots(self, block: Block, slots: dict[str, Slot], thread: int) -> list[str]:
        """The buffers that one thread uses for those of the first."""
        copies = self.plan.copies
        return [self._slot_of((copies.get((buffer, thread), buffer), type)) for buffer, type in slots.values()]

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
                names[out] = f"p{self.plan.over.get(out, out)}"
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

    # ---- updates -----------------------------------------------------------------------------------

    def _update(self, name: str, block: Block) -> Iterator[Line]:
        """The lines of an update: an iterator over the pieces of a run of ufuncs, which no line of Python stops."""
        steps = self.plan.steps[block.first : block.last]
        names, views, _ = self._pieces_of(block, steps)
        kernels = [self._kernel(step, step.op.ufunc) for step in steps]
        operands = [[names[value] for value in (*step.ins, *step.outs)] for step in steps]
        lists = self._lists_of(block, views)
        for old, new in self.plan.olds.items():
            if names.get(old) in lists and new in names:
                same = f"{names[new]} if {self._name(new)} is {self._name(old)} else "
                lists[names[old]] = same + lists.pop(names[old])  # behind the new one
        yield from ((None, f"    {piece} = {text}") for piece, text in lists.items() if self._lists.get(piece) != text)
        yield from zipped(name, list(zip(steps, kernels, operands, strict=True)), lists)

    def _lists_of(self, block: Block, views: Mapping[str, str]) -> dict[str, str]:
        """The lists of all pieces that names stand for; those of buffers are made once, together with the memory."""
        pieces = self._constant("pieces", block.pieces)
        whole = {name: view.partition("[")[0] for name, view in views.items()}
        each = f" for rows, some in {pieces}" if len(block.pieces) > 1 else ""
        lists = {name: f"[{views[name] if each else whole[name]}{each}]" for name in views}
        fixed = {*self._slots.values(), *(f"v{value}" for value in self.plan.still)}
        self._lists = {name: text for name, text in lists.items() if whole[name] in fixed} | self._lists
        return lists

    def _made(self, known: Collection[str]) -> list[str]:
        """The names of what updates read, but those that are known to them."""
        own = {out for step in self.plan.late for out in step.outs}
        read = (self._name(value) for step in self.plan.late for value in step.ins if value not in own)
        return [name for name in dict.fromkeys(read) if name not in known]


def _no_updates(*given: Any) -> list[Iterator[Any]]:
    return []
