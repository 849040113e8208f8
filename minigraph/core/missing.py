"""Names that are not here: whether MindSpore has them, where else they stand, what does their job.

A module says ``from minigraph.core.missing import in_ops as __getattr__``; Python calls that function only for a
name the module has not. What MindSpore exports stands in ``mindspore_names.txt``, a list of facts.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from minigraph.core.errors import MissingImport, MissingName, nearest
from minigraph.core.lazy import resolve
from minigraph.core.location import Loc, in_expression, user_loc

VERSION = "2.10"
NAMES = Path(__file__).with_name("mindspore_names.txt")
ALIKE = 0.8  # how like its name something must be to be offered for what MindSpore has
MEANT = "did you mean '{}'?"
BESIDE = {"nn": "train"}  # of whose names MindSpore shows some in the first, too: the metrics
CLASSES = ("Tensor",)  # of whose objects MindSpore's own words are said first
PLACES = (
    "",
    "ops",
    "nn",
    "train",
    "dataset",
    "numpy",
    "context",
    "runtime",
)  # whose names may be looked for in the wrong one

# What to use for a name that is missing here, or gone from MindSpore, where no name like it is the answer.
INSTEAD = {
    "ms_function": "it was removed from MindSpore 2; use ms.jit",
    "manual_seed": "use ms.set_seed",
    "nn.Unfold": "MindSpore has no kernel for it on a CPU either; use ops.unfold",
    "Tensor.backward": "gradients come from functions: ms.grad(fn)(x)",
    "Tensor.cpu": "values are in the memory of the CPU already",
    "Tensor.cuda": "choose a device with ms.set_device",
    "Tensor.detach": "use ops.stop_gradient(x)",
    "Tensor.grad": "gradients come from functions: ms.grad(fn)(x)",
    "Tensor.itemset": "use x[place] = value",
    "Tensor.register_hook": "use ops.InsertGradientOf(hook)(x), or ops.HookBackward",
    "Tensor.relu": "use ops.relu(x)",
    "Tensor.requires_grad": "gradients are asked for where they are wanted: ms.grad(fn, grad_position)",
}


@cache
def exported() -> dict[str, frozenset[str]]:
    """The public names of MindSpore by dotted module name, ``mindspore.Tensor`` and ``mindspore.nn.Cell`` among them.

    >>> "matmul" in exported()["mindspore.ops"], "matmull" in exported()["mindspore.ops"]
    (True, False)
    """
    found: dict[str, list[str]] = {}
    for line in NAMES.read_text("utf-8").splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names += line.split()
    return {place: frozenset(names) for place, names in found.items()}


def told(place: str, name: str, known: Iterable[str], loc: Loc | None = None) -> str:
    """What to say of a name that ``place``, such as ``ops`` or ``Tensor``, has not; ``known`` are those it has.

    >>> told("nn", "Dnse", ["Dense"])
    "minigraph.nn has no 'Dnse'; did you mean 'Dense'?"
    >>> told("ops", "AllGather", [])
    'mindspore.ops.AllGather exists in MindSpore 2.10 but is not supported by minigraph; dir(ops) lists what is'
    """
    path, public = dotted(place, name), [one for one in known if not one.startswith("_")]
    if name in _exported_by(place):
        fact = f"mindspore.{path} exists in MindSpore {VERSION} but is not supported by minigraph"
        near, question = nearest(name, public, ALIKE), "the nearest name here is '{}'"
    elif place in CLASSES:
        fact, near, question = f"'{place}' object has no attribute '{name}'\n", nearest(name, public), MEANT
    else:
        fact = f"{dotted('minigraph', place)} has no '{name}'"
        near, question = nearest(name, public), MEANT
    remedy = INSTEAD.get(path) or _elsewhere(name) or (question.format(near) if near else _list_of(place))
    first, newline, last = fact.partition("\n")
    return first + newline + (last + in_expression(loc)).lstrip(" " if newline else "") + f"; {remedy}"


def _exported_by(place: str) -> frozenset[str]:
    """The names of MindSpore's module; of one without a list, those of the module it is in."""
    found = exported().get(dotted("mindspore", place))
    return found if found is not None else _exported_by(place.rpartition(".")[0])


def dotted(*parts: str) -> str:
    """Names joined by dots, empty ones left out.

    >>> dotted("mindspore", "", "jit")
    'mindspore.jit'
    """
    return ".".join(filter(None, parts))


def _list_of(place: str) -> str:
    return f"dir({place or 'minigraph'}) lists what is"


def _elsewhere(name: str) -> str | None:
    """The module that has the name, in words."""
    for module in (resolve(dotted("minigraph", place)) for place in PLACES):
        if name in {*vars(module), *getattr(module, "__all__", ())} and callable(getattr(module, name)):
            return f"it is {module.__name__}.{name}"
    return None


# ---- what Python calls -----------------------------------------------------------------------------


def missing_in(place: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of the module that stands for ``mindspore.<place>``.

    It raises an ``AttributeError``, so that ``hasattr`` is False, and an ``ImportError`` at the name of
    ``from module import name``, which would else say nothing of it.
    """

    def at(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if place in BESIDE and name in _exported_by(place) & _exported_by(BESIDE[place]):
            beside = resolve(dotted("minigraph", BESIDE[place]))
            if hasattr(beside, name):
                return getattr(beside, name)
        words = told_later(place, name, resolve(dotted("minigraph", place)))
        asking = sys._getframe(1)
        if asking.f_code.co_name == "__getattr__":  # the package's own, which looks elsewhere first
            asking = asking.f_back or asking
        raise MissingImport(words()) if _importing(asking) else MissingName(words)

    return at


def told_later(place: str, name: str, owner: object) -> Callable[[], str]:
    """The text of an error that may never be read: looking for the nearest name takes milliseconds."""
    loc = user_loc()
    return lambda: told(place, name, _names_in(owner), loc)


def _names_in(owner: object) -> list[str]:
    """What a module has, also only when it is asked for, or a class, without what it refuses."""
    names = sorted({*dir(owner), *getattr(owner, "__all__", ())})
    return [name for name in names if hasattr(owner, name)] if isinstance(owner, type) else names


def _importing(frame: FrameType) -> bool:
    """Whether a frame stands at the ``name`` of ``from module import name``."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]


class Unsupported:
    """A method that MindSpore's class has and ours has not: looking it up says so.

    A descriptor for each, because a class with a ``__getattr__`` is slower at every attribute it does have. ``late``
    names the module that attaches methods to the class: it is imported at the first look-up, and asked again.
    """

    def __init__(self, kind: str, late: str | None) -> None:
        self.kind, self.late = kind, late

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: object, owner: type) -> Any:
        if self.late is not None:
            resolve(self.late)
            if vars(self.owner)[self.name] is not self:
                return getattr(owner if instance is None else instance, self.name)
        raise MissingName(told_later(self.kind, self.name, owner))


def refuse_the_rest(owner: type, kind: str, late: str | None = None, more: Iterable[str] = ()) -> None:
    """Give a class an ``Unsupported`` for each method of ``mindspore.<kind>`` that it has not, and for ``more``."""
    gone = {path.removeprefix(f"{kind}.") for path in INSTEAD if path.startswith(f"{kind}.")}
    for name in (exported()[f"mindspore.{kind}"] | gone).union(more) - set(dir(owner)):
        setattr(owner, name, Unsupported(kind, late))
        vars(owner)[name].__set_name__(owner, name)


in_minigraph, in_ops, in_nn, in_numpy = missing_in(""), missing_in("ops"), missing_in("nn"), missing_in("numpy")
in_train, in_dataset, in_context = missing_in("train"), missing_in("dataset"), missing_in("context")
in_runtime, in_operations, in_functional = map(missing_in, ("runtime", "ops.operations", "ops.functional"))
in_communication = missing_in("communication")
in_transforms, in_vision = missing_in("dataset.transforms"), missing_in("dataset.vision")
in_common, in_dtype, in_initializer = map(missing_in, ("common", "common.dtype", "common.initializer"))
