"""Names in ``.ir`` files: of subgraphs, fused kernels and parameters."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.errors import GraphError
from minigraph.core.types import TensorType
from minigraph.ir.graph_reader import GraphReader
from minigraph.ops.primitive import primitive_name
from viz.dump.ir_syntax import identifier, parameter_type, type_text

MAX_NAMED_OPERATORS = 12  # in the name of a kernel


class Subgraph(NamedTuple):
    """A graph and its name; ``path`` consists of the ids of the enclosing nodes."""

    graph: GraphReader
    name: str
    path: str = ""


def subgraphs_of(entry: GraphReader) -> list[Subgraph]:
    """The graph and all bodies, outer ones first; appends to the list during iteration instead of recursion."""
    subgraphs = [Subgraph(entry, identifier(entry.title))]
    for outer in subgraphs:
        for node in execution_order(outer.graph):
            bodies = zip(outer.graph.regions(node), body_names(outer, node), strict=True)
            subgraphs += [Subgraph(body, name, f"{outer.path}_{node}") for body, name in bodies]
    return subgraphs


def body_names(outer: Subgraph, node: int) -> list[str]:
    """The names of a node's bodies, followed by the path of node ids, such as ``f.then_5``."""
    graph = outer.graph
    fused = graph.op(node).role == "fused"
    names = [kernel_name(graph, node) if fused else identifier(body.title) for body in graph.regions(node)]
    ambiguous = len(set(names)) < len(names)
    return [f"{name}{outer.path}_{node}" + f"_{k}" * ambiguous for k, name in enumerate(names)]


def kernel_name(graph: GraphReader, node: int) -> str:
    """The name of a fused node: from its operators, or from the fusion rule if it contains a cube operator."""
    body = graph.regions(node)[0]
    operators = [body.op(inner) for inner in body if not body.op(inner).is_leaf]
    if any(op.unit == "cube" for op in operators):
        return identifier(str(graph.attrs(node).get("name", "")))
    names = [identifier(primitive_name(op)) for op in operators[:MAX_NAMED_OPERATORS]]
    omitted = [f"and_{len(operators) - MAX_NAMED_OPERATORS}_more"] if len(operators) > MAX_NAMED_OPERATORS else []
    return "_".join(("GraphKernel", *names, *omitted, "fusion"))


def node_name(graph: GraphReader, node: int) -> str:
    """The name of a node: the name of its kernel, or MindSpore's name of its operator."""
    op = graph.op(node)
    return kernel_name(graph, node) if op.role == "fused" else identifier(primitive_name(op))


def execution_order(graph: GraphReader) -> list[int]:
    """The nodes in topological order, or by id if the graph is invalid, because invalid graphs are dumped too."""
    try:
        return graph.topological()
    except GraphError:
        return sorted(graph)


# ---- parameters ------------------------------------------------------------------------------------


class IrParameter(NamedTuple):
    """An input or a Parameter: its text as an operand, its type, and the remark after the type in the header."""

    text: str
    type: str
    remark: str


def inputs_of(graph: GraphReader) -> dict[int, IrParameter]:
    """The inputs by node, numbered from 1."""
    inputs = {}
    for number, node in enumerate(graph.inputs, 1):
        name, type = identifier(str(graph.attrs(node).get("name", ""))), graph.type(node)
        inputs[node] = IrParameter(f"%para{number}_{name}", type_text(type), f" : {list(type.shape)}")
    return inputs


def parameters_of(graph: GraphReader) -> dict[str, IrParameter]:
    """The Parameters by key, in graph order, numbered after the inputs."""
    types: dict[str, TensorType] = {}
    assigned: set[str] = set()
    for node in sorted(graph):
        op, attrs = graph.op(node), graph.attrs(node)
        keys = [str(attrs["name"])] if op.role == "parameter" else assigned_parameters(graph, node)
        types.update({key: graph.type(node) for key in keys})
        assigned.update(keys if op.stores else ())
    numbered = enumerate(types.items(), len(graph.inputs) + 1)
    return {
        key: IrParameter(f"%para{i}_{identifier(key)}", parameter_type(type, key, key in assigned), "  :  has_default")
        for i, (key, type) in numbered
    }


def assigned_parameters(graph: GraphReader, node: int) -> list[str]:
    """The keys of the Parameters that a node assigns: one for an assignment, none for other operators."""
    op = graph.op(node)
    return [effect.resource for effect in op.effects_of(graph.attrs(node)) if effect.writes] if op.stores else []
