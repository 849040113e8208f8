"""Recognises the differences from eager mode that the page *What @jit promises* documents, by the operators that ran.

A result that the graph computes from a branch or loop with a number on one side is a tensor; a result that is another
tensor itself on one side only is a copy; with ``capture_mode="trace"``, ``print`` prints only while it is captured.
"""

import re
from typing import NamedTuple

import numpy as np

from minigraph.capture.argument_mutation import Changed
from minigraph.capture.structure import is_tensor
from minigraph.compilation import Jitted
from minigraph.core.pytree import flatten
from minigraph.ir.graph import producer

PRINTS_ONCE = "prints only during tracing"


class Joined(NamedTuple):
    """The ids of results that branches and loops of a graph join: with a number, or with another tensor itself."""

    numbers: frozenset = frozenset()
    copies: frozenset = frozenset()


def joined_results(function, result):
    """Which tensors of the result of a call are joined in the graphs that have just run."""
    numbers, copies = set(), set()
    for entry in _entries_run(_jitted(function)):
        graph = entry.captured.graph
        for tensor, out in _outputs(entry, graph, result):
            numbers |= {id(tensor)} if any(map(_joins_number, _joins_before(graph, out))) else set()
            copies |= {id(tensor)} if _may_be_other(graph, out) else set()
    return Joined(frozenset(numbers), frozenset(copies))


def is_documented(path, eager, captured, setting):
    """Whether a line of two calls differs as the page says."""
    if path == "output":
        return setting.capture_mode == "trace" and captured.prints_once and _is_traced_text(eager, captured)
    ends = [_follow(path, call.lines) for call in (eager, captured)]
    lines = [call.lines.get(end, "") for end, call in zip(ends, (eager, captured), strict=True)]
    if ends[1] in captured.numbers:
        return _is_number_as_tensor(*lines)
    is_copy = eager.lines.get(path, "").startswith("the same as") and lines[0] == lines[1] and "Tensor" in lines[0]
    return is_copy and not captured.copies.isdisjoint((path, *ends))


def _is_traced_text(eager, captured):
    """Whether the output is empty, or equals that of eager mode except for tensors without values."""
    lines = [call.lines["output"].splitlines() for call in (eager, captured)]
    return not lines[1] or (
        len(lines[0]) == len(lines[1]) and all(a == b or "%" in b for a, b in zip(*lines, strict=True))
    )


def _follow(path, lines):
    """The path of a line, or that of the object which is the same."""
    while (line := lines.get(path, "")).startswith("the same as "):
        path = line.removeprefix("the same as ")
    return path


def _is_number_as_tensor(eager, captured):
    number, tensor = re.fullmatch(r"(?:int|float) (\S+)", eager), re.fullmatch(r"Tensor (\w+)\[\] (\S+)", captured)
    return bool(number and tensor) and np.dtype(tensor[1]).type(float(number[1])) == float(tensor[2])


# ---- graphs ----------------------------------------------------------------------------------------


def _jitted(function):
    """The jitted function that a call runs: a function itself, or that of a Cell."""
    if isinstance(function, Jitted):
        return function
    construct = function.construct
    return construct if isinstance(construct, Jitted) else function._compiled


def _entries_run(jitted):
    """The compiled programs of the latest call, including its segments."""
    if jitted.fallbacks.latest is not None:
        for segment in jitted.fallbacks.latest.segments:
            yield from _entries_run(segment)
    elif jitted._latest is not None:
        yield jitted._latest


def _outputs(entry, graph, result):
    """Pairs of a tensor in the result and the output of the graph that it is; none if the graph gave another result."""
    spec = entry.out_spec.children[0] if getattr(entry.out_spec, "kind", None) is Changed else entry.out_spec
    leaves, structure = flatten(result, is_tensor)
    return zip(leaves, graph.outs, strict=False) if spec == structure else ()


def _joins_before(graph, out):
    """(graph, node, number of the result) of the branches and loops from which an output is computed."""
    worklist, seen = [out], set()
    while worklist:
        value = worklist.pop()
        if value not in seen:
            seen.add(value)
            node = producer(value)
            if graph.regions(node):
                yield graph, node, _number(value)
            worklist += graph.ins(node)


def _number(value):
    return value[1] if isinstance(value, tuple) else 0


def _joins_number(join):
    """Whether one side of a branch, or the initial value of a loop, is a constant, or itself a join with a constant."""
    graph, node, number = join
    sides = [(region, region.outs[number]) for region in graph.regions(node) if len(region.outs) > number]
    sides += [(graph, value) for value in graph.ins(node)[number : number + 1]]
    return any(_is_constant(*side) or any(map(_joins_number, _joins_before(*side))) for side in sides)


def _is_constant(graph, value):
    worklist = [value]
    while worklist:
        node = producer(worklist.pop())
        if graph.op(node).name != "const" and not graph.ins(node):
            return False
        worklist += graph.ins(node)
    return True


def _may_be_other(graph, value):
    """Whether an output is a tensor from outside itself on one side of a branch, or before a loop."""
    node, number = producer(value), _number(value)
    sides = [(region, region.outs[number]) for region in graph.regions(node) if len(region.outs) > number]
    if number < graph.attrs(node).get("carries", 0):  # of a loop, which may run no iteration
        sides.append((graph, graph.ins(node)[number]))
    return any(not region.ins(producer(side)) or _may_be_other(region, side) for region, side in sides)
