"""Lazy imports: the names of a package (PEP 562) and the entries of a table are imported at first use.

A package lists which module defines each name, a table which module registers each entry. So every name is known
before anything is imported: ``dir`` and iteration list all of them.
"""

from __future__ import annotations

import functools
import os
import sys
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from contextvars import Context
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from minigraph.core.errors import MinigraphError, UnknownNameError, UsageError

if not os.path.isdir(os.path.dirname(__file__)):
    raise ImportError(
        f"minigraph cannot be imported from inside an archive ({__file__}): it reads files of its own, such as chips; "
        "unpack the archive, or install it with pip"
    )

V = TypeVar("V")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPENDENCIES = ("numpy", "networkx", "graphviz", "rich", "safetensors", "numba", "llvmlite", "threadpoolctl")
PACKAGES = ("passes", "viz")  # minigraph's packages with names so common that a user's file may have the same


def find_package(name: str) -> tuple[str, ...]:
    """The folders of a package, or the file of a module, without links and without importing it; none if there is none.

    >>> [os.path.basename(os.path.dirname(folder)) for folder in find_package("networkx")], find_package("nowhere")
    (['networkx'], ())
    """
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # an import hook forbids it; a module without a spec has its name
        return ()
    if spec is None or not spec.origin:  # a folder without ``__init__.py`` of this name has no origin
        return ()
    folders = spec.submodule_search_locations
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in folders) if folders else (spec.origin,)


# also where a bundle or ``pip install --target`` has them, outside of site-packages
DEPENDENCY_PATHS = tuple(path for name in DEPENDENCIES for path in find_package(name))


def check_not_hidden(*packages: str) -> None:
    """Raise ``UsageError`` if a file of the user hides one of minigraph's top-level packages."""
    for package in packages:
        module = sys.modules.get(package)
        spec = find_spec(package) if module is None else getattr(module, "__spec__", None)
        file = getattr(spec, "origin", None)
        package_file = os.path.join(ROOT, package, "__init__")  # .py, or .pyc in an installation without source
        if file and os.path.splitext(os.path.realpath(file))[0] != os.path.realpath(package_file):
            text = f"'{file}' hides minigraph's package '{package}', because it has the same name"
            raise UsageError(f"{text}; rename the file") from None


def resolve(name: str) -> Any:
    """The object behind a late-bound name ``"module:attribute"``, or ``"module"``.

    ``minigraph`` never imports ``passes`` or ``viz``; it resolves them by name at first use. The import runs in an
    empty context, without active tracers or tapes. Raises ``UnknownNameError`` for a missing module or attribute,
    ``UsageError`` if a file of the user has the name of its package.

    >>> resolve("math:sqrt")(9.0)
    3.0
    """
    path, _, attribute = name.partition(":")
    known = {*sys.modules}
    try:
        module = Context().run(import_module, path)
        return getattr(module, attribute) if attribute else module
    except MinigraphError:
        raise
    except ModuleNotFoundError as error:
        check_not_hidden(*PACKAGES)
        if not f"{path}.".startswith(f"{error.name}."):
            raise  # something that the module itself imports is missing
        text = f"no module '{path}' behind the late-bound name '{name}'; install it or name another"
        raise UnknownNameError(text) from None
    except (AttributeError, ImportError) as error:
        check_not_hidden(*PACKAGES)
        if isinstance(error, ImportError):
            raise
        raise UnknownNameError(f"module '{path}' has no '{attribute}', late-bound as '{name}'") from None
    except BaseException:  # networkx cannot go on with an import that was interrupted: it is forgotten
        package = path.partition(".")[0]
        for new in sys.modules.keys() - known:
            if new.partition(".")[0] == package not in ("minigraph", *PACKAGES):
                del sys.modules[new]
        raise


def attach(
    package: str, names: Mapping[str, str], missing: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package with lazy imports.

    ``names`` maps each module to the names that the package takes from it, separated by spaces; "" maps to the
    package's own modules. ``missing`` is the late-bound name of a ``__getattr__`` for all other names.

    >>> look_up, names = attach("minigraph.core", {"": "op", "math": "sqrt"})
    >>> look_up("sqrt")(9.0), {"op", "sqrt"} <= set(names())
    (3.0, True)
    """
    sources = {name: f"{module}:{name}" for module, listed in names.items() if module for name in listed.split()}
    sources |= {name: f"{package}.{name}" for name in names.get("", "").split()}

    def __getattr__(name: str) -> Any:
        if name in sources:
            vars(sys.modules[package])[name] = value = resolve(sources[name])
            return value
        if missing is None or name.startswith("__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return resolve(missing)(name)

    return __getattr__, lambda: sorted({*vars(sys.modules[package]), *sources})


class cached_property(functools.cached_property[V]):
    """Without the lock of Python 3.11, which a fork could leave held: threads that compute at once get one value."""

    if not TYPE_CHECKING:  # the types of Python's own

        def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
            return self if instance is None else vars(instance).setdefault(self.attrname, self.func(instance))


class LazyTable(UserDict[str, V]):
    """A table that imports the module which registers an entry when the entry is first looked up.

    ``modules`` maps modules to the names that they register, separated by spaces, or is the late-bound name of such a
    dict; a key ``"module:attribute"`` gives the value itself. Iteration gives built-in names first, in the order of
    ``modules``, regardless of the order of imports; iterating values or items imports everything. ``data`` holds the
    entries registered so far.

    >>> table = LazyTable({"math:pi": "pi"})
    >>> table["two"] = 2
    >>> list(table), len(table.data), list(table.values())
    (['pi', 'two'], 1, [3.141592653589793, 2])
    """

    def __init__(self, modules: str | Mapping[str, str]) -> None:
        super().__init__()
        self._modules = modules

    @cached_property
    def defining_modules(self) -> dict[str, str]:
        """By built-in name: the module, or module and attribute, that defines it."""
        modules: Mapping[str, str] = resolve(self._modules) if isinstance(self._modules, str) else self._modules
        return {name: module for module, names in modules.items() for name in names.split()}

    @cached_property
    def unregistered_modules(self) -> dict[str, str]:
        """The defining modules of the names that are not registered yet."""
        return {name: module for name, module in self.defining_modules.items() if name not in self.data}

    def __getitem__(self, name: str) -> V:
        if name not in self.data and name in self.unregistered_modules:
            value = resolve(module := self.unregistered_modules[name])
            if ":" in module and name not in self.data:
                self[name] = value
        return self.data[name]

    def __setitem__(self, name: str, value: V) -> None:
        self.data[name] = value
        self.unregistered_modules.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in self.unregistered_modules

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in dict.fromkeys((*self.defining_modules, *self.data)) if name in self])

    def get_registered(self, name: str) -> V | None:
        """The entry, or ``None`` if there is none, also while the module that registers it is being imported."""
        try:
            return self[name]
        except KeyError:
            return None

    def __len__(self) -> int:
        return len(self.data) + len(self.unregistered_modules)
