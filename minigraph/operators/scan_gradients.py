"""The VJP of ``scan``: a scan in reverse order over the values that the loop carried.

Problem: the bits of eager mode, where each iteration is recorded. Method: reverse mode through the loop (Griewank and
Walther, "Evaluating Derivatives", 2008, chapter 4), with some iterations outside of the scan. *The last ones*: a value
that is not used after the loop has no cotangent there; a zero in its place would become NaN where a derivative is
infinite. So iterations are differentiated one by one until the set of carried values with cotangents stays the same.
*The first one*, if the tensors that the loop starts with are also used elsewhere: their cotangents are added up one by
one.

Not handled: a tensor whose rows the loop runs over and which it also uses otherwise; its cotangents are added up in
another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from minigraph.core.aliases import CallResult
from minigraph.core.autodiff.tape import full_like
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.execute.interpret import interpret
from minigraph.ir.graph import Graph
from minigraph.operators.region_gradients import (
    MAX_CACHED_BODIES,
    Bodies,
    Sums,
    as_tuple,
    cast_cotangent,
    differentiable_positions,
    differentiate,
    first_positions,
    gradient_body,
    has_integers,
    reached_inputs,
    strip_effects,
    trace_types,
)

Positions = tuple[int, ...]


def scan_vjp(
    positions: Positions, sums: Sums, g: CallResult, out: CallResult, *operands: Tensor,
    carries: int, rows: int, length: int, bodies: Bodies, reverse: bool = False,
) -> list[Tensor | None]:  # fmt: skip
    """The cotangents of the operands of a ``scan``."""
    outs, integers = as_tuple(out), has_integers([operands[p] for p in positions])
    results = zip(as_tuple(g), outs, strict=True)
    seeds = {k: cast_cotangent(s, outs[k]) for k, (s, _) in enumerate(results) if s is not None}
    seeds = {k: seeds[k] for k in differentiable_positions(outs, integers) if k in seeds}
    if not seeds:
        return [None] * len(positions)
    before = {p: s for p, s in zip(positions, sums, strict=True) if s is not None}
    backwards = _Backwards(bodies[0], operands, (carries, rows, length), reverse, integers, seeds)
    parts = backwards.run(before) if length else seeds
    wrt = differentiable_positions(operands, integers)
    parts = {p: _add(before.get(p), part) for p, part in parts.items() if p in wrt}
    return [parts.get(p) for p in positions]


def _add(before: Tensor | None, part: Tensor) -> Tensor:
    return part if before is None else before + part


class _Backwards:
    """The iterations of a scan in reverse order; ``remaining`` are still to be differentiated."""

    def __init__(
        self, body: Graph, operands: Sequence[Tensor], sizes: Positions, reverse: bool, integers: bool,
        seeds: dict[int, Tensor],
    ) -> None:  # fmt: skip
        self.body, self.operands, self.reverse = body, operands, reverse
        self.carries, self.rows, self.length = sizes
        self.remaining = self.length
        self.wrt = differentiable_positions(operands, integers)
        self.captured = frozenset(p for p in self.wrt if p >= self.carries + self.rows)
        self.cotangents = {k: s for k, s in seeds.items() if k < self.carries}
        self.stacked = {k: s for k, s in seeds.items() if k >= self.carries}  # a row for each iteration
        self.sums: dict[int, Tensor] = {}  # of the captured values
        self.row_parts: list[dict[int, Tensor]] = []  # cotangents of rows, the last iterations first
        attrs = {"carries": self.carries, "rows": self.rows, "length": self.length, "reverse": reverse}
        recording = _recording_body(body, self.carries)
        self.saved = as_tuple(apply("scan", *operands, **attrs, bodies=(recording,)))[self.carries :]
        is_row = range(self.carries, self.carries + self.rows)
        self.first = first_positions([object() if p in is_row else x for p, x in enumerate(operands)])

    def run(self, before: dict[int, Tensor]) -> dict[int, Tensor]:
        """The cotangents of the operands; those of ``before`` that are part of them are removed from it."""
        for p in self.captured:
            if self.first[p] in before and not self.carries <= self.first[p] < self.carries + self.rows:
                self.sums[p] = before.pop(self.first[p])
        starts = {p: before.pop(p) for p in range(self.carries) if p in before}
        is_shared = bool(starts) or any(q != p for p, q in enumerate(self.first))
        while self.remaining > 1 and self.length - self.remaining < self.carries and not self._is_steady():
            self._step({})
        is_alone = is_shared or (self.remaining == 1 and not self._is_steady())
        if self.remaining > is_alone:
            self._scan(self.remaining - is_alone)
        if is_alone:
            self._step(starts)
        return self.cotangents | self.sums | self._row_cotangents()

    def _reached(self) -> Positions:
        """The operands that the next iteration, backwards, passes cotangents to."""
        return reached_inputs(self.body, self.wrt, (*self.cotangents, *self.stacked))

    def _is_steady(self) -> bool:
        return [p for p in self._reached() if p < self.carries] == sorted(self.cotangents)

    def _step(self, starts: dict[int, Tensor]) -> None:
        """Differentiate one iteration; ``starts`` are cotangents of the values that the loop starts with."""
        self.remaining -= 1
        row = self.length - 1 - self.remaining if self.reverse else self.remaining
        first: tuple[int, ...] = ()
        carried = [saved[row] for saved in self.saved]
        if not self.remaining:
            first, carried = self.first, list(self.operands[: self.carries])
        rows = [xs[row] for xs in self.operands[self.carries : self.carries + self.rows]]
        values = [*carried, *rows, *self.operands[self.carries + self.rows :]]
        wrt = [p for p in self.wrt if not first or first[p] == p]
        seeds = self.cotangents | {k: s[row] for k, s in self.stacked.items()}
        body = partial(interpret, strip_effects(self.body))
        grads = zip(wrt, differentiate(body, values, wrt, seeds, starts | self.sums, first), strict=True)
        by_position = {p: grad for p, grad in grads if grad is not None}
        self.cotangents = {p: grad for p, grad in by_position.items() if p < self.carries}
        self.sums = {p: grad for p, grad in by_position.items() if p in self.captured}
        others = by_position.keys() - self.cotangents.keys() - self.sums.keys()
        self.row_parts.append({p: by_position[p][None] for p in others})

    def _scan(self, count: int) -> None:
        """Differentiate some iterations by a scan in reverse order."""
        while missing := [p for p in self._reached() if p < self.carries and p not in self.cotangents]:
            self.cotangents |= {p: full_like(self.operands[p], 0.0) for p in missing}
        cotangents = dict(sorted(self.cotangents.items()))
        reached = self._reached()
        captured = tuple(p for p in reached if p in self.captured)
        rows = tuple(p for p in reached if self.carries <= p < self.carries + self.rows)
        zeros = {p: full_like(self.operands[p], -0.0) for p in captured if p not in self.sums}  # -0.0 + x is x
        start = [*cotangents.values(), *((self.sums | zeros)[p] for p in captured)]
        position = self.length - self.remaining
        part = slice(position, position + count) if self.reverse else slice(self.remaining - count, self.remaining)
        stacks = [*self.saved, *self.operands[self.carries : self.carries + self.rows], *self.stacked.values()]
        stacks = [x if count == self.length else x[part] for x in stacks]
        back = _backward_body(self.body, self.carries + self.rows, tuple(cotangents), captured, rows, (*self.stacked,))
        results = as_tuple(apply(
            "scan", *start, *stacks, *self.operands[self.carries + self.rows :], carries=len(start), rows=len(stacks),
            length=count, reverse=not self.reverse, bodies=(back,),
        ))  # fmt: skip
        self.cotangents = dict(zip(cotangents, results, strict=False))
        self.sums |= dict(zip(captured, results[len(cotangents) :], strict=False))
        self.row_parts.append(dict(zip(rows, results[len(start) :], strict=True)))
        self.remaining -= count

    def _row_cotangents(self) -> dict[int, Tensor]:
        """The cotangents of operands whose rows the loop runs over."""
        reached = {p for parts in self.row_parts for p in parts}
        return {p: self._joined(p) for p in reached}

    def _joined(self, position: int) -> Tensor:
        xs = self.operands[position]
        parts = [parts.get(position) for parts in self.row_parts]
        if len(parts) == 1 and parts[0] is not None:
            return parts[0]
        sizes = [next(iter(parts.values())).shape[0] if parts else 1 for parts in self.row_parts]
        filled = [full_like(xs[:size], 0.0) if part is None else part for part, size in zip(parts, sizes, strict=True)]
        joined: Tensor = apply("concat", *filled[:: 1 if self.reverse else -1], axis=0)
        return joined


@lru_cache(maxsize=MAX_CACHED_BODIES)
def _backward_body(
    body: Graph, sliced: int, carried: Positions, captured: Positions, rows: Positions, stacked: Positions
) -> Graph:
    """One step backwards: the cotangents ``carried``, the sums of ``captured`` values, and the cotangents of ``rows``.

    ``sliced``: the number of inputs that differ in each iteration; ``stacked``: its results with cotangents.
    """
    gradients = gradient_body(body, (*carried, *captured, *rows), (*carried, *stacked), captured)
    ins, outs = [body.type(node) for node in body.inputs], [body.type(ref) for ref in body.outs]
    starts, seeds = [ins[p] for p in (*carried, *captured)], [outs[k] for k in stacked]

    def back(*values: Tensor) -> tuple[Tensor, ...]:
        cotangents, sums = values[: len(carried)], values[len(carried) : len(starts)]
        before, after = values[len(starts) : len(starts) + sliced], values[len(starts) + sliced :]
        return interpret(gradients, *before, *after[len(seeds) :], *cotangents, *after[: len(seeds)], *sums)

    return trace_types(f"{body.title}.backwards", back, [*starts, *ins[:sliced], *seeds, *ins[sliced:]])


@lru_cache(maxsize=MAX_CACHED_BODIES)
def _recording_body(body: Graph, carries: int) -> Graph:
    """The body whose results are its carried values and the values that it starts with."""
    copy = strip_effects(body).clone()
    copy.set_outs([*copy.outs[:carries], *copy.inputs[:carries]])
    return copy
