"""A place where a pattern was found, and what predicates see of it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from minigraph.core.errors import UnknownName, did_you_mean
from minigraph.core.op import Op
from minigraph.core.types import DType, Shape, TensorType
from minigraph.ir.graph import Graph, Ref, producer
from passes.rewrite.matcher_runtime import Walk, is_used_outside


class Value:
    """What a predicate sees of a matched value: ``m.x.shape``, ``m.x.dtype``, ``m.x.uses``, ``m.x.const``."""

    def __init__(self, graph: Graph, ref: Ref) -> None:
        self.graph, self.ref = graph, ref

    @property
    def type(self) -> TensorType:
        """Shape and dtype."""
        return self.graph.type(self.ref)

    @property
    def shape(self) -> Shape:
        """Sizes of the axes."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Number format."""
        return self.type.dtype

    @property
    def uses(self) -> int:
        """How many operands and outputs take a result of its node."""
        return self.graph.use_count(producer(self.ref))

    @property
    def op(self) -> Op:
        """The operator that makes it."""
        return self.graph.op(producer(self.ref))

    @property
    def const(self) -> np.ndarray | None:
        """The array of a constant, else ``None``."""
        return self.graph.attrs(producer(self.ref))["value"].array if self.op.role == "const" else None


class Match:
    """A place where a pattern was found: its nodes, the ``roots`` first, and what the variables stand for.

    A variable is read as ``m.x``: a ``Value``; a tuple of them for ``many``; ``None`` when the alternative that
    matched has it not. ``attrs`` are the captured attributes, ``walks`` the nodes of each chain from the
    top, with what they end on.
    """

    __slots__ = ("attrs", "graph", "nodes", "results", "values", "walks")

    def __init__(
        self,
        graph: Graph,
        nodes: tuple[int, ...],
        values: Mapping[str, Any],
        attrs: Mapping[str, Any],
        walks: tuple[Walk, ...] = (),
        results: int = 1,
    ) -> None:
        self.graph, self.nodes, self.values, self.attrs = graph, nodes, values, attrs
        self.walks, self.results = walks, results

    @property
    def root(self) -> int:
        """The node whose result the pattern is; the first of several."""
        return self.nodes[0]

    @property
    def roots(self) -> tuple[int, ...]:
        """All of them."""
        return self.nodes[: self.results]

    @property
    def out(self) -> Value:
        """The value of the whole pattern; the first of several."""
        return Value(self.graph, self.root)

    @property
    def place(self) -> str:
        """The root in words, with the user's line."""
        loc = self.graph.loc(self.root)
        return f"%{self.root} = {self.graph.op(self.root)}" + (f" ({loc[0]})" if loc else "")

    def __getattr__(self, name: str) -> Any:
        if name not in self.values:
            raise UnknownName(f"the pattern has no variable '{name}'{did_you_mean(name, self.values)}")
        value = self.values[name]
        if value.__class__ is list:
            return tuple(Value(self.graph, ref) for ref in value)
        return None if value is None else Value(self.graph, value)

    def refs(self) -> list[Ref]:
        """What all the variables stand for, in a flat list."""
        found: list[Ref] = []
        for value in self.values.values():
            if value.__class__ is list:
                found += value
            elif value is not None:
                found.append(value)
        return found

    def dying(self, kept: Container[int] = ()) -> tuple[int, ...]:
        """The nodes that nobody outside of the match uses: the roots, and what only the dying need.

        Nodes in ``kept`` are needed whoever uses them.
        """
        gone = set(self.roots)
        waiting = [node for node in self.nodes[self.results :] if node not in kept]
        while fresh := [node for node in waiting if not is_used_outside(self.graph, node, gone)]:
            gone.update(fresh)
            waiting = [node for node in waiting if node not in gone]
        return tuple(node for node in self.nodes if node in gone)
