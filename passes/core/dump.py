"""Prints graphs as text while passes run: after every pass, after passes that change the graph, or on failure.

A dump is an observer of a pipeline::

    Pipeline("default").run(graph, observers=[Dump("changed", line="net.py:12")])
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TextIO

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.ir.graph import Graph
from minigraph.ir.text import node_text, to_text
from passes.core.records import PassRecord

DUMP_MODES = ("changed", "all", "failed")


class Dump:
    """Writes the graph after passes: "changed", "all", or "failed", the graph before the pass that failed.

    ``passes`` selects passes by name (empty: all). With ``op``, an operator's name, or ``line``, such as
    ``"net.py:12"``, only nodes of that operator or line are written, and passes that do not change them are skipped.
    ``to`` is a text stream (``None``: standard error). Raises ``UsageError`` for an unknown mode.
    """

    def __init__(
        self, what: str = "changed", *, passes: Collection[str] = (), op: str = "", line: str = "",
        to: TextIO | None = None,
    ) -> None:  # fmt: skip
        if what not in DUMP_MODES:
            raise UsageError(f"dump: unknown mode '{what}'{did_you_mean(what, DUMP_MODES)}")
        self.what, self.passes, self.op, self.line, self.to = what, frozenset(passes), op, line, to
        self._lines: list[str] = []

    def begin(self, graph: Graph) -> None:
        """Start a run: remember the graph before its first pass."""
        self.graph = graph
        self._update_lines()

    def __call__(self, record: PassRecord) -> None:
        """Write the graph after a pass, if the pass and the change are selected."""
        before = self._lines
        self._update_lines()
        is_due = self.what == "all" or (self.what == "changed" and record.changed and before != self._lines)
        if is_due and self._is_selected(record.name):
            self._write(f"after {record}", self._lines)

    def report_failure(self, name: str, error: Exception) -> None:
        """Write the graph as it was before the failing pass, with the error."""
        if self._is_selected(name):
            message = str(error).replace("\n", "\n# ")
            self._write(f"before '{name}', which failed: {message}", self._lines)

    def _is_selected(self, name: str) -> bool:
        return not self.passes or name in self.passes

    def _update_lines(self) -> None:
        self._lines = self._graph_lines(self.graph)

    def _graph_lines(self, graph: Graph) -> list[str]:
        if not self.op and not self.line:
            return to_text(graph).splitlines()
        return [node_text(graph, node) for node in graph.topological() if self._is_shown(graph, node)]

    def _is_shown(self, graph: Graph, node: int) -> bool:
        if self.op and str(graph.op(node)) != self.op:
            return False
        return not self.line or self.line in map(str, graph.loc(node))

    def _write(self, title: str, lines: list[str]) -> None:
        text = "\n".join([f"# ---- {title}", *lines])
        print(text, file=self.to or sys.stderr)
