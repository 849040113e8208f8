"""Code generation: the source text of a compiled program, one line per operator, with its node and the user's line.

::

    def run(inputs, parameters, buffers):
        v0, v1, = inputs
        b0, = buffers
        v2 = mul(v0, v1, b0)  # %2 net.py:12
        v3 = add(v2, v1)  # %3 net.py:13
        return [as_writeable(v3)], []

``v`` are values, ``b`` buffers of the plan as arrays of one type, all other names are kernels of operators. The
program returns its outputs and the new values of Parameters. No user text is compiled as code: names are numbered, or
operator names that are plain identifiers; comments are escaped.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.location import Loc, exec_with_source
from minigraph.core.op import Attrs, forward_of
from minigraph.core.types import TensorType
from minigraph.execute.memory import as_writeable
from minigraph.execute.plan import Plan, Step

Line = tuple[Step | None, str]  # a line and its step


def unpack_line(names: Iterable[str], container: str) -> list[str]:
    """The line that unpacks a tuple into names, if there are any."""
    joined = "".join(f"{name}, " for name in names)
    return [f"    {joined}= {container}"] if joined else []


def plain_name(op_name: str) -> str:
    """An operator's name if it is a valid function name and not used by programs, else "operator".

    >>> plain_name("add"), plain_name("add!"), plain_name("v12"), plain_name("class")
    ('add', 'operator', 'operator', 'operator')
    """
    is_valid = op_name.isascii() and op_name.isidentifier() and not keyword.iskeyword(op_name)
    return op_name if is_valid and not _RESERVED_NAMES.fullmatch(op_name) else "operator"


_RESERVED_NAMES = re.compile(r"[a-z]\d+|run|inputs|parameters|buffers|__.*|.*_\d+")


def comment(step: Step) -> str:
    """The comment of a step: its node and the user's line."""
    return f"  # {step.node} {_location(step.loc[-1].file, step.loc[-1].line)}" if step.loc else f"  # {step.node}"


@lru_cache(maxsize=4096)
def _location(file: str, line: int) -> str:
    """The location, escaped, because a file name may contain any character, even a line break."""
    return ascii(str(Loc(file, line)))[1:-1]


def bare_ufunc(kernel: Function) -> np.ufunc | None:
    """The ufunc of an elementwise kernel, which gives the same result without the kernel's keywords in a buffer.

    >>> bare_ufunc(partial(np.add, casting="no", order="C")), bare_ufunc(np.matmul)
    (<ufunc 'add'>, None)
    """
    if not isinstance(kernel, partial) or kernel.keywords != {"casting": "no", "order": "C"}:
        return None
    return kernel.func if isinstance(kernel.func, np.ufunc) else None


def out_argument(kernel: Function | None, array: str) -> str:
    """The argument that lets a kernel write into an array: a ufunc takes it last, which is faster than by keyword."""
    return array if isinstance(kernel, np.ufunc) and kernel not in KEYWORD_ONLY else f"out={array}"


KEYWORD_ONLY = (np.maximum, np.minimum)  # numpy warns of a third argument, because people mean a third operand
Slot = tuple[int, TensorType]  # a buffer viewed as an array of a type


class Names:
    """The names of a plan's buffers, functions and constants; ``namespace`` holds the last two."""

    helpers: ClassVar[dict[str, Any]] = {"as_writeable": as_writeable}  # functions that programs call besides kernels

    def __init__(self, plan: Plan) -> None:
        self.plan, self.dtypes = plan, {value: type.dtype.numpy for value, type in plan.types.items()}
        constants = {f"v{source.value}": source.payload for source in plan.sources if source.role == "const"}
        self.namespace: dict[str, Any] = constants | self.helpers
        self.kernel_names: dict[object, str] = {}
        self.buffers: dict[Slot, str] = {}

    @property
    def slots(self) -> list[Slot]:
        """The buffers that the program takes, in order."""
        return list(self.buffers)

    def buffer(self, slot: Slot) -> str:
        """The name of a buffer viewed as an array of a type."""
        return self.buffers.setdefault(slot, f"b{len(self.buffers)}")

    def kernel(self, step: Step) -> Function:
        """The kernel of a step's operator."""
        return forward_of(step.op, [self.dtypes[v] for v in step.ins])

    def kernel_name(self, op_name: str, forward: Function, attrs: Attrs) -> str:
        """The name of a kernel with these attributes bound; steps without attributes share one."""
        key = (op_name, len(self.kernel_names)) if attrs else id(forward)
        if key not in self.kernel_names:
            name = self.kernel_names[key] = self.free_name(op_name)
            self.namespace[name] = partial(forward, **attrs) if attrs else forward
        return self.kernel_names[key]

    def free_name(self, op_name: str) -> str:
        """The operator's name as a function name, with a number if it is already used."""
        stem = plain_name(op_name)
        return f"{stem}_{len(self.kernel_names)}" if stem in self.namespace else stem


STEP_AT = "__step_at__"  # the name in a program's globals of its ``step_at``


class SourceText(Names):
    """The source text of a plan's program, the buffers that it takes (``slots``) and the values of its names."""

    entries: tuple[str, ...] = ("run",)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        body = [*self.lines(), *self.return_lines()]  # before the prologue, which unpacks the buffers that they use
        lines: list[Line] = [*((None, line) for line in self.prologue()), *body]
        self._steps = [step for step, _ in lines]
        self.text = "".join(f"{line}\n" for _, line in lines)

    def functions(self) -> dict[str, Function]:
        """The functions that the text defines, by name: the program ``run(inputs, parameters, buffers)``."""
        # ``__name__``, so that the filter of numpy's warnings applies to programs
        module_globals: dict[str, Any] = {"__name__": __name__, STEP_AT: self.step_at} | self.namespace
        run = exec_with_source(self.text, module_globals, "run")
        # removed from their globals, to avoid a reference cycle
        return {"run": run} | {name: module_globals.pop(name) for name in self.entries if name in module_globals}

    def step_at(self, line: int) -> Step | None:
        """The step of a line of the text; the first line is 1."""
        return self._steps[line - 1]

    def prologue(self) -> list[str]:
        """The lines before the first step."""
        inputs = (f"v{source.value}" for source in self.plan.sources if source.role == "input")
        return ["def run(inputs, parameters, buffers):", *unpack_line(inputs, "inputs"), *self.unpack_lines()]

    def unpack_lines(self) -> list[str]:
        """The lines that unpack Parameters and buffers."""
        parameters = (f"v{source.value}" for source in self.plan.sources if source.role == "parameter")
        return [*unpack_line(parameters, "parameters"), *unpack_line(self.buffers.values(), "buffers")]

    def lines(self) -> Iterator[Line]:
        """A line for each step."""
        for step in self.plan.steps:
            yield step, f"    {self.line(step)}"

    def line(self, step: Step) -> str:
        """``v2 = mul(v0, v1, b0)``, or ``v3, v4, = split(v2)`` without a buffer."""
        operands, kernel, attrs = [f"v{value}" for value in step.ins], self.kernel(step), step.attrs
        if step.outs and step.outs[0] in self.plan.buffer_of:
            buffer = self.buffer((self.plan.buffer_of[step.outs[0]], step.types[0]))
            kernel = bare_ufunc(kernel) or kernel
            operands.append(out_argument(kernel, buffer))
        name = self.kernel_name(step.op.name, kernel, attrs)
        return f"{assignment_target(step)}{name}({', '.join(operands)}){comment(step)}"

    def return_lines(self) -> Iterable[Line]:
        """The lines after the last step: the return statement."""
        results = self.plan.outs, self.plan.stored.values()
        outs, stored = (", ".join(f"as_writeable(v{v})" for v in values) for values in results)
        return [(None, f"    return [{outs}], [{stored}]")]


def assignment_target(step: Step) -> str:
    """The assignment to the results of a step: ``v2 = ``, ``v3, v4, = ``, or nothing."""
    names = [f"v{out}" for out in step.outs]
    return f"{names[0]} = " if len(names) == 1 else f"{', '.join(names)}, = " if names else ""
