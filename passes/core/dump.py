"""Graphs as text while passes run: after every pass, after those that changed something, or when one fails.

An observer of a pipeline::

    Pipeline("default").run(graph, observers=[Dump("changed", line="net.py:12")])
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any, TextIO

from minigraph.core.errors import UsageError, did_you_mean
from minigraph.ir.graph import Graph
from minigraph.ir.text import node_text, to_text

KINDS = ("changed", "all", "failed")


class Dump:
    """Writes the graph after passes: "changed", "all", or "failed", which is the graph as a failing pass found it.

    ``passes`` are the names of passes to listen to (none: all). With ``op``, an operator's name, or ``line``, such
    as ``"net.py:12"``, only nodes of that operator or line are shown, and passes after which those are the same
    are left out. ``to`` is a text stream (``None``: standard error). Raises ``UsageError`` for another kind.
    """

    def __init__(
        self, what: str = "changed", *, passes: Collection[str] = (), op: str = "", line: str = "",
        to: TextIO | None = None,
    ) -> None:  # fmt: skip
        if what not in KINDS:
            raise UsageError(f"dump: no kind '{what}'{did_you_mean(what, KINDS)}")
        self.what, self.passes, self.op, self.line, self.to = what, frozenset(passes), op, line, to
        self._lines: list[str] = []

    def begin(self, graph: Graph) -> None:
        """The graph of a run, before its first pass."""
        self.graph = graph
        self._remember()

    def __call__(self, record: Any) -> None:
        """Write the graph after a pass, if it is one to be written."""
        before = self._lines
        self._remember()
        wanted = self.what == "all" or (self.what == "changed" and record.changed and before != self._lines)
        if wanted and self._listens(record.name):
            self._write(f"after {record}", self._lines)

    def failed(self, name: str, error: Exception) -> None:
        """Write the graph as the failing pass found it, with the error."""
        if self._listens(name):
            what = str(error).replace("\n", "\n# ")
            self._write(f"before '{name}', which failed: {what}", self._lines)

    def _listens(self, name: str) -> bool:
        return not self.passes or name in self.passes

    def _remember(self) -> None:
        self._lines = self._shown(self.graph)

    def _shown(self, graph: Graph) -> list[str]:
        if not self.op and not self.line:
            return to_text(graph).splitlines()
        return [node_text(graph, node) for node in graph.topological() if self._fits(graph, node)]

    def _fits(self, graph: Graph, node: int) -> bool:
        if self.op and str(graph.op(node)) != self.op:
            return False
        return not self.line or self.line in map(str, graph.loc(node))

    def _write(self, title: str, lines: list[str]) -> None:
        text = "\n".join([f"# ---- {title}", *lines])
        print(text, file=self.to or sys.stderr)
