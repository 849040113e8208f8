"""A worker process that measures rows with one technique switched off, or none.

``python -m benchmarks.techniques.worker NAME [--quick]`` answers requests as the workers of other interpreters do
(``benchmarks.peers.worker``). A technique is switched off before anything of minigraph is imported: an import hook
replaces its names right after their module is loaded, so that all importers get the replacement.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from benchmarks.peers import worker
from benchmarks.techniques.registry import BY_NAME
from benchmarks.techniques.replacements import Replacement

ALL_TECHNIQUES = "all"  # the argument with which none is switched off


class EarlyImportError(RuntimeError):
    """A module of a technique was imported before the technique was switched off."""


class _ReplacingLoader(importlib.abc.Loader):
    """Loads a module as usual, and replaces names in it."""

    def __init__(self, loader: importlib.abc.Loader, names: Mapping[str, Replacement]) -> None:
        self.loader, self.names = loader, names

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module, empty."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, then replace the names."""
        self.loader.exec_module(module)
        for name, replacement in self.names.items():
            setattr(module, name, replacement(getattr(module, name)))


class ReplacingFinder(importlib.abc.MetaPathFinder):
    """A finder for ``sys.meta_path`` that loads modules with some of their names replaced."""

    def __init__(self, replacements: Mapping[str, Replacement]) -> None:
        self.modules: dict[str, dict[str, Replacement]] = {}
        for target, replacement in replacements.items():
            module, _, name = target.partition(":")
            self.modules.setdefault(module, {})[name] = replacement
        if loaded := self.modules.keys() & sys.modules.keys():
            raise EarlyImportError(f"{', '.join(sorted(loaded))} was imported too early")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the default finder, with a loader that replaces names."""
        if fullname not in self.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _ReplacingLoader(spec.loader, self.modules[fullname])
        return spec


class RowWorker(worker.Worker):
    """Answers requests for rows of ``benchmarks.techniques.rows``."""

    def __init__(self, quick: bool) -> None:
        super().__init__(worker.numpy())
        self.quick = quick
        self.rows = importlib.import_module("benchmarks.techniques.rows").ROWS  # which imports minigraph

    def do_make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make a row; its number and title, no number if it does not take part."""
        contender, title = self.rows[request["row"]].contender_in(self.quick)
        if contender is None:
            return {"number": None, "title": title}
        arguments: list[Any] = []

        def prepare() -> None:
            arguments[:] = contender.prepare()

        def run() -> Any:
            return contender.run(*arguments)

        self.workloads.append(worker.Workload(run, None if contender.prepare is tuple else prepare))
        return {"number": len(self.workloads) - 1, "title": title}


def main() -> None:
    """Serve the rows without the technique that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.techniques.worker", description=__doc__)
    parser.add_argument("technique", choices=[ALL_TECHNIQUES, *BY_NAME])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.technique != ALL_TECHNIQUES:
        sys.meta_path.insert(0, ReplacingFinder(BY_NAME[options.technique].off))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker.serve(RowWorker(options.quick), sys.stdin, answers)


if __name__ == "__main__":
    main()
