"""Import paths of MindSpore's that are no files here: a module of ours that is imported by several paths."""

from __future__ import annotations

import sys


def add_module_path(package: str, name: str) -> None:
    """Make the module ``package`` importable as ``package.name``, too, where MindSpore has a module within a package.

    >>> add_module_path("minigraph.core.module_paths", "inner")
    >>> from minigraph.core.module_paths.inner import add_module_path as same
    >>> same is add_module_path
    True
    >>> del sys.modules["minigraph.core.module_paths.inner"], sys.modules["minigraph.core.module_paths"].inner
    """
    module = sys.modules[package]
    sys.modules[f"{package}.{name}"] = module
    setattr(module, name, module)
