"""Code generation of fused loops: the Python text of one loop nest for several elementwise steps and reductions.

::

    def loop(a0, a1, out):
        for i in range(out.shape[0]):
            x0 = a0[i]
            for j in range(out.shape[1]):
                x1 = a1[i, j]
                t0 = float32(x0 * x1)
                out[i, j] = float32(t0 + x1)

Problem: numpy writes every intermediate result to memory and reads it back. Loop fusion with scalar replacement keeps
it in a register (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, ch. 8); which steps are fused is
decided by the pass ``fuse_loops``. The method, by parts:

- Loop collapsing: neighbouring axes that every operand either has or repeats are one axis, so most nests are one loop.
- Loop distribution into sweeps: steps that read the result of a reduction run in a further sweep over the reduced axes
  (a softmax takes three). A value computed in one sweep and read in a later one is kept in an array as long as a row
  (scalar expansion, ibid. ch. 5). So are values between dependent polynomials, because a long dependency chain exceeds
  the processor's instruction window.
- Strip-mining: where there are no rows, ``strips`` calls the loop for ``STRIP_ELEMENTS`` at a time, so that these
  arrays stay in the cache.

Invariants: each step is computed once per element and rounded to its dtype; the elements of a reduction are accumulated
in index order, but the compiler may reassociate a sum. Names are numbered and expressions come from records, so that no
text of a graph reaches the compiler. Not handled: reductions over other than the last axes, operands with gaps (the
caller copies them), and loop interchange.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.accel.loops.axes import INDICES, axes_of, indentation, index_of, owned_axes, size_of
from minigraph.core.machine import CACHED_ROW_BYTES, STRIP_ELEMENTS
from minigraph.core.types import Shape, TensorType
from minigraph.execute.plan import Step
from minigraph.operators.scalar_expressions import REDUCTIONS, SCALARS

_OPERAND = re.compile(r"\b[nxyz]\b")


class Body(NamedTuple):
    """The steps of a fused loop: elementwise in ``shape``, reducing its last ``trailing`` axes, or on the outer axes.

    ``operands`` are the values read from outside, ``results`` those read outside.
    """

    steps: tuple[Step, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    shape: Shape
    trailing: int = 0


class Loop(NamedTuple):
    """A loop: its ``text``, the dtype and rank of each array (``signature``), and the shapes to pass them in.

    Arrays are the operands, then the results (``results`` is their number), then buffers of a row each (``rows`` are
    their shapes and dtypes). A shape has -1 for the axis that is tiled.
    """

    text: str
    signature: tuple[tuple[str, int], ...]
    shapes: tuple[Shape, ...]
    results: int = 1
    rows: tuple[tuple[Shape, str], ...] = ()


def loop_of(body: Body, types: Mapping[int, TensorType]) -> Loop:
    """The loop of a body; ``types`` are the types of its operands."""
    return _LoopWriter(body, types).loop()


class _LoopWriter:
    """Generates the text of one loop.

    ``ready`` is by value the sweep over the inner axes that computes it; of the result of a reduction, and of steps on
    the outer axes, the first sweep that may read it.
    """

    def __init__(self, body: Body, types: Mapping[int, TensorType]) -> None:
        self.body, self.types = body, dict(types) | {step.outs[0]: step.types[0] for step in body.steps}
        leading = len(body.shape) - body.trailing
        row = body.shape[:leading] + (1,) * body.trailing
        shapes = [types[value].shape for value in body.operands]
        self.axes = axes_of(body.shape, [*shapes, row] if body.trailing else shapes)
        self.outer = sum(group[0] < leading for group in self.axes) if body.trailing else 0
        self.owned = {value: owned_axes(types[value].shape, self.axes, body.shape) for value in body.operands}
        self.names = {value: f"x{k}" for k, value in enumerate(body.operands)}
        self.names |= {step.outs[0]: f"t{k}" for k, step in enumerate(body.steps)}
        self.rows = {s.outs[0] for s in body.steps if s.op in REDUCTIONS or s.types[0].shape != body.shape}
        self.strips = len(self.axes) == 1 and not body.trailing
        self.ready = self._sweeps(self.strips or self._has_short_rows())
        late = (value for step in body.steps for value in step.ins if self._is_read_later(value, step))
        self.buffered = list(dict.fromkeys(late))
        single = len(body.results) == 1
        self.stored = {value: "out" if single else f"out{k}" for k, value in enumerate(body.results)}

    def _has_short_rows(self) -> bool:
        itemsize = max(step.types[0].dtype.itemsize for step in self.body.steps)
        length = math.prod(self.body.shape[len(self.body.shape) - self.body.trailing :])
        return self.body.trailing > 0 and length * itemsize <= CACHED_ROW_BYTES

    def _sweeps(self, distribute: bool) -> dict[int, int]:
        """``ready``; with ``distribute`` a polynomial that depends on another one starts a new sweep."""
        ready, after_polynomial = dict.fromkeys(self.body.operands, 0), set[int]()  # the latter in its own sweep
        for step in self.body.steps:
            sweep = max((ready[value] for value in step.ins), default=0)
            is_polynomial = step.op in SCALARS and not SCALARS[step.op].exact and distribute
            depends = any(value in after_polynomial and ready[value] == sweep for value in step.ins)
            ready[step.outs[0]] = sweep + (step.op in REDUCTIONS or (is_polynomial and depends))
            if is_polynomial or (depends and step.op not in REDUCTIONS):
                after_polynomial.add(step.outs[0])
        return ready

    def _sweep(self, step: Step) -> int:
        """The sweep in which, or before which, a step is computed."""
        return self.ready[step.outs[0]] - (step.op in REDUCTIONS)

    def _is_read_later(self, value: int, step: Step) -> bool:
        """Whether a value is computed in an earlier sweep than ``step``, which reads it."""
        is_inner = value not in self.rows and value not in self.owned and self._is_inner(step)
        return is_inner and self.ready[value] < self._sweep(step)

    def _is_inner(self, step: Step) -> bool:
        return step.op in REDUCTIONS or step.outs[0] not in self.rows

    # ---- the whole ---------------------------------------------------------------------------------

    def loop(self) -> Loop:
        """Text, signature and shapes."""
        arrays = [f"a{k}" for k in range(len(self.owned))] + list(self.stored.values())
        arrays += [f"s{k}" for k in range(len(self.buffered))]
        self.strips = self.strips and bool(self.buffered)
        text = "\n".join([f"def loop({', '.join(arrays)}):", *self._lines(), *self._strips(arrays)]) + "\n"
        axes_by_array = [*self.owned.values(), *(self._axes_of_result(value) for value in self.body.results)]
        shapes = tuple(tuple(size_of(self.axes[k], self.body.shape) for k in axes) for axes in axes_by_array)
        inner = tuple(math.prod(self.body.shape[axis] for axis in group) for group in self.axes[self.outer :])
        inner = (min(STRIP_ELEMENTS, *inner),) if self.strips else inner
        rows = tuple((inner, self._dtype(value)) for value in self.buffered)
        values = *self.body.operands, *self.body.results
        signature = [(self._dtype(value), len(shape)) for value, shape in zip(values, shapes, strict=True)]
        signature += [(dtype, len(shape)) for shape, dtype in rows]
        return Loop(text, tuple(signature), shapes, len(self.stored), rows)

    def _axes_of_result(self, value: int) -> tuple[int, ...]:
        """The loop's axes that a result has."""
        return tuple(range(self.outer if value in self.rows else len(self.axes)))

    def _dtype(self, value: int) -> str:
        return str(self.types[value].dtype.numpy)

    def _lines(self) -> Iterator[str]:
        for depth in range(self.outer + 1):
            yield from self._loads(depth, self.body.operands)
            if depth < self.outer:
                yield self._head(depth)
        last = max(self.ready.values())
        for sweep in range(last + 1):
            yield from self._outer_lines(sweep)
            yield from self._inner_loop(sweep)

    def _strips(self, arrays: Sequence[str]) -> Iterator[str]:
        """The function that calls the loop strip by strip."""
        if self.strips:
            is_whole = (
                [not own for own in self.owned.values()] + [False] * len(self.stored) + [True] * len(self.buffered)
            )
            parts = (a if all_ else f"{a}[i:i + {STRIP_ELEMENTS}]" for a, all_ in zip(arrays, is_whole, strict=True))
            yield f"def strips({', '.join(arrays)}):"
            yield self._head(0).replace("range(", "range(0, ").replace("):", f", {STRIP_ELEMENTS}):")
            yield f"{indentation(1)}loop({', '.join(parts)})"

    # ---- sweeps ------------------------------------------------------------------------------------

    def _outer_lines(self, sweep: int) -> Iterator[str]:
        """The steps on the outer axes, which read results of reductions, before a sweep."""
        for step in self.body.steps:
            if not self._is_inner(step) and self._sweep(step) == sweep:
                yield indentation(self.outer) + f"{self.names[step.outs[0]]} = {self._expression(step)}"
                yield from self._store(step.outs[0], self.outer)

    def _inner_loop(self, sweep: int) -> Iterator[str]:
        """One sweep over the inner axes: the reduced ones, or all of them where none is reduced."""
        steps = [step for step in self.body.steps if self._is_inner(step) and self._sweep(step) == sweep]
        reductions = [step for step in steps if step.op in REDUCTIONS]
        read = {value for step in steps for value in step.ins}
        loaded = [k for k, v in enumerate(self.buffered) if v in read and self.ready[v] < sweep]
        if not steps:
            return
        yield from (f"{indentation(self.outer)}{self._accumulator(step)} = {self._start(step)}" for step in reductions)
        for depth in range(self.outer, len(self.axes)):
            yield self._head(depth)
            yield from self._loads(depth + 1, [value for value in self.body.operands if value in read])
        inner = indentation(len(self.axes))
        yield from (f"{inner}{self.names[self.buffered[k]]} = s{k}[{self._inner_index()}]" for k in loaded)
        for step in steps:
            yield from self._inner_lines(step, steps)
        for reduction in reductions:
            yield indentation(self.outer) + self._end(reduction)
            yield from self._store(reduction.outs[0], self.outer)

    def _inner_lines(self, step: Step, steps: Sequence[Step]) -> Iterator[str]:
        """One step on each element."""
        indent, value = indentation(len(self.axes)), step.outs[0]
        if step.op in REDUCTIONS:
            yield indent + self._reduction_step(step)
        elif value in self.stored and not any(value in other.ins for other in self.body.steps):
            yield f"{indent}{self._target(value)} = {self._expression(step)}"
        else:
            yield f"{indent}{self.names[value]} = {self._expression(step)}"
            yield from self._store(value, len(self.axes))
            if value in self.buffered:
                yield f"{indent}s{self.buffered.index(value)}[{self._inner_index()}] = {self.names[value]}"

    # ---- lines -------------------------------------------------------------------------------------

    def _head(self, depth: int) -> str:
        owners = [*self.stored.items(), *((value, f"a{k}") for k, value in enumerate(self.owned))]
        array, own = next((a, own) for v, a in owners if depth in (own := self.owned.get(v) or self._axes_of_result(v)))
        return f"{indentation(depth)}for {INDICES[depth]} in range({array}.shape[{own.index(depth)}]):"

    def _loads(self, depth: int, values: Sequence[int]) -> Iterator[str]:
        for k, (value, own) in enumerate(self.owned.items()):
            if value in values and (own[-1] + 1 if own else 0) == depth:
                yield f"{indentation(depth)}{self.names[value]} = a{k}[{index_of(own)}]"

    def _store(self, value: int, depth: int) -> Iterator[str]:
        if value in self.stored:
            yield f"{indentation(depth)}{self._target(value)} = {self.names[value]}"

    def _target(self, value: int) -> str:
        return f"{self.stored[value]}[{index_of(self._axes_of_result(value))}]"

    def _inner_index(self) -> str:
        return index_of(range(self.outer, len(self.axes)))

    def _expression(self, step: Step) -> str:
        ins = dict(zip("xyz", [self.names[value] for value in step.ins], strict=False))
        return f"{self._dtype(step.outs[0])}({_substitute(SCALARS[step.op].text, ins)})"

    # ---- reductions --------------------------------------------------------------------------------

    def _accumulator(self, step: Step) -> str:
        return "f" + self.names[step.outs[0]][1:]

    def _accumulator_dtype(self, step: Step) -> np.dtype:
        dtype = step.types[0].dtype.numpy
        return np.dtype(np.float64 if dtype.kind == "f" else np.int64) if REDUCTIONS[step.op].wide else np.dtype(dtype)

    def _start(self, step: Step) -> str:
        dtype = self._accumulator_dtype(step)
        limits = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return f"{dtype}({dict(zip(('lowest', 'highest'), limits, strict=True)).get(REDUCTIONS[step.op].start, 0)})"

    def _reduction_step(self, step: Step) -> str:
        dtype, accumulator = self._accumulator_dtype(step), self._accumulator(step)
        operands = {"x": accumulator, "y": f"{dtype}({self.names[step.ins[0]]})"}
        return f"{accumulator} = {dtype}({_substitute(REDUCTIONS[step.op].text, operands)})"

    def _end(self, step: Step) -> str:
        sizes = [self._head(depth).partition("range(")[2][:-2] for depth in range(self.outer, len(self.axes))]
        result = _substitute(REDUCTIONS[step.op].end, {"x": self._accumulator(step), "n": f"({' * '.join(sizes)})"})
        return f"{self.names[step.outs[0]]} = {self._dtype(step.outs[0])}({result})"


def _substitute(text: str, names: Mapping[str, str]) -> str:
    """An expression of a record, with its operands replaced by names."""
    return _OPERAND.sub(lambda match: names[match[0]], text)
