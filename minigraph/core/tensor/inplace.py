"""Writing into tensors: ``x[key] = value``, and who else sees it.

A view shows memory of the tensor it was made of: ``v = x[0:2]`` and ``x.T`` change when x does, and x changes
when they do. Values themselves are never changed, for tapes and graphs hold them. Instead every tensor knows
its views, every view its root and the operators between, and a write gives all of them new values, made by
operators. So it is differentiated, captured and drawn like everything else.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.errors import TypeArgument
from minigraph.core.location import located
from minigraph.core.op import Attrs, Op, apply, forward_of
from minigraph.core.tensor.operator_methods import Operand, index_key

NOT_COPIED = ("__weakref__", "form", "viewed", "views")  # slots that a copy of a tensor does not take along
FEW = 32  # views of a tensor, before the dead ones among them are looked for


class Step(NamedTuple):
    """How a view came about: the step before (``None``: the root itself), the operator, which of its results."""

    before: Step | None
    op: Op
    attrs: Attrs
    result: int

    def of(self, value: Any) -> Any:
        """The same view of another value of the tensor it shows."""
        out = apply(self.op, value, **self.attrs)
        return out[self.result] if isinstance(out, tuple) else out


def note_views(op: Op, base: Any, attrs: Attrs, out: Any) -> None:
    """Remember that the results of a view operator show elements of ``base``."""
    for result, view in enumerate(out if out.__class__ is tuple else (out,)):
        note_view(base, view, Step(None, op, attrs, result))


def note_view(base: Any, view: Any, step: Step) -> None:
    """Remember that ``view`` shows elements of ``base``, which ``step`` picks as from a root."""
    seen = getattr(base, "viewed", _UNSEEN)
    root = base
    if seen is _UNSEEN:
        base.viewed, base.views = None, []
    elif seen is not None:
        root, before = seen
        step = _new_tuple(Step, (before, *step[1:]))  # Step(...) would take twice as long
    view.viewed = root, step
    known = root.views
    if len(known) >= FEW and len(known) & (len(known) - 1) == 0:  # at powers of two: rarely, but often enough
        known[:] = [ref for ref in known if ref() is not None]
    known.append(_ref(view))


_new_tuple, _ref = tuple.__new__, weakref.ref
_UNSEEN: Any = object()  # of a tensor without views: the slot of one that has some is not empty, which is found sooner


def is_view(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether the result of a view operator shows memory: picking by index tensors copies."""
    return len(args) == 1 or op.role == "depend"


def no_view(tensor: Any) -> Any:
    """The tensor, as one of its own: writing to what it was a view of leaves it as it is, and the other way round."""
    if is_viewing(tensor):
        del tensor.viewed
    return tensor


def is_viewing(tensor: Any) -> bool:
    """Whether a tensor shows elements of another."""
    return getattr(tensor, "viewed", None) is not None


def write(target: Any, key: Any, value: Any) -> None:
    """``target[key] = value``; the root of ``target`` and all its views take the new value over.

    Raises what the operator ``set_item`` says of a value that does not fit, ``TypeError`` for a numpy array.
    """
    if isinstance(value, np.ndarray):
        text = f"only support numbers, Tensor, tuple, list as value, but got {value} with type {type(value)}"
        raise located(TypeArgument(f"{text}\nx[...] = value: a numpy array is no tensor; wrap it in Tensor(...)"))
    operands, encoded = index_key(key)
    root, last = getattr(target, "viewed", None) or (target, None)
    if last is None:
        _spread(root, apply("set_item", root, value, *operands, key=encoded))
        return
    places = apply("index", root.from_numpy(_positions(root.shape, last)), *operands, key=encoded)
    flat = apply("set_item", apply("reshape", root, shape=(-1,)), value, places, key=(Operand(1),))
    _spread(root, apply("reshape", flat, shape=root.shape))


def renew(target: Any, value: Any) -> None:
    """Give a whole tensor a new value of its type."""
    if is_viewing(target):
        write(target, ..., value)
    else:
        _spread(target, value)


def _spread(root: Any, value: Any) -> None:
    """Give a root its new value, and its views theirs."""
    _assign(root, value)
    for view in _live_views(root):
        fresh: Any = root
        for step in _steps(view.viewed[1]):
            fresh = step.of(fresh)
        _assign(view, fresh)


def _positions(shape: tuple[int, ...], last: Step) -> np.ndarray:
    """Which elements of a root of this shape a view shows, by their place in C order."""
    places: Any = np.arange(math.prod(shape)).reshape(shape)
    for step in _steps(last):
        places = forward_of(step.op)(places, **step.attrs)
        places = places[step.result] if isinstance(places, tuple) else places
    return np.asarray(places)


def _steps(last: Step | None) -> Iterator[Step]:
    """The steps from the root to a view, the first one first."""
    found = []
    while last is not None:
        found.append(last)
        last = last.before
    return reversed(found)


def _live_views(root: Any) -> list[Any]:
    """The views of a root that somebody still holds, without those of a graph that is finished."""
    found = (ref() for ref in getattr(root, "views", ()))
    return [view for view in found if view is not None and is_viewing(view) and not view.closed]


def _assign(target: Any, value: Any) -> None:
    apply("assign", target, value, name=name_of(target))


def name_of(target: Any) -> str:
    """What an assignment calls its target: a Parameter's name."""
    return str(getattr(target, "name", "tensor"))


def shares_memory(written: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Whether what a function writes to, leaves by their places or other tensors, may lie in the memory of a leaf."""
    targets = [(target, leaves[target]) if isinstance(target, int) else (None, target) for target in written]
    return any(
        at != place and np.may_share_memory(target.array, leaf.array)
        for place, target in targets
        for at, leaf in enumerate(leaves)
    )


def written_back(written: Sequence[Any], leaves: Sequence[Any], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Give the tensors that a function writes to their new values, the last outputs; returns the others."""
    first = len(outs) - len(written)
    for target, value in zip(written, outs[first:], strict=True):
        renew(leaves[target] if isinstance(target, int) else target, value)
    return outs[:first]
