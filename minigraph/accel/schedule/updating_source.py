"""The text of a program with updates in place: a second function, of which no line of Python stops the first write.

``updates(parameters, buffers, made, new)`` makes iterators in C that write into ``new``, piece by piece; the program
returns in ``made`` what these read. ``minigraph.accel.schedule.commit`` goes through them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, ClassVar

from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.accel.schedule.tiled_plan import Block
from minigraph.accel.schedule.tiled_source import TiledSource
from minigraph.execute.source import Line, comment, unpacked
from minigraph.execute.steps import Step


class UpdatingSource(TiledSource):
    """The text of a tiled plan's program, with its updates if there are any."""

    entries: tuple[str, ...] = ("run", "views", "updates")
    helpers: ClassVar[dict[str, Any]] = TiledSource.helpers | {"map": map, "repeat": repeat, "zip": zip}

    def last_lines(self) -> Iterator[Line]:
        """What the program returns, and the function of updates."""
        plan = self.plan
        if not plan.updates:
            yield from super().last_lines()
            return
        updates = [line for k, block in enumerate(plan.updates) for line in self._update(f"u{k}", block)]
        self._views, self._still = self._views_once()
        made = self._made()
        yield None, self.returning(plan.given.values(), ", ".join(made))
        new = unpacked(map(self._name, plan.updated.values()), "new")
        opened = ["", "", "def updates(parameters, buffers, made, new):", *self.given(), *unpacked(made, "made"), *new]
        yield from ((None, line) for line in opened)
        yield from updates
        yield None, f"    return [{', '.join(f'u{k}' for k in range(len(plan.updates)))}]"

    def _update(self, name: str, block: Block) -> Iterator[Line]:
        """The lines of an update: an iterator over the pieces of a run of ufuncs, which no line of Python stops."""
        steps = self.plan.steps[block.first : block.last]
        names, views, _ = self._pieces_of(block, steps)
        kernels = [self._kernel(step, ufunc_of(step.op)) for step in steps]
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
        fixed = {*self.buffers.values(), *(f"v{value}" for value in self.plan.still)}
        self._lists = {name: text for name, text in lists.items() if whole[name] in fixed} | self._lists
        return lists

    def _made(self) -> list[str]:
        """The names of what updates read, but those that are known to them."""
        parameters = (f"v{source.value}" for source in self.plan.sources if source.role == "parameter")
        known = {*self.namespace, *parameters, *self.buffers.values(), *self._still}
        own = {out for step in self.plan.late for out in step.outs}
        read = (self._name(value) for step in self.plan.late for value in step.ins if value not in own)
        return [name for name in dict.fromkeys(read) if name not in known]


def zipped(name: str, calls: Sequence[tuple[Step, str, list[str]]], pieces: Collection[str]) -> Iterator[Line]:
    """The lines that give a name to an iterator over calls of kernels, one round for each piece.

    ``pieces`` are the names of lists; other operands are the same in every round.
    """
    yield None, f"    {name} = zip("
    for step, kernel, operands in calls:
        each = (operand if operand in pieces else f"repeat({operand})" for operand in operands)
        yield step, f"        map({kernel}, {', '.join(each)}),{comment(step)}"
    yield None, "    )"
