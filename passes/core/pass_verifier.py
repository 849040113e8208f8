"""Verification between passes: the graph is well formed and, with validation, still computes the same.

An error names the pass and, with validation, the rule and the rewrite, which bisection finds. Validation also restores
the graph to its state before the pass and saves a file that reproduces the failure.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigraph.core.context import resolve
from minigraph.core.errors import MinigraphError, UsageError, VerifyError
from minigraph.core.location import is_internal_file
from minigraph.ir.fast_verify import InferenceCache
from minigraph.ir.graph import Graph
from minigraph.ir.snapshot import Snapshot
from minigraph.ir.structural_ops import Literal
from minigraph.ir.verify import verify_nodes
from passes.core.registry import Options, Pass


class NotValidatedWarning(UserWarning):
    """A graph is not validated; the message says why."""


@dataclass(frozen=True)
class Validation:
    """How passes are validated: on random inputs of ``seed``, or on ``inputs``.

    A file that reproduces a failure is saved in ``folder`` (``None``: no file).
    """

    seed: int = 0
    inputs: Sequence[np.ndarray] | None = None
    folder: str | os.PathLike[str] | None = None


class PassVerifier:
    """Checks a graph before the first and after every pass of one run; ``verified`` is as for ``Pipeline.run``."""

    def __init__(self, graph: Graph, verify: bool, validation: Validation | None, verified: bool = False) -> None:
        self.graph, self.verify, self.validation = graph, verify, validation
        self.completed: list[str] = []
        self.validator: Any = None  # a ``passes.validate.validator.Validator`` when validation is on
        self.calls: InferenceCache = {}
        if verify:
            verify_nodes(graph, () if verified else graph, self.calls)
        if validation is not None:
            self.validator = self._new_validator()
            if self.validator.skip_reason:
                text = f"graph '{graph.title}' is not validated: {self.validator.skip_reason}"
                warnings.warn(text, NotValidatedWarning, stacklevel=5)

    def run(self, pass_: Pass, options: Options) -> float:
        """Run a pass, check its changes, and return the seconds that the pass itself took.

        Raises ``VerifyError``, or what the pass raises.
        """
        journal = self.graph.journal if self.graph.journal is not None else []
        start, began = len(journal), time.perf_counter()
        try:
            pass_(self.graph, options)
        except Exception as error:
            self._restore()
            error.add_note(f"in pass '{pass_.name}' ({pass_.loc}) on graph '{self.graph.title}'")
            raise
        seconds = time.perf_counter() - began
        edits = journal[start:]
        if edits:
            self._check(pass_, {node for _, node, _ in edits})
        self.completed.append(pass_.name)
        return seconds

    def _check(self, pass_: Pass, nodes: Iterable[int]) -> None:
        if self.verify:
            try:
                verify_nodes(self.graph, nodes, self.calls)
            except MinigraphError as error:
                raise self._make_error(pass_, f"pass '{pass_.name}' broke the graph: {error}") from None
        if self.validator is not None:
            difference = self.validator.compare(self.graph)
            if difference is not None:
                place = f"pass '{pass_.name}' ({pass_.loc})"
                text = f"{place} changed the results of '{self.graph.title}': {difference.text}"
                raise self._make_error(pass_, text)
            self.validator = self.validator.next_validator(self.graph)

    def _new_validator(self) -> Any:
        assert self.validation is not None
        return resolve("passes.validate.validator:Validator")(self.graph, self.validation.seed, self.validation.inputs)

    # ---- failures ----------------------------------------------------------------------------------

    def _make_error(self, pass_: Pass, error: str) -> VerifyError:
        """The error: what is wrong, the rewrite that caused it, the earlier passes, and how to reproduce it."""
        earlier = f"earlier passes: {', '.join(self.completed) or 'none'}"
        if self.validator is None:
            return VerifyError(f"{error}; {earlier}")
        find_culprit = resolve("passes.validate.validator:find_culprit")
        culprit = find_culprit(self.validator.original, lambda copy: _rerun(pass_, copy), self._is_wrong)
        self._restore()
        lines = [error, f"{culprit}; {earlier}" if culprit else earlier]
        return VerifyError("\n".join([*lines, *self._save_reproducer(pass_, error)]))

    def _is_wrong(self, graph: Graph) -> bool:
        verify_nodes(graph, graph)
        return self.validator.compare(graph) is not None

    def _save_reproducer(self, pass_: Pass, error: str) -> list[str]:
        validation, validator = self.validation, self.validator
        if validation is None or validator is None or validation.folder is None:
            return []
        try:
            load = "" if _is_built_in(pass_) else pass_.loc.rpartition(":")[0]
            inputs = tuple(map(Literal, validation.inputs)) if validation.inputs is not None else None
            reproducer, save = (
                resolve(f"passes.validate.reproducer:{name}") for name in ("Reproducer", "save_reproducer")
            )
            new = reproducer(validator.original, str(pass_), validation.seed, error, inputs)
            path = save(new, validation.folder, load)
        except UsageError as error:
            return [f"not saved: {error}"]
        return [f"saved; to reproduce: minigraph opt {path}{f' --load {load}' if load else ''} --bisect"]

    def _restore(self) -> None:
        if self.validator is not None:
            restore(self.graph, self.validator.original)


def _is_built_in(pass_: Pass) -> bool:
    """Whether a pass comes with minigraph; a rule used directly as a pass is the user's."""
    code = getattr(pass_.body, "__code__", None)
    return code is not None and is_internal_file(code.co_filename)


def _rerun(pass_: Pass, graph: Graph) -> None:
    graph.by = pass_.name
    pass_(graph, Options(pass_.options))


def restore(graph: Graph, kept: Graph) -> None:
    """Restore a graph from a copy of it."""
    Snapshot(kept).fill(graph)
