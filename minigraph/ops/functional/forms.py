r"""The forms in which MindSpore offers a function: a table per chapter that names each function once.

A chapter of ``ops.functional`` has a table ``FORMS``, from which the other packages take what they offer: a row has the
forms of its functions, ``method`` (of a Tensor), ``mint``, and ``numpy`` with the conversion of its operands, or
``function`` for no other form; ``relu:ReLU`` adds a primitive of the function without attributes. Forms with a
signature of their own are written in their packages.

>>> FORMS = "method mint: abs:Abs\n    square\nfunction: addn"
>>> functions_in(FORMS)
['abs', 'square', 'addn']
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def functions_in(forms: str) -> list[str]:
    """The names of the functions of a chapter."""
    return [name for _, name, _ in _rows(forms)]


def export(chapter: dict[str, Any]) -> None:
    """Sets ``__all__`` of a chapter with these globals to the functions of its table.

    A chapter does not assign it: a type checker would take a list that it cannot read for an empty one.

    >>> chapter = {"FORMS": "function: addn"}
    >>> export(chapter)
    >>> chapter["__all__"]
    ['addn']
    """
    chapter["__all__"] = functions_in(chapter["FORMS"])


def functions_with(form: str, package: ModuleType) -> list[str]:
    """The functions that the chapters of a package offer in a form.

    >>> from minigraph.ops import functional
    >>> "absolute" in functions_with("method", functional), "addn" in functions_with("method", functional)
    (True, False)
    """
    return [name for chapter in _chapters(package) for forms, name, _ in _rows(chapter) if form in forms.split()]


def primitives_of(package: ModuleType) -> dict[str, str]:
    """The functions that are primitives, by the names of the primitives.

    >>> from minigraph.ops import functional
    >>> primitives_of(functional)["TensorAdd"]
    'add'
    """
    rows = (row for chapter in _chapters(package) for row in _rows(chapter))
    return {primitive: name for _, name, primitives in rows for primitive in primitives}


def exports_of(package: str) -> list[str]:
    """The names that the modules of a package export, while it is being imported."""
    modules = [module for module in vars(sys.modules[package]).values() if isinstance(module, ModuleType)]
    return [name for module in modules for name in getattr(module, "__all__", ())]


def _rows(forms: str) -> Iterator[tuple[str, str, list[str]]]:
    """(forms, function, primitives) of each row."""
    key = ""
    for line in forms.strip().splitlines():
        head, colon, rest = line.partition(": ")
        key = head if colon else key
        for row in (rest if colon else line).split():
            name, *primitives = row.split(":")
            yield key, name, primitives


def _chapters(package: ModuleType) -> list[str]:
    return [module.FORMS for module in vars(package).values() if hasattr(module, "FORMS")]
