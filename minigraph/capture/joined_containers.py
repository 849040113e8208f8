"""Lists and dicts that a branch or a loop on a tensor chooses.

Problem: in eager mode a variable is one of two lists after an ``if``, and a change in place through it is a change of
that list under all its names. In a graph the join of the two is a third list with the joined items. Method: may-alias
facts of a data-flow analysis (Aho et al., *Compilers*, chapter 12), as for tensors in ``joined_values``. A list that
existed before the branch or loop, or has two names, may be known elsewhere; if the function's code may change lists or
dicts in place, store objects or compare them, the graph is refused. Invariant: a list that a graph joins is new to the
program, or nothing in the program shows which list it is. Not handled: a joined list that is a result is a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minigraph.capture.bytecode import asks_identity, may_change_objects
from minigraph.capture.structure import unknown_state
from minigraph.capture.tracer import outermost_trace
from minigraph.core.aliases import PyTree
from minigraph.core.op import current_interpreter

REMEDY = "choose in Python, or change it inside of each branch"
CONTAINERS = (list, dict)


def containers_in(value: PyTree) -> Iterator[list[Any] | dict[Any, Any]]:
    """The lists and dicts in a structure, outer ones first."""
    if isinstance(value, CONTAINERS):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from containers_in(item)


def is_same_container(values: Sequence[PyTree]) -> bool:
    """Whether all alternatives are one list or dict, which a join keeps."""
    return isinstance(values[0], CONTAINERS) and all(value is values[0] for value in values)


def refuse_joined_containers(
    variables: Iterable[Sequence[PyTree]], existed: Callable[[object], bool] = lambda container: True
) -> None:  # fmt: skip
    """Raise ``UnknownStateError`` if a join would replace a list or dict that the program may tell from the new one.

    ``variables`` are the alternatives of each; ``existed``: whether a container is older than the branch or loop.
    """
    columns = [values for values in variables if not is_same_container(values)]
    for alternative in zip(*columns, strict=True):
        seen = set[int]()
        for container in (part for value in alternative for part in containers_in(value)):
            if (existed(container) or id(container) in seen) and _shows_objects():
                text = f"a {type(container).__name__} is chosen by a branch or loop on a tensor"
                raise unknown_state(f"{text}, and may be changed or compared", REMEDY)
            seen.add(id(container))


def _shows_objects() -> bool:
    """Whether the captured function may change objects in place, store or compare them; found out once."""
    tracing = outermost_trace(current_interpreter())
    if tracing.shows_objects is None:
        functions = tracing.functions
        tracing.shows_objects = functions is None or may_change_objects(functions) or asks_identity(functions)
    return bool(tracing.shows_objects)
