"""The graph: a ``networkx.MultiDiGraph`` of operator nodes in SSA form, edited only by journaled primitives.

Node attributes are ``op, ins, attrs, types, loc, prov, regions``. ``ins`` (an ordered tuple of producer
ids, ``(id, r)`` for result r > 0) is authoritative, and edges mirror it: a data edge's key is the operand's
position, an order edge's key is ``("o", n)``. Every networkx reader and algorithm works; networkx's own
mutators raise outside of ``with graph.unsafe():``, because they would make the two views inconsistent. (A graph
without nodes accepts them, because networkx fills its copies with them.)

The primitives are ``emit, set_operands, replace_uses, erase, order, set_outs`` here, and ``outline`` in
``minigraph.ir.outline``, which is written with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from minigraph.core.errors import GraphError
from minigraph.core.location import Loc
from minigraph.core.op import NO_ATTRS, Attrs, Op
from minigraph.core.types import TensorType
from minigraph.ir.edges import SHARED_EDGES, SHARED_POSITIONS, EdgeGraph, Edit, edit_of, resolve_chains
from minigraph.ir.graph_reader import GraphReader, Prov, Ref, producer, ref_text, reference, result_index

__all__ = ["Edit", "Graph", "Prov", "Ref", "producer", "reference", "result_index"]


_prov_of = partial(tuple.__new__, Prov)  # a Prov from a tuple, without a Python call
_shared_prov = lru_cache(maxsize=1024)(Prov)  # shared by all nodes without sources: saves 70 bytes per node


class Graph(EdgeGraph):
    """A captured program.

    ``inputs`` are the ids of its argument nodes in order, ``outs`` the references it returns, ``params``
    the Parameter objects its parameter nodes read and write, by key. ``keep_effects``, set by ``auto_depend``
    of ``@jit``: nodes with effects are live although no output uses them. ``journal`` lists the edits
    (``None``: not recorded); ``by`` names the editor. ``has_order``: whether an order edge was ever added, so that
    graphs without them need no look-ups. While ``has_topological_ids``, increasing ids are a topological order; only a
    new operand or a new order edge can end that.
    """

    def __init__(self, incoming_graph_data: object = None, title: str = "graph", **attr: Any) -> None:
        super().__init__(incoming_graph_data, **attr)
        self.title = title
        self.inputs: list[int] = []
        self._outs: list[Ref] = []
        self._out_tuple: tuple[Ref, ...] | None = ()
        self.params: dict[str, Any] = {}
        self.keep_effects = True
        self.journal: list[Edit] | None = None
        self.by = "capture"
        self.next_id = 0
        self._out_uses: dict[int, list[int]] = {}
        self.has_order = False
        self.has_topological_ids = True
        self.cached_order = None
        self.locked = True

    # ---- primitives --------------------------------------------------------------------------------

    def emit(
        self,
        op: Op,
        ins: Sequence[Ref] = (),
        attrs: Attrs | None = None,
        types: Sequence[TensorType] | None = None,
        *,
        loc: tuple[Loc, ...] = (),
        regions: tuple[Graph, ...] = (),
        sources: tuple[int, ...] = (),
    ) -> int:
        """Add a node and return its id; by default the record infers the types.

        ``sources`` are the nodes it is derived from: the new node inherits their lines if ``loc`` is empty.
        Raises ``GraphError`` for an operand that is not in the graph, and the errors of ``infer``.
        """
        attrs, ins = dict(attrs) if attrs else NO_ATTRS, tuple(ins)
        if problem := self.invalid_reference(ins):
            raise GraphError(f"emit {op}: operand {problem}")
        if types is None:
            types = op.types([self.type(ref) for ref in ins], attrs)
        if not loc and sources:
            loc = self.locs(sources)
        return self.graft(op, ins, attrs, tuple(types), loc=loc, regions=regions, sources=sources)

    def graft(
        self,
        op: Op,
        ins: tuple[Ref, ...],
        attrs: Attrs,
        types: tuple[TensorType, ...],
        *,
        loc: tuple[Loc, ...] = (),
        regions: tuple[GraphReader, ...] = (),
        sources: tuple[int, ...] = (),
    ) -> int:
        """Add a node whose types are known: ``emit`` without inference and checks, for copies of nodes."""
        node, self.next_id, self.cached_order = self.next_id, self.next_id + 1, None
        self._node[node] = {
            "op": op, "ins": ins, "attrs": attrs, "types": types,
            "loc": loc, "prov": _prov_of((self.by, sources)) if sources else _shared_prov(self.by), "regions": regions,
        }  # fmt: skip
        pred: dict[int, dict[Any, Any]] = {}
        succ, self._pred[node] = self._succ, pred
        succ[node] = {}
        for position, ref in enumerate(ins):
            if ref.__class__ is int and ref not in pred and position < SHARED_POSITIONS:  # nearly always
                pred[ref] = succ[ref][node] = SHARED_EDGES[position]
            else:
                self._link(node, position, ref)
        if self.journal is not None:
            self.journal.append(edit_of(("emit", node, self.by)))
        return node

    def set_operands(self, node: int, ins: Sequence[Ref]) -> None:
        """Replace the operands of a node; order edges stay. Raises ``GraphError`` for values not in the graph."""
        ins = tuple(ins)
        self._require(f"set_operands of %{node}", (node, *ins))
        for position, ref in enumerate(self._node[node]["ins"]):
            self._unlink(node, position, ref)
        self._node[node]["ins"] = ins
        self._connect(node, ins)
        self._note("operands", node)

    def replace_uses(self, mapping: Mapping[Ref, Ref], keep: Collection[int] = ()) -> None:
        """Replace values by others in all users and outputs, in one pass over the users.

        Chains (a -> b, b -> c) are followed. The users in ``keep`` are unchanged, and no node becomes its own
        operand. Raises ``GraphError``, before anything changes, if types differ or a chain is cyclic. The new
        nodes inherit the source lines of the replaced ones.
        """
        self._require("replace_uses", (*mapping, *mapping.values()))
        final, node_data = resolve_chains(mapping), self._node
        for old, new in final.items():
            if old.__class__ is int and new.__class__ is int and node_data[old]["types"] == node_data[new]["types"]:
                continue
            if self.type(old) != self.type(new):
                edit = f"replace {ref_text(old)} by {ref_text(new)}"
                raise GraphError(f"{edit}: types differ, {self.type(old)} and {self.type(new)}")
        self.redirect(final, keep)
        self._inherit(final)

    def redirect(self, final: Mapping[Ref, Ref], keep: Collection[int] = ()) -> None:
        """``replace_uses``, unchecked and without inheriting lines: the second step of ``outline``."""
        succ, node_data, new_of = self._succ, self._node, final.get
        users = {user for old in final for user in succ[old if old.__class__ is int else old[0]]}  # type: ignore[index]
        producers = {new if new.__class__ is int else new[0] for new in final.values()}  # type: ignore[index]
        for user in sorted(users.difference(keep)):
            old = node_data[user]["ins"]
            new = tuple([new_of(ref, ref) for ref in old])
            if user in producers and user in map(producer, new):  # no node becomes its own operand
                new = tuple([ref if producer(new_of(ref, ref)) == user else new_of(ref, ref) for ref in old])
            if new != old:
                self.rewire(user, old, new)
        self._redirect_outs(final)

    def finish_replacement(self, final: Mapping[Ref, Ref]) -> None:
        """The rest of ``replace_uses`` when all users have been rewired: redirect outputs and inherit lines."""
        self._redirect_outs(final)
        self._inherit(final)

    def replace_node(self, old: int, new: int) -> None:
        """Replace all uses of ``old`` by ``new`` in time linear in them: ``redirect`` for two nodes, unchecked.

        Each has one result, ``new`` has no uses, neither depends on the other, and order edges have been moved.
        """
        pred, node_data = self._pred, self._node
        users = self._succ[new] = self._succ[old]
        self._succ[old] = {}
        self.has_topological_ids, self.cached_order = self.has_topological_ids and not users, None
        for user, keys in users.items():
            before, data = pred[user], node_data[user]
            del before[old]
            before[new] = keys
            ins = list(data["ins"])
            for position in keys:
                ins[position] = new
            data["ins"] = tuple(ins)
        self._note_all("operands", users)
        if old in self._out_uses:
            self._redirect_outs({old: new})

    def _redirect_outs(self, final: Mapping[Ref, Ref]) -> None:
        """Replace outputs, in time linear in the replaced ones: there may be thousands of others."""
        if self._out_uses.keys().isdisjoint(map(producer, final)):  # nearly always
            return
        for old, new in final.items():
            positions = self._out_uses.pop(producer(old), ())
            for position in positions:
                if self._outs[position] == old:
                    self._outs[position] = new
                self._out_uses.setdefault(producer(self._outs[position]), []).append(position)
        self._out_tuple = None
        self._note("outs", -1)

    def erase(self, nodes: Iterable[int]) -> None:
        """Remove nodes without users outside of the set; order through them is kept (a->n->b becomes a->b).

        Raises ``GraphError`` first if a node is used, is an input or an output, or has an effect that this graph keeps.
        """
        erased = set(nodes)
        self._require("erase", erased)
        succ, node_data = self._succ, self._node
        for node in erased:
            data = node_data[node]
            may_be_kept = data["op"].effects or data["op"].is_leaf or data["regions"] or node in self._out_uses
            if may_be_kept or not erased.issuperset(succ[node]):
                self._check_erasable(node, erased)
        self.remove(erased)

    def remove(self, erased: set[int]) -> None:
        """``erase``, unchecked: no node outside of the set may use a value of it."""
        if not self.has_order:
            self.discard_all(erased)
            return
        for node in sorted(erased, reverse=True):  # users first, so that few order edges are left to move
            for last in self.after(node):
                for first in self.before(node):
                    self.order(first, last, self.order_kind(node, last))
            self.discard(node)

    def order(self, before: int | None = None, after: int = -1, kind: str = "depend") -> int:
        """Add an order edge, unless there is one: ``before`` must run before ``after``.

        An existing edge of kind "effect" is changed to a requested "depend", because only "depend" keeps
        ``before`` live. Returns the number of nodes, which is what networkx expects of ``order()``.
        """
        if before is None:
            return len(self)
        self._require("order", (before, after))
        if before != after and self.order_kind(before, after) not in ("depend", kind):
            self.has_order = True
            self.has_topological_ids, self.cached_order = self.has_topological_ids and before < after, None
            keys = self._pred[after].get(before, {})
            key = next((key for key in keys if not isinstance(key, int)), ("o", len(keys)))
            self._pred[after][before] = self._succ[before][after] = {**keys, key: {"kind": kind}}
            self._note("order", after)
        return len(self)

    def set_outs(self, refs: Sequence[Ref]) -> None:
        """Set the outputs; raises ``GraphError`` for nodes that are not in the graph."""
        refs = tuple(refs)
        self._require("set_outs", map(producer, refs))
        self._outs, self._out_tuple, self._out_uses = list(refs), refs, {}
        for position, ref in enumerate(refs):
            self._out_uses.setdefault(producer(ref), []).append(position)
        self._note("outs", -1)

    # ---- copies ------------------------------------------------------------------------------------

    def clone(self) -> Graph:
        """A copy with the same ids; attribute values and bodies are shared."""
        copy = Graph(title=self.title)
        copy.inputs, copy.params, copy.next_id = list(self.inputs), dict(self.params), self.next_id
        copy.keep_effects, copy.by = self.keep_effects, self.by
        copy.has_order, copy.has_topological_ids, copy.cached_order = (
            self.has_order,
            self.has_topological_ids,
            self.cached_order,
        )
        copy._node.update([(node, data.copy()) for node, data in self._node.items()])
        copy._succ.update([(node, users.copy()) for node, users in self._succ.items()])
        copy._pred.update([(node, sources.copy()) for node, sources in self._pred.items()])
        if max(map(len, chain.from_iterable(map(dict.values, self._pred.values()))), default=1) > 1:
            copy._own_edges()
        copy.set_outs(self.outs)
        return copy

    # ---- helpers -----------------------------------------------------------------------------------

    def _require(self, where: str, refs: Iterable[Ref]) -> None:
        if problem := self.invalid_reference(refs):
            raise GraphError(f"{where}: {problem}")

    def _check_erasable(self, node: int, erased: set[int]) -> None:
        user = next((user for user in self.users(node) if user not in erased), None)
        if user is not None:
            raise GraphError(f"erase %{node}: %{user} still uses it; replace its uses first")
        if node in self._out_uses:
            raise GraphError(f"erase %{node}: it is an output of '{self.title}'; call set_outs first")
        if self.op(node).role == "input" and node in self.inputs:
            raise GraphError(f"erase %{node}: it is an input of '{self.title}'; remove it from graph.inputs first")
        if self.keep_effects and self.writes(node):
            raise GraphError(f"erase %{node}: {self.op(node)} has an effect, and '{self.title}' keeps effects")

    def _inherit(self, final: Mapping[Ref, Ref]) -> None:
        """Let replacements inherit source lines; those created by this editor also get the old nodes as sources."""
        node_data, by = self._node, self.by
        replaced: dict[int, list[int]] = {}
        for old, new in final.items():
            replaced.setdefault(new if new.__class__ is int else new[0], []).append(producer(old))  # type: ignore[index]
        for new_node, olds in replaced.items():
            data = node_data[new_node]
            data["loc"] = self.locs((new_node, *olds))
            if data["prov"].by == by != "capture":
                data["prov"] = Prov(by, tuple(dict.fromkeys((*data["prov"].sources, *olds))))
