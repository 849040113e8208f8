"""Matches of patterns, and the view of matched values that predicates receive."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.errors import UnknownName, did_you_mean
from minigraph.core.op import Op
from minigraph.core.types import DType, Shape, TensorType
from minigraph.ir.graph import Graph, Ref, producer
from passes.rewrite.matcher_runtime import Walk, is_used_outside


class Value:
    """A matched value as a predicate sees it: ``m.x.shape``, ``m.x.dtype``, ``m.x.uses``, ``m.x.const``."""

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
        """How often results of its node are used as operands or outputs."""
        return self.graph.use_count(producer(self.ref))

    @property
    def op(self) -> Op:
        """The operator that computes it."""
        return self.graph.op(producer(self.ref))

    @property
    def const(self) -> np.ndarray | None:
        """The array of a constant, else ``None``."""
        return self.graph.attrs(producer(self.ref))["value"].array if self.op.role == "const" else None


class Match:
    """A match of a pattern: its nodes, the ``roots`` first, and the values of the variables.

    A variable is read as ``m.x``: a ``Value``, a tuple of values for ``many``, or ``None`` if the matched alternative
    does not have it. ``attrs`` are the captured attributes, ``walks`` the nodes of each chain from the top, with the
    operand on which the chain ends.
    """

    __slots__ = ("attrs", "graph", "nodes", "results", "values", "walks")

    def __init__(
        self,
        graph: Graph,
        nodes: tuple[int, ...],
        values: Mapping[str, Any],
        attrs: Attrs,
        walks: tuple[Walk, ...] = (),
        results: int = 1,
    ) -> None:
        self.graph, self.nodes, self.values, self.attrs = graph, nodes, values, attrs
        self.walks, self.results = walks, results

    @property
    def root(self) -> int:
        """The root node of the pattern; the first of several."""
        return self.nodes[0]

    @property
    def roots(self) -> tuple[int, ...]:
        """All root nodes."""
        return self.nodes[: self.results]

    @property
    def out(self) -> Value:
        """The value of the whole pattern; the first of several."""
        return Value(self.graph, self.root)

    @property
    def location(self) -> str:
        """The root with its operator and user line, for messages."""
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
        """The values of all variables as a flat list."""
        refs: list[Ref] = []
        for value in self.values.values():
            if value.__class__ is list:
                refs += value
            elif value is not None:
                refs.append(value)
        return refs

    def removable_nodes(self, kept: Container[int] = ()) -> tuple[int, ...]:
        """The roots, and the matched nodes that only removable nodes use; never those in ``kept``."""
        removable = set(self.roots)
        rest = [node for node in self.nodes[self.results :] if node not in kept]
        while unused := [node for node in rest if not is_used_outside(self.graph, node, removable)]:
            removable.update(unused)
            rest = [node for node in rest if node not in removable]
        return tuple(node for node in self.nodes if node in removable)
