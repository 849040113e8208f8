"""What things are called in an ``.ir`` file: subgraphs, fused kernels, parameters."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.errors import GraphError
from minigraph.core.types import TensorType
from minigraph.ir.reading import GraphReader
from minigraph.ops.primitive import primitive_name
from viz.dump.ir_syntax import parameter_type, type_text, identifier

MAX_NAMED_OPERATORS = 12  # operators a kernel is named after; it may hold more


class Subgraph(NamedTuple):
    """A graph under the name it is called by; ``path`` has the ids of the nodes it stands inside of."""

    graph: GraphReader
    name: str
    path: str = ""


def subgraphs_of(entry: GraphReader) -> list[Subgraph]:
    """The graph and all bodies, outer ones first; the list grows while it is read, which stands for recursion."""
    found = [Subgraph(entry, identifier(entry.title))]
    for around in found:
        for node in execution_order(around.graph):
            named = zip(around.graph.regions(node), body_names(around, node), strict=True)
            found += [Subgraph(body, name, f"{around.path}_{node}") for body, name in named]
    return found


def body_names(around: Subgraph, node: int) -> list[str]:
    """The names of a node's bodies: what they are, then where they stand, as ``f.then_5``."""
    graph = around.graph
    fused = graph.op(node).role == "fused"
    names = [kernel_name(graph, node) if fused else identifier(body.title) for body in graph.regions(node)]
    alike = len(set(names)) < len(names)
    return [f"{name}{around.path}_{node}" + f"_{k}" * alike for k, name in enumerate(names)]


def kernel_name(graph: GraphReader, node: int) -> str:
    """What a fused node is called: after its operators; with a cube operator inside, after the rule that made it."""
    body = graph.regions(node)[0]
    inside = [body.op(inner) for inner in body if not body.op(inner).is_leaf]
    if any(op.unit == "cube" for op in inside):
        return identifier(str(graph.attrs(node).get("name", "")))
    names = [identifier(primitive_name(op)) for op in inside[:MAX_NAMED_OPERATORS]]
    more = [f"and_{len(inside) - MAX_NAMED_OPERATORS}_more"] if len(inside) > MAX_NAMED_OPERATORS else []
    return "_".join(("GraphKernel", *names, *more, "fusion"))


def node_name(graph: GraphReader, node: int) -> str:
    """What a node is called: its kernel, or MindSpore's name of its operator."""
    op = graph.op(node)
    return kernel_name(graph, node) if op.role == "fused" else identifier(primitive_name(op))


def execution_order(graph: GraphReader) -> list[int]:
    """The nodes in an order in which they can run; by id when there is none, for a broken graph has to be shown."""
    try:
        return graph.topological()
    except GraphError:
        return sorted(graph)


# ---- parameters ------------------------------------------------------------------------------------


class IrParameter(NamedTuple):
    """An input or a Parameter: how it is written as an operand, its type, and what stands behind that in the header."""

    text: str
    type: str
    remark: str


def inputs_of(graph: GraphReader) -> dict[int, IrParameter]:
    """The inputs by node, numbered from 1."""
    found = {}
    for number, node in enumerate(graph.inputs, 1):
        name, type = identifier(str(graph.attrs(node).get("name", ""))), graph.type(node)
        found[node] = IrParameter(f"%para{number}_{name}", type_text(type), f" : {list(type.shape)}")
    return found


def parameters_of(graph: GraphReader) -> dict[str, IrParameter]:
    """The Parameters by key, as they come in the graph, numbered after the inputs."""
    types: dict[str, TensorType] = {}
    written: set[str] = set()
    for node in sorted(graph):
        op, attrs = graph.op(node), graph.attrs(node)
        keys = [str(attrs["name"])] if op.role == "parameter" else assigned_parameters(graph, node)
        types.update({key: graph.type(node) for key in keys})
        written.update(keys if op.stores else ())
    numbered = enumerate(types.items(), len(graph.inputs) + 1)
    return {
        key: IrParameter(f"%para{number}_{identifier(key)}", parameter_type(type, key, key in written), "  :  has_default")
        for number, (key, type) in numbered
    }


def assigned_parameters(graph: GraphReader, node: int) -> list[str]:
    """The keys of the Parameters a node gives new values: one for an assignment, none for other operators."""
    op = graph.op(node)
    return [effect.resource for effect in op.effects_of(graph.attrs(node)) if effect.writes] if op.stores else []
