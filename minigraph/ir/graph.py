"""The graph: a ``networkx.MultiDiGraph`` of operator nodes, edited only through journaled primitives.

Node attributes are ``op, ins, attrs, types, loc, prov, regions``. ``ins`` (an ordered tuple of producer
ids, ``(id, r)`` for result r > 0) is the truth and edges mirror it: a data edge's key is the operand's
position, an order edge's key is ``("o", n)``. Every networkx reader and algorithm works; networkx's own
mutators raise outside of ``with graph.unsafe():``, because they would let the two views drift apart. (A graph
without nodes is open to them: it is what networkx copies into.)

The primitives are ``emit, set_operands, replace_uses, erase, order, set_outs`` here, and ``outline`` in
``minigraph.ir.outline``, which is written with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import Any

from minigraph.core.errors import GraphError
from minigraph.core.location import Loc
from minigraph.core.op import NO_ATTRS, Attrs, Op
from minigraph.core.types import TensorType
from minigraph.ir.edges import PLAIN, SINGLE, Edit, WiredGraph, edit_of, followed
from minigraph.ir.reading import GraphReader, Prov, Ref, producer, ref_text, reference, result_index

__all__ = ["Edit", "Graph", "Prov", "Ref", "producer", "reference", "result_index"]


_prov = partial(tuple.__new__, Prov)  # of a tuple, without a call in Python
_made_by = cache(Prov)  # one for all nodes that are made of no others: 70 bytes a node less


class Graph(WiredGraph):
    """A captured program.

    ``inputs`` are the ids of its argument nodes in order, ``outs`` the references it returns, ``params``
    the Parameter objects its parameter nodes read and write, by key. ``keep_effects`` is what
    ``auto_depend`` of ``@jit`` sets: whether effects are kept alive although nobody asks for their result.
    ``journal`` holds every edit made while watched (``None``: not watched); ``by`` names the editor. ``has_order``
    says whether there ever was an order edge: without one nobody has to look for them. While ``rising``, no node is
    older than one it needs, so that ids are an order to run in: nothing but a new operand, or order, can change that.
    """

    def __init__(self, incoming_graph_data: Any = None, title: str = "graph", **attr: Any) -> None:
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
        self.rising = True
        self.order_known = None
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
        """Add a node and return its id; types are inferred from the record when not given.

        ``sources`` are the nodes it is made of: their lines become the new node's when ``loc`` is empty.
        Raises ``GraphError`` for an operand that is not in the graph, and whatever ``infer`` raises.
        """
        attrs, ins = dict(attrs) if attrs else NO_ATTRS, tuple(ins)
        wrong = self.missing(ins)
        if wrong:
            raise GraphError(f"emit {op}: operand {wrong}")
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
        """Add a node of which everything is known and right: ``emit`` without a question, for copies of nodes."""
        node, self.next_id, self.order_known = self.next_id, self.next_id + 1, None
        self._node[node] = {
            "op": op, "ins": ins, "attrs": attrs, "types": types,
            "loc": loc, "prov": _prov((self.by, sources)) if sources else _made_by(self.by), "regions": regions,
        }  # fmt: skip
        pred: dict[int, dict[Any, Any]] = {}
        succ, self._pred[node] = self._succ, pred
        succ[node] = {}
        for position, ref in enumerate(ins):
            if ref.__class__ is int and ref not in pred and position < PLAIN:  # nearly always
                pred[ref] = succ[ref][node] = SINGLE[position]
            else:
                self._link(node, position, ref)
        if self.journal is not None:
            self.journal.append(edit_of(("emit", node, self.by)))
        return node

    def set_operands(self, node: int, ins: Sequence[Ref]) -> None:
        """Give a node other operands; order edges stay. Raises ``GraphError`` for values the graph has not."""
        ins = tuple(ins)
        self._require(f"set_operands of %{node}", (node, *ins))
        for position, ref in enumerate(self._node[node]["ins"]):
            self._unlink(node, position, ref)
        self._node[node]["ins"] = ins
        self._connect(node, ins)
        self._note("operands", node)

    def replace_uses(self, mapping: Mapping[Ref, Ref], keep: Collection[int] = ()) -> None:
        """Let every user, and the outputs, take other values instead; one pass over the users of all.

        Chains (a -> b, b -> c) are followed. The users in ``keep`` are left as they are, and no node is made
        its own operand. Types must agree and chains must end, else ``GraphError``, with nothing changed. The new
        nodes inherit the replaced ones' lines.
        """
        self._require("replace_uses", (*mapping, *mapping.values()))
        final, everything = followed(mapping), self._node
        for old, new in final.items():
            if old.__class__ is int and new.__class__ is int and everything[old]["types"] == everything[new]["types"]:
                continue
            if self.type(old) != self.type(new):
                which = f"replace {ref_text(old)} by {ref_text(new)}"
                raise GraphError(f"{which}: types differ, {self.type(old)} and {self.type(new)}")
        self.redirect(final, keep)
        self._inherit(final)

    def redirect(self, final: Mapping[Ref, Ref], keep: Collection[int] = ()) -> None:
        """``replace_uses`` without a question, and without handing on lines: the second step of ``outline``."""
        succ, everything, new_of = self._succ, self._node, final.get
        users = {user for old in final for user in succ[old if old.__class__ is int else old[0]]}  # type: ignore[index]
        heirs = {new if new.__class__ is int else new[0] for new in final.values()}  # type: ignore[index]
        for user in sorted(users.difference(keep)):
            old = everything[user]["ins"]
            new = tuple([new_of(ref, ref) for ref in old])
            if user in heirs and user in map(producer, new):  # none is made its own operand
                new = tuple([ref if producer(new_of(ref, ref)) == user else new_of(ref, ref) for ref in old])
            if new != old:
                self.rewire(user, old, new)
        self._redirect_outs(final)

    def succeed(self, final: Mapping[Ref, Ref]) -> None:
        """What is left of ``replace_uses`` when all users have been rewired: the outputs, and handing on lines."""
        self._redirect_outs(final)
        self._inherit(final)

    def supersede(self, old: int, new: int) -> None:
        """Let ``new`` take every use of ``old``, at the cost of those alone: ``redirect`` for two nodes, unchecked.

        Each has one result, nobody uses ``new`` yet, neither is made of the other, and order edges are moved already.
        """
        pred, everything = self._pred, self._node
        users = self._succ[new] = self._succ[old]
        self._succ[old] = {}
        self.rising, self.order_known = self.rising and not users, None
        for user, keys in users.items():
            before, data = pred[user], everything[user]
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
        """Let outputs be other values, at the cost of those alone: there may be thousands of others."""
        if self._out_uses.keys().isdisjoint(map(producer, final)):  # nearly always
            return
        for old, new in final.items():
            places = self._out_uses.pop(producer(old), ())
            for place in places:
                if self._outs[place] == old:
                    self._outs[place] = new
                self._out_uses.setdefault(producer(self._outs[place]), []).append(place)
        self._out_tuple = None
        self._note("outs", -1)

    def erase(self, nodes: Iterable[int]) -> None:
        """Remove nodes nobody outside of the set uses; order through them is kept (a->n->b becomes a->b).

        Raises ``GraphError``, with nothing removed, when a node is still used, is an input or an output, or has
        an effect that this graph keeps.
        """
        gone = set(nodes)
        self._require("erase", gone)
        succ, everything = self._succ, self._node
        for node in gone:
            data = everything[node]
            odd = data["op"].effects or data["op"].is_leaf or data["regions"] or node in self._out_uses
            if odd or not gone.issuperset(succ[node]):
                self._check_erasable(node, gone)
        self.remove(gone)

    def remove(self, gone: set[int]) -> None:
        """``erase`` without a question, for whoever knows that nobody outside of the set takes a value of it."""
        if not self.has_order:
            self.discard_all(gone)
            return
        for node in sorted(gone, reverse=True):  # users first, so that little is left to look through
            for last in self.after(node):
                for first in self.before(node):
                    self.order(first, last, self.order_kind(node, last))
            self.discard(node)

    def order(self, before: int | None = None, after: int = -1, kind: str = "depend") -> int:
        """Let ``before`` run before ``after``; nothing happens when an order edge says so already.

        An edge of kind "effect" becomes "depend" when that is asked for, because only "depend" keeps
        ``before`` alive. Returns how many nodes there are: all that networkx wants when it asks ``order()``.
        """
        if before is None:
            return len(self)
        self._require("order", (before, after))
        if before != after and self.order_kind(before, after) not in ("depend", kind):
            self.has_order = True
            self.rising, self.order_known = self.rising and before < after, None
            keys = self._pred[after].get(before, {})
            key = next((key for key in keys if not isinstance(key, int)), ("o", len(keys)))
            self._pred[after][before] = self._succ[before][after] = {**keys, key: {"kind": kind}}
            self._note("order", after)
        return len(self)

    def set_outs(self, refs: Sequence[Ref]) -> None:
        """Name what the graph returns; raises ``GraphError`` for nodes the graph has not."""
        refs = tuple(refs)
        self._require("set_outs", map(producer, refs))
        self._outs, self._out_tuple, self._out_uses = list(refs), refs, {}
        for place, ref in enumerate(refs):
            self._out_uses.setdefault(producer(ref), []).append(place)
        self._note("outs", -1)

    # ---- copies ------------------------------------------------------------------------------------

    def clone(self) -> Graph:
        """The same graph again, with the same ids, sharing attribute values; bodies are shared too."""
        twin = Graph(title=self.title)
        twin.inputs, twin.params, twin.next_id = list(self.inputs), dict(self.params), self.next_id
        twin.keep_effects, twin.by = self.keep_effects, self.by
        twin.has_order, twin.rising, twin.order_known = self.has_order, self.rising, self.order_known
        twin._node.update([(node, data.copy()) for node, data in self._node.items()])
        twin._succ.update([(node, users.copy()) for node, users in self._succ.items()])
        twin._pred.update([(node, sources.copy()) for node, sources in self._pred.items()])
        if max(map(len, chain.from_iterable(map(dict.values, self._pred.values()))), default=1) > 1:
            twin._own_edges()
        twin.set_outs(self.outs)
        return twin

    # ---- helpers -----------------------------------------------------------------------------------

    def _require(self, where: str, refs: Iterable[Ref]) -> None:
        wrong = self.missing(refs)
        if wrong:
            raise GraphError(f"{where}: {wrong}")

    def _check_erasable(self, node: int, gone: set[int]) -> None:
        user = next((user for user in self.users(node) if user not in gone), None)
        if user is not None:
            raise GraphError(f"erase %{node}: %{user} still uses it; replace its uses first")
        if node in self._out_uses:
            raise GraphError(f"erase %{node}: it is an output of '{self.title}'; set_outs first")
        if self.op(node).role == "input" and node in self.inputs:
            raise GraphError(f"erase %{node}: it is an input of '{self.title}'; take it from graph.inputs first")
        if self.keep_effects and self.writes(node):
            raise GraphError(f"erase %{node}: {self.op(node)} has an effect, and '{self.title}' keeps effects")

    def _inherit(self, final: Mapping[Ref, Ref]) -> None:
        """Hand on the lines of what was replaced, and let a node that this editor made name it as a source."""
        everything, by = self._node, self.by
        heirs: dict[int, list[int]] = {}
        for old, new in final.items():
            heirs.setdefault(new if new.__class__ is int else new[0], []).append(producer(old))  # type: ignore[index]
        for heir, olds in heirs.items():
            data = everything[heir]
            data["loc"] = self.locs((heir, *olds))
            if data["prov"].by == by != "capture":
                data["prov"] = Prov(by, tuple(dict.fromkeys((*data["prov"].sources, *olds))))
