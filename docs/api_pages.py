"""The API reference: a directive of autodoc for every public name, by module."""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from minigraph import types

PACKAGES = ("minigraph", "passes", "viz")
MAX_NAMES = 120  # of a page; a module with more has a page for each module that defines some of them
MAX_VALUE = 60  # characters of a constant that are shown
CHAPTERS = {"functional": "Functions:", "operations": "Primitives:", "layer": "Layers:", "loss": "Losses:"}  # by folder
# The modules whose public names are the API; other paths of MindSpore's lead to the same names.
MODULES = [
    "minigraph", "minigraph.amp", "minigraph.common.initializer", "minigraph.communication", "minigraph.context",
    "minigraph.dataset", "minigraph.dataset.audio", "minigraph.dataset.config", "minigraph.dataset.debug",
    "minigraph.dataset.text",
    "minigraph.dataset.transforms",
    "minigraph.dataset.vision", "minigraph.errors", "minigraph.experimental.optim",
    "minigraph.experimental.optim.lr_scheduler", "minigraph.lessons", "minigraph.mindrecord", "minigraph.mint",
    "minigraph.mint.linalg", "minigraph.mint.nn",
    "minigraph.mint.nn.functional", "minigraph.mint.optim", "minigraph.mint.special", "minigraph.nn",
    "minigraph.nn.utils",
    "minigraph.npu", "minigraph.npu.reports", "minigraph.npu.sweeps", "minigraph.numpy", "minigraph.op",
    "minigraph.ops", "minigraph.parallel", "minigraph.profiler", "minigraph.runtime",
    "minigraph.serialize", "minigraph.train", "minigraph.train.callback",
    "minigraph.types", "passes", "viz",
]  # fmt: skip


def api_pages() -> dict[str, str]:
    """A page for each public module, several for a large one, and an index: text by file name."""
    pages = {"api/index.rst": _heading("API reference") + "Every public name, by module.\n" + _toctree(MODULES)}
    documented = dict[int, str]()
    for name in MODULES:
        groups = names_by_page(import_module(name))
        pages[f"api/{name}.rst"] = _module_head(name)
        for title, names in groups.items():
            entries = "".join(_entry(name, entry_name, documented) for entry_name in names)
            if len(groups) == 1:
                pages[f"api/{name}.rst"] += entries
            else:
                pages[f"api/{_file(name, title)}.rst"] = _heading(title) + entries
        if len(groups) > 1:
            pages[f"api/{name}.rst"] += _toctree(_file(name, title) for title in groups)
    return pages


def names_by_page(module: ModuleType) -> dict[str, list[str]]:
    """The public names of a module by page: one page, or one for each module that defines some of them."""
    names = public_names(module)
    if len(names) <= MAX_NAMES:
        return {module.__name__: names}
    pages = dict[str, list[str]]()
    for name in names:
        value = getattr(module, name)
        path = (_defining_module(value) if _is_ours(value) else module.__name__).split(".")
        title = " ".join([*filter(None, [CHAPTERS.get(path[-2])]), path[-1].replace("_", " ")])
        pages.setdefault(title, []).append(name)
    return dict(sorted(pages.items()))


def public_names(module: ModuleType) -> list[str]:
    """The names that a module exports: its ``__all__``, else those of ours without an underscore; no modules."""
    names = vars(module).get("__all__") or [
        name for name in dir(module) if not name.startswith("_") and _is_ours(getattr(module, name))
    ]
    values = {name for name in names if not inspect.ismodule(getattr(module, name))}
    return sorted(values, key=lambda name: (name.lower(), name))


def _is_ours(value: object) -> bool:
    return _defining_module(value).partition(".")[0] in PACKAGES


def _defining_module(value: object) -> str:
    """The module that defines a function or class, or the class of another value."""
    return str(getattr(value, "__module__", None) or type(value).__module__)


def _module_head(name: str) -> str:
    first = inspect.cleandoc(import_module(name).__doc__ or "").partition("\n\n")[0]
    return f"{_heading(name)}.. py:module:: {name}\n\n{_escape(first)}\n"


def _entry(module: str, name: str, documented: dict[int, str]) -> str:
    """The directive that documents one name, or a link to where the same object is documented already."""
    value = getattr(import_module(module), name)
    path = f"{module}.{name}"
    if not callable(value):
        shown = " ".join(repr(value).split())
        return f"\n.. py:data:: {path}\n" + f"   :value: {shown}\n" * (len(shown) <= MAX_VALUE)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return f"\n.. autodata:: {path}\n   :no-value:\n"
    first = documented.setdefault(id(value), path)
    if first != path:
        return f"\n``{name}``: the same as :py:obj:`{first}`\n"
    if inspect.isclass(value) and getattr(types, name, value) is not value:
        return f"\n.. autoclass:: {path}\n   :no-index:\n"  # a primitive of a type's name; links lead to the type
    return f"\n.. autoclass:: {path}\n   :members:\n" if inspect.isclass(value) else f"\n.. autofunction:: {path}\n"


def _file(module: str, title: str) -> str:
    return f"{module}.{title.replace(':', '').replace(' ', '_').lower()}"


def _heading(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _toctree(names: Iterable[str]) -> str:
    return "\n.. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in names)


def escape_docstring(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Sphinx's ``autodoc-process-docstring``: ``|x|`` is an absolute value and ``*args`` arguments, no markup."""
    is_code = False
    for number, line in enumerate(lines):
        is_code = line.startswith(">>>") or (is_code and bool(line.strip()))
        lines[number] = line if is_code or line.startswith(" ") else _escape(line)


def unlink_builtins(app: Any, doctree: Any) -> None:
    """Sphinx's ``doctree-read``: the annotation ``bytes`` is Python's, not an attribute ``bytes`` of some class."""
    for link in doctree.findall(lambda node: node.tagname == "pending_xref" and hasattr(builtins, node["reftarget"])):
        link.replace_self(link.children)


def _escape(text: str) -> str:
    parts = re.split(r"(``.*?``)", text)
    return "".join(part if i % 2 else re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", part) for i, part in enumerate(parts))
