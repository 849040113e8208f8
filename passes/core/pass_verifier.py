"""What stands between two passes: the graph is well formed, and, when asked for, still does what it did.

Whatever is wrong is told with the pass, and with the rule and the rewrite that halving finds. With validation
the graph is put back to what it was before the pass, and a file is left that shows the failure again.
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
from minigraph.core.location import is_ours
from minigraph.ir.graph import Graph
from minigraph.ir.records import Literal
from minigraph.ir.undo import Kept
from minigraph.ir.usual import Calls
from minigraph.ir.verify import verify_nodes
from passes.core.registry import Options, Pass


class NotValidated(UserWarning):
    """A graph that is not run before and after each pass, and why."""


@dataclass(frozen=True)
class Validation:
    """How passes are validated: the ``seed`` of random inputs, or ``inputs`` to run on instead of random ones.

    ``folder`` is where a file that shows a failure again is left; ``None``: none is.
    """

    seed: int = 0
    inputs: Sequence[np.ndarray] | None = None
    folder: str | os.PathLike[str] | None = None


class Guard:
    """Checks a graph before the first and after every pass of one run; ``built`` as ``Pipeline.run`` says."""

    def __init__(self, graph: Graph, verify: bool, validation: Validation | None, built: bool = False) -> None:
        self.graph, self.verify, self.validation = graph, verify, validation
        self.ran: list[str] = []
        self.validator: Any = None  # a ``passes.validate.validator.Validator``, where it is asked for
        self.calls: Calls = {}
        if verify:
            verify_nodes(graph, () if built else graph, self.calls)
        if validation is not None:
            self.validator = self._validator()
            if self.validator.idle:
                text = f"graph '{graph.title}' is not run before and after its passes: {self.validator.idle}"
                warnings.warn(text, NotValidated, stacklevel=5)

    def run(self, step: Pass, options: Options) -> float:
        """Run a pass, check what it did, and return the seconds it took itself.

        Raises ``VerifyError``, or what the pass raises.
        """
        journal = self.graph.journal if self.graph.journal is not None else []
        start, began = len(journal), time.perf_counter()
        try:
            step(self.graph, options)
        except Exception as error:
            self._restore()
            error.add_note(f"in pass '{step.name}' ({step.loc}) on graph '{self.graph.title}'")
            raise
        seconds = time.perf_counter() - began
        edits = journal[start:]
        if edits:
            self._check(step, {node for _, node, _ in edits})
        self.ran.append(step.name)
        return seconds

    def _check(self, step: Pass, nodes: Iterable[int]) -> None:
        if self.verify:
            try:
                verify_nodes(self.graph, nodes, self.calls)
            except MinigraphError as error:
                raise self._failure(step, f"pass '{step.name}' broke the graph: {error}") from None
        if self.validator is not None:
            found = self.validator.changed(self.graph)
            if found is not None:
                what = f"pass '{step.name}' ({step.loc}) changed what '{self.graph.title}' computes: {found.text}"
                raise self._failure(step, what)
            self.validator = self._validator()

    def _validator(self) -> Any:
        assert self.validation is not None
        return resolve("passes.validate.validator:Validator")(self.graph, self.validation.seed, self.validation.inputs)

    # ---- failures ----------------------------------------------------------------------------------

    def _failure(self, step: Pass, what: str) -> VerifyError:
        """The error: what is wrong, the rewrite that did it, the passes before, and where it can be seen again."""
        ran = f"ran before: {', '.join(self.ran) or 'none'}"
        if self.validator is None:
            return VerifyError(f"{what}; {ran}")
        culprit = resolve("passes.validate.validator:culprit")
        guilty = culprit(self.validator.before, lambda twin: _rerun(step, twin), self._is_wrong)
        self._restore()
        lines = [what, f"{guilty}; {ran}" if guilty else ran]
        return VerifyError("\n".join([*lines, *self._saved(step, what)]))

    def _is_wrong(self, graph: Graph) -> bool:
        verify_nodes(graph, graph)
        return self.validator.changed(graph) is not None

    def _saved(self, step: Pass, what: str) -> list[str]:
        validation, validator = self.validation, self.validator
        if validation is None or validator is None or validation.folder is None:
            return []
        try:
            load = "" if _is_shipped(step) else step.loc.rpartition(":")[0]
            inputs = tuple(map(Literal, validation.inputs)) if validation.inputs is not None else None
            reproducer, save = (resolve(f"passes.validate.reproducer:{name}") for name in ("Reproducer", "save"))
            path = save(reproducer(validator.before, str(step), validation.seed, what, inputs), validation.folder, load)
        except UsageError as error:
            return [f"not saved: {error}"]
        return [f"saved; to see it again: minigraph opt {path}{f' --load {load}' if load else ''} --bisect"]

    def _restore(self) -> None:
        if self.validator is not None:
            restore(self.graph, self.validator.before)


def _is_shipped(step: Pass) -> bool:
    """Whether a pass comes with minigraph; a rule that is a step by itself is the user's."""
    code = getattr(step.body, "__code__", None)
    return code is not None and is_ours(code.co_filename)


def _rerun(step: Pass, graph: Graph) -> None:
    graph.by = step.name
    step(graph, Options(step.options))


def restore(graph: Graph, kept: Graph) -> None:
    """Make a graph what a copy of it was kept as."""
    Kept(kept).fill(graph)
