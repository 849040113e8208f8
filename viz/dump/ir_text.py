"""Writes a graph in the syntax of MindSpore's ``.ir`` files.

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

As in MindSpore: constants are written inside operands; a fused node is ``call @GraphKernel_Add_Mul_fusion_7(…)``, and
its body is a subgraph; ``TupleGetItem`` selects one of several results, and ``MakeTuple`` returns several; a node with
order edges has a monad, built from its predecessors by ``UpdateState``, as its last operand; ``Depend`` at the end
keeps writes alive whose results are unused.

Unlike MindSpore: numbers are node ids and stable across stages, so that the diff of two stages shows only changes.
After an assignment, reads of the Parameter use the assignment's result; there is no ``Load``. Monads are not chained: a
node waits for exactly the predecessors of its order edges. Bodies take all values they use as parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minigraph.core.location import Loc
from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from viz.dump.ir_names import (
    Subgraph,
    assigned_parameters,
    body_names,
    execution_order,
    inputs_of,
    node_name,
    parameters_of,
    subgraphs_of,
)
from viz.dump.ir_syntax import attrs_text, identifier, one_line, tensor_text, type_text, types_text

SCOPES = {"capture": "Default", "gradient": "Gradients/Default"}  # creator of a node -> scope in MindSpore
MAX_SOURCE_LINES = 8  # per node; fused nodes may have more
UPDATE = "UpdateState"
MEM, IO = "side_effect_mem", "side_effect_io"


class Operand(NamedTuple):
    """The text of an operand, and its type on the line below."""

    text: str
    type: str


MEMORY_MONAD = Operand("UMonad[U]", "<UMonad, NoShape>")
IO_MONAD = Operand("IOMonad[IO]", "<IOMonad, NoShape>")


def ir_text(graph: GraphReader, notes: Sequence[str] = ()) -> str:
    """The whole graph, bodies included, as text; ``notes`` are appended as comment lines.

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
    parameters = [*inputs_of(entry.graph).values(), *parameters_of(entry.graph).values()]
    nodes = [subgraph.graph.op(node) for subgraph in subgraphs for node in subgraph.graph]
    yield from (f"# IR entry: @{entry.name}", f"# Total subgraphs: {len(subgraphs)}", "")
    yield from (f"# Total params: {len(parameters)}", "# Params:")
    yield from (f"{parameter.text}: {parameter.type}{parameter.remark}" for parameter in parameters)
    yield from ("", "Node counting information:", f"Total number of nodes: {len(nodes)}")
    yield f"Total number of cnodes: {sum(not op.is_leaf for op in nodes)}"


class _Writer:
    """Writes one subgraph."""

    def __init__(self, subgraph: Subgraph) -> None:
        self.subgraph, self.graph = subgraph, subgraph.graph
        self.inputs, self.parameters = inputs_of(self.graph), parameters_of(self.graph)
        self.used_results = _used_results(self.graph)

    def lines(self) -> Iterator[str]:
        """All lines of the subgraph; the parameters of the entry graph are listed in the header."""
        parameters = [*self.inputs.values()] if self.subgraph.path else []
        if self.subgraph.path:
            yield f"# Parameters: {len(parameters)}, ({', '.join(parameter.type for parameter in parameters)})"
        yield f"subgraph @{self.subgraph.name}({', '.join(parameter.text for parameter in parameters)}) {{"
        for node in execution_order(self.graph):
            if not self.graph.op(node).is_leaf:
                yield from self._node(node)
        yield from self._end()
        yield "}"

    # ---- one node ----------------------------------------------------------------------------------

    def _node(self, node: int) -> Iterator[str]:
        """The monad of a node, the node, and the selection of its results."""
        operands, predecessors = self._operands(node), self._predecessors(node)
        if predecessors:
            state = Operand(f"%{node}.state", self._monad([node]).type)
            operands.append(state)
            yield from self._update_state(state, self._monad([node]), predecessors)
            kinds = [f"%{other} ({self.graph.order_kind(other, node) or 'overwritten'})" for other in predecessors]
            yield f"      # Order: %{node} after {', '.join(kinds)}"
        result = Operand(f"%{node}", self._result_type(node))
        attrs = attrs_text(self.graph.attrs(node), self._effect_attrs(node))
        yield from _call(result, self._callee(node), operands, attrs)
        yield from self._comments(node)
        for r in sorted(self.used_results.get(node, ())):
            item = self._operand((node, r))
            yield from _call(item, "TupleGetItem", [result, Operand(f"I64({r})", "<Int64, NoShape>")])

    def _callee(self, node: int) -> str:
        """A call for a fused body; operators without effects have MindSpore's prefix of pure functions."""
        op = self.graph.op(node)
        if op.role == "fused":
            return f"call @{body_names(self.subgraph, node)[0]}"
        computes = op.role == "compute" and op.family != "region" and bool(self.graph.types(node))
        return "PrimFunc_" * computes + node_name(self.graph, node)

    def _operands(self, node: int) -> list[Operand]:
        """Bodies, then operands; the first operand of an assignment is the Parameter itself."""
        bodies = [] if self.graph.op(node).role == "fused" else body_names(self.subgraph, node)
        targets = [self.parameters[key] for key in assigned_parameters(self.graph, node)]
        operands = [Operand(f"@{name}", "<Func, NoShape>") for name in bodies]
        operands += [Operand(target.text, target.type) for target in targets]
        return operands + [self._operand(ref) for ref in self.graph.ins(node)[len(targets) :]]

    def _operand(self, ref: Ref) -> Operand:
        """One value."""
        node, type = producer(ref), type_text(self.graph.type(ref))
        op, attrs = self.graph.op(node), self.graph.attrs(node)
        if op.role == "const":
            return Operand(tensor_text(attrs["value"].array), f"{type[:-1]}, value=...>")
        if node in self.used_results:
            return Operand(f"%{node}.{result_index(ref)}", type)
        parameter = self.parameters[str(attrs["name"])] if op.role == "parameter" else self.inputs.get(node)
        return Operand(parameter.text, parameter.type) if parameter else Operand(f"%{node}", type)

    def _result_type(self, node: int) -> str:
        """The result type of a node; an assignment returns the Parameter."""
        assigned = assigned_parameters(self.graph, node)
        return self.parameters[assigned[0]].type if assigned else types_text(self.graph.types(node))

    def _comments(self, node: int) -> Iterator[str]:
        """The provenance of a node, and the user's source lines."""
        prov, locs = self.graph.prov(node), self.graph.loc(node)
        lines = list(dict.fromkeys(loc._replace(scope="") for loc in locs))
        scope = SCOPES.get(prov.by) or f"Default/{identifier(prov.by)}"
        yield f"      # Fullname with scope: ({scope}/{node_name(self.graph, node)}-op{node})"
        if prov.sources:
            yield f"      # Made by {identifier(prov.by)} of {', '.join(f'%{source}' for source in prov.sources)}"
        yield from (f"      # In file {_location(loc)}" for loc in lines[:MAX_SOURCE_LINES])
        if len(lines) > MAX_SOURCE_LINES:
            yield f"      # In {len(lines) - MAX_SOURCE_LINES} more lines"

    # ---- effects and order ---------------------------------------------------------------------------

    def _effect_attrs(self, node: int) -> list[str]:
        """MindSpore's attributes of nodes that write memory, and of nodes with other visible effects."""
        resources = [effect.resource for effect in self.graph.effects(node) if effect.writes]
        memory = any(resource in self.parameters for resource in resources)
        io = any(resource not in self.parameters for resource in resources)
        return [MEM] * memory + [IO] * io

    def _monad(self, nodes: Sequence[int]) -> Operand:
        """The kind of monad for these nodes."""
        return IO_MONAD if all(self._effect_attrs(node) == [IO] for node in nodes) else MEMORY_MONAD

    def _predecessors(self, node: int) -> list[int]:
        """The predecessors of a node's order edges; for an assignment also the previous one, which it overwrites."""
        targets = [producer(ref) for ref in self.graph.ins(node)[: len(assigned_parameters(self.graph, node))]]
        return sorted({*self.graph.before(node), *(target for target in targets if not self.graph.op(target).is_leaf)})

    def _update_state(self, state: Operand, monad: Operand, nodes: Sequence[int]) -> Iterator[str]:
        results = [Operand(f"%{node}", self._result_type(node)) for node in nodes]
        yield from _call(state, UPDATE, [monad, *results])

    def _last_writes(self) -> list[int]:
        """Writes without users, except those that a later write depends on."""
        graph = self.graph
        writes = {node for node in graph if graph.keep_effects and graph.writes(node)}
        return [node for node in sorted(writes) if not graph.is_out(node) and writes.isdisjoint(graph.successors(node))]

    # ---- the end -----------------------------------------------------------------------------------

    def _end(self) -> Iterator[str]:
        """The return value, after all writes."""
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
    """The used results of nodes with several results."""
    used: dict[int, set[int]] = {}
    for refs in (graph.outs, *map(graph.ins, graph)):
        for ref in refs:
            if len(graph.types(producer(ref))) > 1:
                used.setdefault(producer(ref), set()).add(result_index(ref))
    return used


def _call(result: Operand, callee: str, operands: Sequence[Operand], attrs: str = "") -> Iterator[str]:
    kind, name = "ValueNode" if callee == UPDATE else "CNode", result.text[1:]
    yield f"  %{name}({kind}_{name}) = {callee}({', '.join(operand.text for operand in operands)}){attrs}"
    yield f"      : ({', '.join(operand.type for operand in operands)}) -> ({result.type})"


def _location(loc: Loc) -> str:
    columns = f", {loc.start}~{loc.end}" if loc.end > loc.start else ""
    return f"{one_line(str(loc))}{columns}/{one_line(loc._replace(start=0, end=0).text)}/"
