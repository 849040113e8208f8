"""Code generation for tiled plans: Python text with loops over tiles, threads, and views created once.

::

    def run(inputs, parameters, buffers, mul=mul, add=add):
        v0, v1, = inputs
        b0, = buffers
        mul(v0, v1, b0)  # %2 net.py:12
        v3 = add(b0, v1)  # %3 net.py:13
        return [v3], []

Work that a call would repeat is done once: kernels are bound as default arguments, because local names are looked up
fastest, views of buffers are created with the buffers, and where layouts are known, kernels check nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MethodDescriptorType
from typing import Any, ClassVar

import numpy as np

from minigraph.accel.host.threads import run_parallel
from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.schedule.buffers import as_c_order
from minigraph.accel.schedule.scatter_add import is_in_place
from minigraph.accel.schedule.tiled_plan import TiledGroup, TiledPlan
from minigraph.core.op import forward_of
from minigraph.core.types import TensorType
from minigraph.execute.codegen import Line, Slot, SourceText, assignment_target, comment, out_argument, unpack_line
from minigraph.execute.plan import Step

RESERVED_NAMES = {"rows", "part", "tiles", "views"}  # of the generated text


class TiledSource(SourceText):
    """The text of a tiled plan's program; its function ``views(buffers)`` creates the constant views."""

    plan: TiledPlan
    entries: tuple[str, ...] = ("run", "views")
    helpers: ClassVar[dict[str, Any]] = SourceText.helpers | {
        "empty": np.empty, "as_c_order": as_c_order, "run_parallel": run_parallel,
    }  # fmt: skip

    def __init__(self, plan: TiledPlan) -> None:
        self.types = plan.types if plan.tiled_groups else {}
        self._names: dict[int, str] = {}
        self._owned: set[int] = set()  # values that are certainly separate arrays
        self._views: list[str] = []  # the lines of ``views``, and the names of its results in ``run``
        self._view_names: list[str] = []
        self._bound: list[str] = []  # the kernels that are called every time: more default arguments slow a call
        super().__init__(plan)

    def prologue(self) -> list[str]:
        """The lines above the first step: fused loops as comments, views, and conversions to C order."""
        kernels = "".join(f", {name}={name}" for name in self._bound)
        signature = f"def run(inputs, parameters, buffers{kernels}):"
        lines = [*self._loops(), *self._views, signature, *super().prologue()[1:]]
        inputs = sorted(self.plan.contiguous_inputs)
        return lines + [f"    v{v} = v{v} if v{v}.flags.c_contiguous else as_c_order(v{v})" for v in inputs]

    def unpack_lines(self) -> list[str]:
        """The lines that name Parameters, buffers and views."""
        parameters = (f"v{source.value}" for source in self.plan.sources if source.role == "parameter")
        return [
            *unpack_line(parameters, "parameters"),
            *unpack_line((*self.buffers.values(), *self._view_names), "buffers"),
        ]

    def return_lines(self) -> Iterator[Line]:
        """The lines after the last step: the values that the program returns."""
        self._bound = list(self.kernel_names.values())
        self._views, self._view_names = self._views_function()
        results = self.plan.outs, self.plan.stored.values()
        outs, stored = (", ".join(map(self._result_expression, values)) for values in results)
        yield None, f"    return [{outs}], [{stored}]"

    def _loops(self) -> Iterator[str]:
        """The fused loops that kernels implement, as comments; the text comes from a record, not from the user."""
        for op in {step.op: None for step in self.plan.steps if step.op.role == "fused"}:
            lines = op.doc.splitlines()
            yield f"# {self.kernel_names[id(op.forward)]}: {lines[0]}"
            yield from (f"# {line}" for line in lines[1:])

    def _views_function(self) -> tuple[list[str], list[str]]:
        """The function that creates the constant views, and their names in the program."""
        if not self.plan.constant_views:
            return [], []
        lines = [f"    {self.line(step)}" for step in self.plan.steps if self._is_constant_view(step)]
        read = {value for step in self.plan.steps if not self._is_constant_view(step) for value in step.ins}
        read.update(self.plan.live_out, self.plan.preallocated.values())
        names = [f"v{value}" for value in sorted(self.plan.constant_views & read)]
        if not names:
            return [], []
        head = ["def views(buffers):", *unpack_line(self.buffers.values(), "buffers")]
        return [*head, *lines, f"    return [*buffers, {', '.join(names)}]"], names

    # ---- names -------------------------------------------------------------------------------------

    def free_name(self, preferred: str) -> str:
        """The operator's name as the name of a function; more names are reserved here."""
        return super().free_name("operator" if preferred in RESERVED_NAMES else preferred)

    def _target(self, value: int, type: TensorType) -> str:
        """The name of the array that a value is written into: its buffer as an array of ``type``, or its view."""
        view = self.plan.preallocated.get(value)
        name = self.buffer((self.plan.buffer_of[value], type)) if view is None else self._name(view)
        self._names[value] = name
        return name

    def _result_expression(self, value: int) -> str:
        """The expression of a value that is returned to the caller."""
        return self._name(value) if value in self._owned else f"as_writeable({self._name(value)})"

    def _name(self, value: int) -> str:
        return self._names.get(value) or f"v{value}"

    def _kernel(self, step: Step, kernel: Any) -> str:
        """The name of the function that a line calls: a kernel for known layouts if there is one, else the forward."""
        if kernel:
            return self.kernel_name(step.op.name, kernel, {})
        return self.kernel_name(step.op.name, forward_of(step.op), step.attrs)

    def _constant(self, stem: str, value: object) -> str:
        """A name for a constant of the program."""
        name = f"{stem}_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    # ---- lines -------------------------------------------------------------------------------------

    def lines(self) -> Iterator[Line]:
        """The lines between head and return."""
        groups, steps = {group.first: group for group in self.plan.tiled_groups}, self.plan.steps
        i = 0
        while i < len(steps):
            step = steps[i]
            if i in groups:
                yield from self._tiled_loop(groups[i])
                i = groups[i].last
                continue
            if step.op.role == "memory" and step.outs[0] in self.plan.buffer_of:
                self._target(step.outs[0], step.types[0])
            elif not self._is_constant_view(step):
                yield step, f"    {self.line(step)}"
            i += 1

    def _is_constant_view(self, step: Step) -> bool:
        """Whether the results of a step are the same arrays at every call."""
        return bool(step.outs) and step.outs[0] in self.plan.constant_views

    def line(self, step: Step) -> str:
        """``mul(v0, v1, b0)`` where there is a buffer to write into, else ``v2 = sum(v0)``."""
        outs, known = step.outs, self._names
        ins = [known.get(value) or f"v{value}" for value in step.ins]
        if len(outs) > 1 and step.op.into:
            return self._line_with_outs(step, ins)
        if outs and (outs[0] in self.plan.buffer_of or outs[0] in self.plan.preallocated):
            return self._line_into(step, ins, self._target(outs[0], step.types[0]))
        if is_in_place(step):
            self._names[step.outs[0]] = ins[0]
            return f"{self._kernel(step, None)}({', '.join(ins)}){comment(step)}"
        if len(step.outs) == 1 and ufunc_of(step.op) and step.types[0].shape:
            self._owned.add(step.outs[0])
        kernel = self._kernel(step, self.plan.kernels.get(step.outs))
        return f"{assignment_target(step)}{kernel}({', '.join(ins)}){comment(step)}"

    def _line_into(self, step: Step, ins: list[str], out: str) -> str:
        """The line that writes into an existing array, or into a tuple of arrays."""
        op = step.op
        specialized = ufunc_of(op) or self.plan.kernels.get(step.outs)
        kernel = self._kernel(step, specialized)
        if not op.into:
            return f"{out}[...] = {kernel}({', '.join(ins)}){comment(step)}"
        is_positional = isinstance(specialized, MethodDescriptorType)
        argument = out if is_positional else out_argument(specialized, out)
        return f"{kernel}({', '.join([*ins, argument])}){comment(step)}"

    def _line_with_outs(self, step: Step, ins: list[str]) -> str:
        """The line of several results: those that have no buffers are allocated."""
        unbuffered_types = {
            out: type for out, type in zip(step.outs, step.types, strict=True) if out not in self.plan.buffer_of
        }
        new = {
            out: f"empty({type.shape}, {self._constant('dtype', type.dtype.numpy)})"
            for out, type in unbuffered_types.items()
        }
        outs = [new.get(out) or self._target(out, type) for out, type in zip(step.outs, step.types, strict=True)]
        self._owned.update(unbuffered_types)
        return f"{assignment_target(step)}{self._line_into(step, ins, as_tuple(outs))}"

    # ---- tiles -------------------------------------------------------------------------------------

    def _tiled_loop(self, group: TiledGroup) -> Iterator[Line]:
        """A loop over the tiles of a group; with several threads, a function that takes tiles off a shared iterator."""
        steps = self.plan.steps[group.first : group.last]
        for step in steps:
            for out, type in zip(step.outs, step.types, strict=True):
                if out not in self.plan.tile_values:
                    yield None, f"    {self._result_line(step, out, type)}"
        names, views, slots = self._tile_names(group)
        tiles = self._constant("tiles", group.tiles)
        count = f"  # {len(group.tiles)} tiles of {steps[0].types[0]}"
        if group.threads == 1:
            yield from self._loop("    ", f"for rows, part in {tiles}:{count}", steps, names, views)
            return
        function = f"tile_loop_{group.first}"
        yield None, f"    def {function}(tiles, {', '.join(slots)}):"
        yield from self._loop("        ", f"for rows, part in tiles:{count}", steps, names, views)
        buffers = (self._thread_buffers(slots, k) for k in range(group.threads))
        calls = (f"(tiles, {''.join(f'{buffer}, ' for buffer in mine)})" for mine in buffers)
        yield None, f"    tiles = iter({tiles})"
        yield None, f"    run_parallel({function}, {', '.join(calls)})"

    def _loop(
        self, indent: str, head: str, steps: Sequence[Step], names: dict[int, str], views: dict[str, str]
    ) -> Iterator[Line]:
        yield None, f"{indent}{head}"
        for name, view in views.items():
            yield None, f"{indent}    {name} = {view}"
        for step in steps:
            yield step, f"{indent}    {self._tile_line(step, names)}"

    def _thread_buffers(self, slots: dict[str, Slot], thread: int) -> list[str]:
        """The buffers of a thread that replace the buffers of the first thread."""
        copies = self.plan.thread_buffers
        return [self.buffer((copies.get((buffer, thread), buffer), type)) for buffer, type in slots.values()]

    def _tile_names(self, group: TiledGroup) -> tuple[dict[int, str], dict[str, str], dict[str, Slot]]:
        """The names of a group's values inside the loop, the views behind some names, and its buffers."""
        names, views, slots = dict[int, str](), dict[str, str](), dict[str, Slot]()
        for step in self.plan.steps[group.first : group.last]:
            for value in step.ins:
                if value not in names:
                    index = group.operand_index(self.types[value])
                    names[value] = f"p{value}" if index else self._name(value)
                    views |= {f"p{value}": f"{self._name(value)}{index}"} if index else {}
            for out, type in zip(step.outs, step.types, strict=True):
                names[out] = f"p{out}"
                if out not in self.plan.tile_values:
                    views[f"p{out}"] = f"{self._name(out)}[rows]"
                elif out in self.plan.buffer_of:
                    buffer = self._target(out, group.tile_type(type))
                    slots[buffer] = self.plan.buffer_of[out], group.tile_type(type)
                    names[out] = f"t{buffer[1:]}"
                    views[f"t{buffer[1:]}"] = f"{buffer}[part]"
        return names, views, slots

    def _tile_line(self, step: Step, names: dict[int, str]) -> str:
        ins, outs = [names[value] for value in step.ins], [names[out] for out in step.outs]
        if step.op.into or step.outs[0] not in self.plan.tile_values:
            return self._line_into(step, ins, as_tuple(outs))
        return f"{outs[0]} = {self._kernel(step, None)}({', '.join(ins)}){comment(step)}"

    def _result_line(self, step: Step, value: int, type: TensorType) -> str:
        """The line that names or allocates memory for a result that is read after the loop."""
        if value in self.plan.buffer_of or value in self.plan.preallocated:
            return f"{self._target(value, type)}  # {step.node}"
        self._owned.add(value)
        return f"v{value} = empty({type.shape}, {self._constant('dtype', type.dtype.numpy)})  # {step.node}"


def as_tuple(names: Sequence[str]) -> str:
    """One name as it is, several as the text of a tuple."""
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
