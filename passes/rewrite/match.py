"""Matches of patterns, and the view of matched values that predicates receive."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.errors import UnknownNameError, did_you_mean
from minigraph.core.op import Op
from minigraph.core.types import DType, Shape, TensorType
from minigraph.ir.graph import Graph, Ref, producer
from passes.rewrite.matcher_runtime import ChainPath, is_used_outside


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
        """The size of each axis."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """The dtype of its elements."""
        return self.type.dtype

    @property
    def uses(self) -> int:
        """The number of uses of its node's results, as operands or as outputs."""
        return self.graph.use_count(producer(self.ref))

    @property
    def op(self) -> Op:
        """The operator of its node."""
        return self.graph.op(producer(self.ref))

    @property
    def const(self) -> np.ndarray | None:
        """The array of a constant, else ``None``."""
        return self.graph.attrs(producer(self.ref))["value"].array if self.op.role == "const" else None


class Match:
    """A match of a pattern: its nodes, the ``roots`` first, and the values of the variables.

    A variable is read as ``m.x``: a ``Value``, a tuple of values for ``many``, or ``None`` if the matched alternative
    does not have it. ``attrs`` are the captured attributes, ``paths`` the nodes of each chain from the top, with the
    operand where the chain ends. ``results`` is the number of roots, ``values`` maps a variable to its ``Ref``, a list
    of them for ``many``, or ``None``.
    """

    __slots__ = ("attrs", "graph", "nodes", "paths", "results", "values")
    walks = DeprecatedAttribute("paths")

    def __init__(
        self,
        graph: Graph,
        nodes: tuple[int, ...],
        values: Mapping[str, Any],
        attrs: Attrs,
        paths: tuple[ChainPath, ...] = (),
        results: int = 1,
    ) -> None:
        self.graph, self.nodes, self.values, self.attrs = graph, nodes, values, attrs
        self.paths, self.results = paths, results

    @property
    def root(self) -> int:
        """The first root."""
        return self.nodes[0]

    @property
    def roots(self) -> tuple[int, ...]:
        """All root nodes."""
        return self.nodes[: self.results]

    @property
    def out(self) -> Value:
        """The value that the pattern computes: the result of the first root."""
        return Value(self.graph, self.root)

    @property
    def location(self) -> str:
        """The root with its operator and user line, for messages."""
        loc = self.graph.loc(self.root)
        return f"%{self.root} = {self.graph.op(self.root)}" + (f" ({loc[0]})" if loc else "")

    def __getattr__(self, name: str) -> Any:
        if name not in self.values:
            raise UnknownNameError(f"the pattern has no variable '{name}'{did_you_mean(name, self.values)}")
        value = self.values[name]
        if isinstance(value, list):
            return tuple(Value(self.graph, ref) for ref in value)
        return None if value is None else Value(self.graph, value)

    def refs(self) -> list[Ref]:
        """The values of all variables as a flat list."""
        refs: list[Ref] = []
        for value in self.values.values():
            if isinstance(value, list):
                refs += value
            elif value is not None:
                refs.append(value)
        return refs

    def removable_nodes(self, kept: Container[int] = ()) -> tuple[int, ...]:
        """The nodes that are dead after a replacement of the roots; never those in ``kept``.

        They are the roots, and the matched nodes that only removable nodes use.
        """
        removable = set(self.roots)
        candidates = [node for node in self.nodes[self.results :] if node not in kept]
        while dead := [node for node in candidates if not is_used_outside(self.graph, node, removable)]:
            removable.update(dead)
            candidates = [node for node in candidates if node not in removable]
        return tuple(node for node in self.nodes if node in removable)
