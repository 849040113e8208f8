"""A graph in the syntax of MindSpore's ``.ir`` files, so that who reads those reads these.

::

    # IR entry: @step
    # Total subgraphs: 1

    # Total params: 2
    # Params:
    %para1_x: <Tensor[Float32], (2)> : [2]
    %para2_counter: <Ref[Tensor[Float32]], (2), ref_key=counter, is_parameter, is_inplace>  :  has_default

    Node counting information:
    Total number of nodes: 5
    Total number of cnodes: 2

    subgraph @step() {
      %3(CNode_3) = PrimFunc_Add(%para1_x, Tensor(shape=[], dtype=Float32, value=1))
          : (<Tensor[Float32], (2)>, <Tensor[Float32], (), value=...>) -> (<Tensor[Float32], (2)>)
          # Fullname with scope: (Default/Add-op3)
          # In file net.py:8, 10~24/y = ops.add(x, 1.0)/
      %4(CNode_4) = PrimFunc_Assign(%para2_counter, %3) primitive_attrs: {…, side_effect_mem: Bool(1)}
          …
      Return(%3)
          : (<Tensor[Float32], (2)>)
    }

The same: constants stand inside of operands; a fused node is ``call @GraphKernel_Add_Mul_fusion_7(…)`` and its body
a subgraph; ``TupleGetItem`` takes one of several results and ``MakeTuple`` returns several; a node that has to wait
for others takes a state, made of them by ``UpdateState``, as its last operand; ``Depend`` at the end keeps writes
alive that nobody reads.

Different, because the graphs are: numbers are the nodes' own and stay from stage to stage, so that the diff of two
stages shows what changed and nothing else. What is read of a Parameter after an assignment is the assignment's
result, there is no ``Load``. States are not chained: a node waits for exactly the nodes that its order edges name.
Bodies take all they use as parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minigraph.core.location import Loc
from minigraph.ir.reading import GraphReader, Ref, producer, result_index
from viz.dump.ir_names import (
    Subgraph,
    body_names,
    inputs_of,
    node_name,
    parameters_of,
    execution_order,
    assigned_parameters,
    subgraphs_of,
)
from viz.dump.ir_syntax import attrs_text, one_line, tensor_text, type_text, types_text, identifier

SCOPES = {"capture": "Default", "gradient": "Gradients/Default"}  # who made a node -> its scope in MindSpore
MAX_SOURCE_LINES = 8  # source lines that are shown of a node; a fused one may come from more
UPDATE = "UpdateState"
MEM, IO = "side_effect_mem", "side_effect_io"


class Operand(NamedTuple):
    """What stands between the brackets, and its type on the one_line below."""

    text: str
    type: str


MEMORY_MONAD = Operand("UMonad[U]", "<UMonad, NoShape>")
IO_MONAD = Operand("IOMonad[IO]", "<IOMonad, NoShape>")


def ir_text(graph: GraphReader, notes: Sequence[str] = ()) -> str:
    """The whole graph, bodies included, as readable text; ``notes`` are lines that follow as comments.

    >>> from minigraph import Tensor, ops
    >>> from minigraph.capture.trace import trace
    >>> text = ir_text(trace(lambda x: ops.sin(x) + x, Tensor([1.0, 2.0])))
    >>> [row.strip() for row in text.splitlines() if "PrimFunc_" in row]
    ['%1(CNode_1) = PrimFunc_Sin(%para1_x)', '%2(CNode_2) = PrimFunc_Add(%1, %para1_x)']
    """
    subgraphs = subgraphs_of(graph)
    lines = list(_header(subgraphs))
    for subgraph in subgraphs:
        lines += ["", *_Writer(subgraph).lines()]
    if notes:
        lines += ["", *(f"# {note}".rstrip() for note in notes)]
    return "\n".join(lines) + "\n"


def _header(subgraphs: Sequence[Subgraph]) -> Iterator[str]:
    entry = subgraphs[0]
    paras = [*inputs_of(entry.graph).values(), *parameters_of(entry.graph).values()]
    nodes = [each.graph.op(node) for each in subgraphs for node in each.graph]
    yield from (f"# IR entry: @{entry.name}", f"# Total subgraphs: {len(subgraphs)}", "")
    yield from (f"# Total params: {len(paras)}", "# Params:")
    yield from (f"{para.text}: {para.type}{para.remark}" for para in paras)
    yield from ("", "Node counting information:", f"Total number of nodes: {len(nodes)}")
    yield f"Total number of cnodes: {sum(not op.is_leaf for op in nodes)}"


class _Writer:
    """Writes one subgraph."""

    def __init__(self, subgraph: Subgraph) -> None:
        self.subgraph, self.graph = subgraph, subgraph.graph
        self.inputs, self.parameters = inputs_of(self.graph), parameters_of(self.graph)
        self.parts = _used_results(self.graph)

    def lines(self) -> Iterator[str]:
        """All lines, from the comment above to the closing bracket; the entry's parameters stand in the header."""
        taken = [*self.inputs.values()] if self.subgraph.path else []
        if self.subgraph.path:
            yield f"# Parameters: {len(taken)}, ({', '.join(para.type for para in taken)})"
        yield f"subgraph @{self.subgraph.name}({', '.join(para.text for para in taken)}) {{"
        for node in execution_order(self.graph):
            if not self.graph.op(node).is_leaf:
                yield from self._node(node)
        yield from self._end()
        yield "}"

    # ---- one node ----------------------------------------------------------------------------------

    def _node(self, node: int) -> Iterator[str]:
        """The state a node waits for, the node, and what is taken out of its results."""
        given, first = self._operands(node), self._waits_for(node)
        if first:
            state = Operand(f"%{node}.state", self._monad([node]).type)
            given.append(state)
            yield from self._update_state(state, self._monad([node]), first)
            kinds = [f"%{other} ({self.graph.order_kind(other, node) or 'overwritten'})" for other in first]
            yield f"      # Order: %{node} after {', '.join(kinds)}"
        result = Operand(f"%{node}", self._result_type(node))
        yield from _call(result, self._callee(node), given, attrs_text(self.graph.attrs(node), self._marks(node)))
        yield from self._comments(node)
        for r in sorted(self.parts.get(node, ())):
            part = self._operand((node, r))
            yield from _call(part, "TupleGetItem", [result, Operand(f"I64({r})", "<Int64, NoShape>")])

    def _callee(self, node: int) -> str:
        """A fused body is called; a function of its operands carries MindSpore's mark of one."""
        op = self.graph.op(node)
        if op.role == "fused":
            return f"call @{body_names(self.subgraph, node)[0]}"
        computes = op.role == "compute" and op.family != "region" and bool(self.graph.types(node))
        return "PrimFunc_" * computes + node_name(self.graph, node)

    def _operands(self, node: int) -> list[Operand]:
        """Bodies, then operands; the first operand of an assignment is the Parameter itself."""
        bodies = [] if self.graph.op(node).role == "fused" else body_names(self.subgraph, node)
        targets = [self.parameters[key] for key in assigned_parameters(self.graph, node)]
        given = [Operand(f"@{name}", "<Func, NoShape>") for name in bodies]
        given += [Operand(para.text, para.type) for para in targets]
        return given + [self._operand(ref) for ref in self.graph.ins(node)[len(targets) :]]

    def _operand(self, ref: Ref) -> Operand:
        """One value."""
        node, type = producer(ref), type_text(self.graph.type(ref))
        op, attrs = self.graph.op(node), self.graph.attrs(node)
        if op.role == "const":
            return Operand(tensor_text(attrs["value"].array), f"{type[:-1]}, value=...>")
        if node in self.parts:
            return Operand(f"%{node}.{result_index(ref)}", type)
        para = self.parameters[str(attrs["name"])] if op.role == "parameter" else self.inputs.get(node)
        return Operand(para.text, para.type) if para else Operand(f"%{node}", type)

    def _result_type(self, node: int) -> str:
        """The type of what a node gives; an assignment gives the Parameter."""
        stored = assigned_parameters(self.graph, node)
        return self.parameters[stored[0]].type if stored else types_text(self.graph.types(node))

    def _comments(self, node: int) -> Iterator[str]:
        """Who made a node, of what, and the user's lines."""
        made, locs = self.graph.prov(node), self.graph.loc(node)
        places = list(dict.fromkeys(loc._replace(scope="") for loc in locs))
        scope = SCOPES.get(made.by) or f"Default/{identifier(made.by)}"
        yield f"      # Fullname with scope: ({scope}/{node_name(self.graph, node)}-op{node})"
        if made.sources:
            yield f"      # Made by {identifier(made.by)} of {', '.join(f'%{source}' for source in made.sources)}"
        yield from (f"      # In file {_place(loc)}" for loc in places[:MAX_SOURCE_LINES])
        if len(places) > MAX_SOURCE_LINES:
            yield f"      # In {len(places) - MAX_SOURCE_LINES} more lines"

    # ---- effects and order ---------------------------------------------------------------------------

    def _marks(self, node: int) -> list[str]:
        """MindSpore's marks of a node that writes memory, and of one that does anything else that can be seen."""
        written = [effect.resource for effect in self.graph.effects(node) if effect.writes]
        memory = any(resource in self.parameters for resource in written)
        world = any(resource not in self.parameters for resource in written)
        return [MEM] * memory + [IO] * world

    def _monad(self, nodes: Sequence[int]) -> Operand:
        """What a state of these nodes begins with."""
        return IO_MONAD if all(self._marks(node) == [IO] for node in nodes) else MEMORY_MONAD

    def _waits_for(self, node: int) -> list[int]:
        """The nodes order edges put before it; before an assignment also the one it writes over."""
        targets = [producer(ref) for ref in self.graph.ins(node)[: len(assigned_parameters(self.graph, node))]]
        return sorted({*self.graph.before(node), *(one for one in targets if not self.graph.op(one).is_leaf)})

    def _update_state(self, state: Operand, monad: Operand, first: Sequence[int]) -> Iterator[str]:
        done = [Operand(f"%{node}", self._result_type(node)) for node in first]
        yield from _call(state, UPDATE, [monad, *done])

    def _last_writes(self) -> list[int]:
        """Writes that are kept although nobody asks, without those that a later write waits for."""
        graph = self.graph
        writes = {node for node in graph if graph.keep_effects and graph.writes(node)}
        return [node for node in sorted(writes) if not graph.is_out(node) and writes.isdisjoint(graph.successors(node))]

    # ---- the end -----------------------------------------------------------------------------------

    def _end(self) -> Iterator[str]:
        """What is returned, behind all writes."""
        outs, last = [self._operand(ref) for ref in self.graph.outs], self._last_writes()
        value = outs[0] if outs else Operand("None", "<None, NoShape>")
        if len(outs) > 1:
            value = Operand("%results", types_text([self.graph.type(ref) for ref in self.graph.outs]))
            yield from _call(value, "MakeTuple", outs)
        if last:
            monad = self._monad(last)
            state, kept = Operand("%state", monad.type), Operand("%kept", value.type)
            yield from self._update_state(state, monad, last)
            yield from _call(kept, "Depend", [value, state], attrs_text({"side_effect_propagate": 1}))
            value = kept
        yield f"  Return({value.text})"
        yield f"      : ({value.type})"


def _used_results(graph: GraphReader) -> dict[int, set[int]]:
    """Nodes with several results, and which of these are used."""
    found: dict[int, set[int]] = {}
    for refs in (graph.outs, *map(graph.ins, graph)):
        for ref in refs:
            if len(graph.types(producer(ref))) > 1:
                found.setdefault(producer(ref), set()).add(result_index(ref))
    return found


def _call(result: Operand, callee: str, given: Sequence[Operand], attrs: str = "") -> Iterator[str]:
    kind, name = "ValueNode" if callee == UPDATE else "CNode", result.text[1:]
    yield f"  %{name}({kind}_{name}) = {callee}({', '.join(operand.text for operand in given)}){attrs}"
    yield f"      : ({', '.join(operand.type for operand in given)}) -> ({result.type})"


def _place(loc: Loc) -> str:
    columns = f", {loc.start}~{loc.end}" if loc.end > loc.start else ""
    return f"{one_line(str(loc))}{columns}/{one_line(loc._replace(start=0, end=0).text)}/"
