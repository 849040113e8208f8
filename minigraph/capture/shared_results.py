"""Results of a segment of a function that share state with each other or with objects outside of the segment.

A graph gives new tensors, lists and dicts. The caller of a function may distinguish them from those of eager mode only
by ``is`` and by writing to them; the statements after a segment do so all the time.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from minigraph.capture.container_contents import MUTABLE_TYPES, nested_values
from minigraph.capture.structure import unknown_state
from minigraph.capture.tracer import NUMBER_FROM_TENSOR, Tracer, is_number_tracer
from minigraph.core.location import Loc
from minigraph.core.op import current_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.inplace import is_view, root_of

REMEDY = "copy it, or use it before"


def check_shared(result: object, seen: set[int], loc: Loc | None) -> None:
    """Raise ``UnknownStateError`` for a variable that later statements could distinguish from its value in eager mode.

    ``seen`` are the ids of the tensors in other results, those of roots of views negative; those of this one are added.
    """
    for item in nested_values(result):
        if isinstance(item, Tensor):
            _check_tensor(item, seen, loc)
        elif isinstance(item, MUTABLE_TYPES) and type(item) not in (list, dict):
            raise unknown_state(f"a {type(item).__name__} is created that later statements use", REMEDY, loc)
        elif hasattr(type(item), "owns_memory"):  # a host array
            if id(item) in seen or not item.owns_memory:
                raise unknown_state("a numpy array may share memory with what later statements use", REMEDY, loc)
            seen.add(id(item))
        elif isinstance(item, FunctionType) and item.__closure__:
            text = "a function is defined that later statements call"
            raise unknown_state(text, "define it outside of the function", loc)


def check_class(tensor: Tensor, loc: Loc | None) -> None:
    """Raise ``UnknownStateError`` for a result that is or may be a Parameter, which a graph would give as a Tensor."""
    tracing: Any = current_interpreter()
    others = tracing.joined.get(id(tensor), (tensor, ()))[1]
    classes = [other.class_in_eager_mode() if isinstance(other, Tracer) else type(other) for other in others]
    classes += [type(tensor)] if id(tensor) in tracing.created else []
    if any(kind is not Tensor for kind in classes):
        raise unknown_state("a result is a Parameter that is new, or only that of one branch", REMEDY, loc)


def check_contents(items: object) -> None:
    """Raise ``UnknownStateError`` if a list or dict among the arguments is given an item that may be another tensor."""
    tracing: Any = current_interpreter()
    for item in nested_values(items):
        if isinstance(item, Tensor) and id(root_of(item)) in tracing.joined:
            raise unknown_state("an argument holds a tensor that may be another one, after a branch or loop", REMEDY)


def may_share(result: object) -> bool:
    """Whether a variable is a view or a container; errors name such a variable if two share a tensor."""
    return not isinstance(result, Tensor) or is_view(result)


def _check_tensor(tensor: Tensor, seen: set[int], loc: Loc | None) -> None:
    """Raise ``UnknownStateError`` for a view, a tensor in two results, and a value that is a number in eager mode."""
    tracing: Any = current_interpreter()
    if is_number_tracer(tensor):
        raise unknown_state(NUMBER_FROM_TENSOR, "give both branches the same number", loc)
    root: Any = root_of(tensor)
    if root is not tensor and not tracing.owns(root):
        raise unknown_state("a variable is a view of a tensor that is used elsewhere", REMEDY, loc)
    if id(root) in tracing.joined:
        raise unknown_state("a variable may be another tensor, after a branch or loop", REMEDY, loc)
    if -id(root) in seen or (root is not tensor and id(root) in seen):
        raise unknown_state("two variables have one tensor", REMEDY, loc)
    seen.add(id(root) if root is tensor else -id(root))
