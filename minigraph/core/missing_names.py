"""Errors for missing names: whether MindSpore has the name, which other module has it, what to use instead.

A module writes ``from minigraph.core.missing_names import ops_getattr as __getattr__``; Python calls that function only
for a name that the module does not define. The names that MindSpore exports are listed in ``mindspore_names.txt``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from minigraph.core.errors import MissingImportError, MissingNameError, UsageError, nearest
from minigraph.core.lazy import PACKAGES, check_not_hidden, resolve
from minigraph.core.location import Loc, expression_text, user_loc

VERSION = "2.10"
NAMES_FILE = Path(__file__).with_name("mindspore_names.txt")
MIN_SIMILARITY = 0.8  # of a name that is suggested for one that MindSpore has
DID_YOU_MEAN = "did you mean '{}'?"
# MindSpore exports some names of other modules, such as metrics, from the first, too
ALSO_EXPORTS = {"": ("train", "runtime", "ops"), "nn": ("train",), "ops.functional": ("ops",)}
MOVED = {"nn.get_metrics": "minigraph.train:get_metrics"}  # names of MindSpore's that another module of ours has
IS_IMPORT_FROM = "minigraph.core.bytecode:is_import_from"  # imported when a name is missing
REFUSAL = "minigraph.core.refused_names:reason_of_refusal"
CLASSES = ("Tensor",)  # whose errors begin with MindSpore's own text
# where a name that is missing in one of them is looked up
SEARCHED_MODULES = ("", "ops", "nn", "train", "dataset", "numpy", "context", "runtime", "op", "npu")
# The remedy for a name that minigraph lacks, or that MindSpore removed, where no similar name is the answer.
REMEDIES = {
    "ms_function": "it was removed from MindSpore 2; use ms.jit",
    "passes": "it is a package of its own: import passes",
    "viz": "it is a package of its own: import viz",
    "nn.Unfold": "MindSpore has no kernel for it on a CPU either; use ops.unfold",
    "Tensor.backward": "gradients come from functions: ms.grad(fn)(x)",
    "Tensor.cpu": "values are already in CPU memory",
    "Tensor.cuda": "choose a device with ms.set_device",
    "Tensor.detach": "use ops.stop_gradient(x)",
    "Tensor.grad": "gradients come from functions: ms.grad(fn)(x)",
    "Tensor.itemset": "use x[index] = value",
    "Tensor.relu": "use ops.relu(x)",
    "Tensor.requires_grad": "choose what to differentiate in the call: ms.grad(fn, grad_position)",
}


@cache
def mindspore_exports() -> dict[str, frozenset[str]]:
    """The public names of MindSpore by dotted module name, ``mindspore.Tensor`` and ``mindspore.nn.Cell`` among them.

    >>> "matmul" in mindspore_exports()["mindspore.ops"], "matmull" in mindspore_exports()["mindspore.ops"]
    (True, False)
    """
    exports: dict[str, list[str]] = {}
    for line in NAMES_FILE.read_text("utf-8").splitlines():
        if line.startswith("["):
            names = exports.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names += line.split()
    return {module: frozenset(names) for module, names in exports.items()}


def missing_name_message(owner: str, name: str, known: Iterable[str], loc: Loc | None = None) -> str:
    """The message for a name that ``owner``, such as ``ops`` or ``Tensor``, lacks; ``known`` are the names it has.

    >>> missing_name_message("nn", "Dnse", ["Dense"])
    "minigraph.nn has no 'Dnse'; did you mean 'Dense'?"
    >>> print(missing_name_message("ops", "Dilation2D", []).replace("; ", "\\n"))
    mindspore.ops.Dilation2D exists in MindSpore 2.10 but is not supported by minigraph
    MindSpore has no kernel for it on a CPU
    """
    path, public = dotted_name(owner, name), [candidate for candidate in known if not candidate.startswith("_")]
    if name in _exported_by(owner):
        fact = f"mindspore.{path} exists in MindSpore {VERSION} but is not supported by minigraph"
        suggested, question = nearest(name, public, MIN_SIMILARITY), "the nearest name in minigraph is '{}'"
    elif owner in CLASSES:
        fact, suggested, question = f"'{owner}' object has no attribute '{name}'\n", nearest(name, public), DID_YOU_MEAN
    else:
        fact = f"{dotted_name('minigraph', owner)} has no '{name}'"
        suggested, question = nearest(name, public), DID_YOU_MEAN
    suggestion = question.format(suggested) if suggested else f"dir({owner or 'minigraph'}) lists what is"
    remedy = REMEDIES.get(path) or _other_module(name) or resolve(REFUSAL)(path) or suggestion
    first, newline, last = fact.partition("\n")
    return first + newline + (last + expression_text(loc)).lstrip(" " if newline else "") + f"; {remedy}"


def _exported_by(owner: str) -> frozenset[str]:
    """The names that MindSpore's module exports; for a module that is not listed, the names of its parent."""
    names = mindspore_exports().get(dotted_name("mindspore", owner))
    return names if names is not None else _exported_by(owner.rpartition(".")[0])


def dotted_name(*parts: str) -> str:
    """Names joined by dots, empty ones left out.

    >>> dotted_name("mindspore", "", "jit")
    'mindspore.jit'
    """
    return ".".join(filter(None, parts))


def _other_module(name: str) -> str | None:
    """A remedy that names the module which has the name."""
    modules = [resolve(dotted_name("minigraph", path)) for path in SEARCHED_MODULES]
    with suppress(UsageError):  # a file of the user hides them
        check_not_hidden(*PACKAGES)
        modules += map(resolve, PACKAGES)
    for module in modules:
        if name in {*vars(module), *getattr(module, "__all__", ())} and callable(getattr(module, name)):
            return f"it is {module.__name__}.{name}"
    return None


# ---- module and class attributes -------------------------------------------------------------------


def missing_name_getattr(path: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of the module that corresponds to ``mindspore.<path>``.

    It raises an ``AttributeError``, so that ``hasattr`` is False, but an ``ImportError`` for ``from module import
    name``, where Python would replace the message of an ``AttributeError``.
    """

    def module_getattr(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        package = dotted_name("minigraph", path)
        if module := sys.modules.get(f"{package}.{name}"):  # an interrupt ended the import of its package, not its own
            return module
        if moved := MOVED.get(dotted_name(path, name)):
            return resolve(moved)
        for also in ALSO_EXPORTS.get(path, ()):
            other = resolve(dotted_name("minigraph", also)) if name in _exported_by(path) & _exported_by(also) else None
            if hasattr(other, name):
                return getattr(other, name)
        message = lazy_message(path, name, resolve(package))
        caller = sys._getframe(1)
        if caller.f_code.co_name == "__getattr__":  # the package's own, which looks in other modules first
            caller = caller.f_back or caller
        raise MissingImportError(message()) if resolve(IS_IMPORT_FROM)(caller) else MissingNameError(message)

    return module_getattr


def lazy_message(path: str, name: str, owner: object) -> Callable[[], str]:
    """A function that builds the message when it is read: finding the nearest name takes milliseconds."""
    loc = user_loc()
    return lambda: missing_name_message(path, name, _names_in(owner), loc)


def _names_in(owner: object) -> list[str]:
    """The names of a module, lazy ones included, or of a class, without its ``MissingAttribute`` attributes."""
    names = sorted({*dir(owner), *getattr(owner, "__all__", ())})
    return [name for name in names if hasattr(owner, name)] if isinstance(owner, type) else names


class MissingAttribute:
    """A descriptor for a method that MindSpore's class has and ours lacks: looking it up raises ``MissingNameError``.

    One descriptor per method, because a ``__getattr__`` would slow down every attribute that the class does have.
    ``late`` is the module that attaches methods to the class; it is imported at the first look-up, which is repeated.
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
        raise MissingNameError(lazy_message(self.kind, self.name, owner))


def add_unsupported_methods(owner: type, kind: str, late: str | None = None, more: Iterable[str] = ()) -> None:
    """Give a class a ``MissingAttribute`` for each method of ``mindspore.<kind>`` that it lacks, and for ``more``."""
    removed = {path.removeprefix(f"{kind}.") for path in REMEDIES if path.startswith(f"{kind}.")}
    for name in (mindspore_exports()[f"mindspore.{kind}"] | removed).union(more) - set(dir(owner)):
        setattr(owner, name, MissingAttribute(kind, late))
        vars(owner)[name].__set_name__(owner, name)


(
    minigraph_getattr, ops_getattr, nn_getattr, numpy_getattr, train_getattr, dataset_getattr, context_getattr,
    runtime_getattr, operations_getattr, functional_getattr, communication_getattr, mindrecord_getattr,
    profiler_getattr,
) = map(missing_name_getattr, (
    "", "ops", "nn", "numpy", "train", "dataset", "context", "runtime", "ops.operations", "ops.functional",
    "communication", "mindrecord", "profiler",
))  # fmt: skip
transforms_getattr, vision_getattr, text_getattr, audio_getattr = map(
    missing_name_getattr, ("dataset.transforms", "dataset.vision", "dataset.text", "dataset.audio")
)
common_getattr, dtype_getattr, initializer_getattr = map(
    missing_name_getattr, ("common", "common.dtype", "common.initializer")
)
