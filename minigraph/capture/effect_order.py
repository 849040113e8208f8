"""Order edges for effects: a captured graph keeps the program order of effects on the same resource."""

from __future__ import annotations

from minigraph.core.op_fields import Effect
from minigraph.ir.graph import Graph, producer


class EffectOrder:
    """Derives order edges from declared effects: RAW, WAR and WAW dependencies on each resource."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._written: dict[str, int] = {}
        self._read: dict[str, list[int]] = {}

    def add(self, node: int) -> None:
        """Add the order edges of a new node, from the nodes whose effects must precede its own."""
        for effect in self.graph.effects(node):
            self._follow(node, effect)

    def _follow(self, node: int, effect: Effect) -> None:
        last = self._written.get(effect.resource)
        before = [last] if last is not None else []
        if effect.writes:
            before += self._read.pop(effect.resource, [])
            self._written[effect.resource] = node
        else:
            self._read.setdefault(effect.resource, []).append(node)
        operands = {producer(ref) for ref in self.graph.ins(node)}
        for earlier in before:
            if earlier != node and earlier not in operands:
                self.graph.order(earlier, node, "effect")
