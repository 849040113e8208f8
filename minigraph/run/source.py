"""The text of a compiled program: one line per operator, each naming its node and the user's line.

::

    def run(inputs, parameters, buffers, mul=mul, add=add):
        v0, v1, = inputs
        b0, = buffers
        mul(v0, v1, b0)  # %2 net.py:12
        v3 = add(b0, v1)  # %3 net.py:13
        return [v3], []

``v`` are values, ``b`` buffers of the plan as arrays of one type, everything else kernels, bound as arguments because
Python finds local names fastest. No text of the user's reaches the compiler as code: names are counted, or those of
operators if they are plain words; comments are escaped.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minigraph.eager import bare_ufunc
from minigraph.loc import Loc
from minigraph.run.plan import Plan, Step
from minigraph.types import TensorType

FILE = "<minigraph program>"  # what tracebacks call the text
Slot = tuple[int, TensorType]  # a buffer, and as what it is looked at


class Source:
    """The text of a plan's program, the memory it wants to be given and what its names stand for.

    ``slots`` are the buffers in the order of the argument ``buffers``; ``namespace`` has kernels and constants.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.namespace: dict[str, Any] = {f"v{s.value}": s.payload for s in plan.sources if s.role == "const"}
        self.namespace["own"] = _own
        self._kernels: dict[Any, str] = {}
        self._slots: dict[Slot, str] = {}
        self._names: dict[int, str] = {}
        self._own: set[int] = set()  # values that are arrays of their own whatever happens
        steps = [f"    {self._line(step)}" for step in plan.steps]
        kernels = "".join(f", {name}={name}" for name in self._kernels.values())
        self._head = [
            f"def run(inputs, parameters, buffers{kernels}):",
            *_unpacked((f"v{s.value}" for s in plan.sources if s.role == "input"), "inputs"),
            *_unpacked((f"v{s.value}" for s in plan.sources if s.role == "parameter"), "parameters"),
            *_unpacked(self._slots.values(), "buffers"),
        ]
        outs, stored = ", ".join(map(self._leaving, plan.outs)), ", ".join(map(self._leaving, plan.stored.values()))
        self.text = "\n".join([*self._head, *steps, f"    return [{outs}], [{stored}]"]) + "\n"

    @property
    def slots(self) -> list[Slot]:
        """The buffers that the program is given, in order."""
        return list(self._slots)

    def function(self) -> Callable[..., Any]:
        """The program: ``run(inputs, parameters, buffers)``."""
        space = {"__name__": __name__} | self.namespace  # a name, so that numpy's warnings of inf and nan are ours
        exec(compile(self.text, FILE, "exec"), space)
        run: Callable[..., Any] = space["run"]
        return run

    def step_at(self, line: int) -> Step:
        """The step that stands in a line of the text; the first line is 1."""
        return self.plan.steps[line - 1 - len(self._head)]

    def _line(self, step: Step) -> str:
        """``mul(v0, v1, b0)`` where there is a buffer to write into, else ``v2 = sum(v0)``."""
        ins = [self._name(value) for value in step.ins]
        bare = None
        if step.outs and step.outs[0] in self.plan.buffer_of:
            out, bare = self._slot(step), bare_ufunc(step.op)
            ins.append(out if bare else f"out={out}")
            results = ""
        else:
            results = ", ".join(self._name(out) for out in step.outs) + ("" if len(step.outs) == 1 else ",") * bool(
                step.outs
            )
            if bare_ufunc(step.op) and step.types[0].shape:
                self._own.add(step.outs[0])
        call = f"{self._kernel(step, bare)}({', '.join(ins)})"
        return f"{results and results + ' = '}{call}  # {step.node}{_place(step.loc)}"

    def _slot(self, step: Step) -> str:
        """The buffer that a step writes into, as an array of its result's type."""
        slot = (self.plan.buffer_of[step.outs[0]], step.types[0])
        name = self._names[step.outs[0]] = self._slots.setdefault(slot, f"b{len(self._slots)}")
        return name

    def _leaving(self, value: int) -> str:
        """A value that the caller gets."""
        return self._name(value) if value in self._own else f"own({self._name(value)})"

    def _name(self, value: int) -> str:
        return self._names.get(value) or f"v{value}"

    def _kernel(self, step: Step, bare: Any) -> str:
        """The name of what a line calls: the bare ufunc where a buffer says dtype and order, else the forward."""
        key = id(bare or step.op.forward) if bare or not step.attrs else (step.op.name, len(self._kernels))
        name = self._kernels.get(key)
        if name is None:
            name = self._kernels[key] = self._free_name(step.op.name)
            self.namespace[name] = bare or (partial(step.op.forward, **step.attrs) if step.attrs else step.op.forward)
        return name

    def _free_name(self, wanted: str) -> str:
        """The operator's name as the name of a function, with a number unless it is free."""
        plain = wanted.isascii() and wanted.isidentifier() and not keyword.iskeyword(wanted)
        stem = wanted if plain and not _TAKEN.fullmatch(wanted) else "operator"
        return f"{stem}_{len(self._kernels)}" if stem in self.namespace else stem


_TAKEN = re.compile(r"[vb]\d+|run|inputs|parameters|buffers|__.*|.*_\d+")


def _own(result: Any) -> np.ndarray:
    """What a kernel returned as an array that the caller may write to: views of repeated elements are copied."""
    return np.asarray(result) if result.flags.writeable else np.array(result)


def _unpacked(names: Iterable[str], container: str) -> list[str]:
    """The line that takes a tuple apart, if anything is in it."""
    joined = "".join(f"{name}, " for name in names)
    return [f"    {joined}= {container}"] if joined else []


def _place(loc: tuple[Loc, ...]) -> str:
    """The user's line as the end of a comment."""
    return f" {_escaped(loc[-1].file, loc[-1].line)}" if loc else ""


@lru_cache(maxsize=4096)
def _escaped(file: str, line: int) -> str:
    """A file's name may hold anything, also the end of a line."""
    return ascii(str(Loc(file, line)))[1:-1]
