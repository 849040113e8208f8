"""The text form of a graph: ``to_text`` prints it, ``parse`` reads it back equal.

::

    graph step(%0, %1) {params=("fc.w",)}
      %0 = input() {name="x"} : f32[2,3]
      %1 = input() {name="y"} : f32[3,4]
      %5 = print(%0) : f32[2,3]  # net.py:11
      %7 = matmul(%0, %1) {transpose_b=false} : f32[2,4] after %5(depend)  # net.py:12
      %8 = fused(%7) {name="tail"} : f32[2,4]
        graph step.body(%8/0)
          %8/0 = input() {name="x0"} : f32[2,4]
          %8/1 = tanh(%8/0) : f32[2,4]
          return %8/1
      return %8

One line a node: ``%id = operator(operands) {attributes} : result types after order edges  # user lines``. ``%7.1`` is
result 1 of node 7; ``: ()`` means no result. The header carries the inputs and, where they are not the default,
``keep_effects=false`` and ``params``. The bodies of a node follow its line; a ``return`` line ends a graph. ``%8/1``
is node 1 in the body of node 8, ``%8.1/1`` node 1 in its second body; ``%1`` is accepted, too. Nodes are in
topological order (by id if there is a cycle). Constants of more than eight elements are in a section ``literals:`` at
the end. Blank lines and lines that begin with ``#`` are skipped. ``minigraph.ir.attribute_values`` describes values.
"""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.errors import GraphError, ParseError, did_you_mean
from minigraph.core.location import Loc
from minigraph.core.op import TABLE, Op
from minigraph.core.types import TensorType
from minigraph.ir.attribute_values import ValueWriter, name_text
from minigraph.ir.graph import Graph, Prov, Ref, producer, reference
from minigraph.ir.graph_reader import GraphReader, ref_text
from minigraph.ir.scanner import Scanner, parse_packed_literal
from minigraph.ir.verify import verify

_FILE = re.compile(r'[^\s",#]+')
OPAQUE = "opaque("  # begins the text of a value that has no text form; it cannot be parsed

# ---- printing --------------------------------------------------------------------------------------


def to_text(graph: GraphReader, literals: bool = True) -> str:
    """The whole graph as text, bodies included; ``literals=False`` leaves long constants out, for display."""
    writer = ValueWriter(literals)
    return "\n".join([*_nested_lines(graph, writer), *writer.trailer()]) + "\n"


def node_text(graph: GraphReader, node: int, path: str = "") -> str:
    """The line of one node, without its bodies and without long constants; ``path`` is the path of its graph."""
    return _node_line(graph, node, ValueWriter(literals=False), path)


def _nested_lines(graph: GraphReader, writer: ValueWriter) -> Iterator[str]:
    """The lines of a graph and, indented, of its bodies; an explicit stack replaces recursion."""
    stack = [_graph_lines(graph, writer, "")]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
        elif isinstance(item, str):
            yield "    " * (len(stack) - 1) + item
        else:
            stack.append(_graph_lines(item[0], writer, item[1]))


def _graph_lines(graph: GraphReader, writer: ValueWriter, path: str) -> Iterator[str | tuple[GraphReader, str]]:
    """The lines of one graph, with each body graph and its path in the place of its lines."""
    yield _header(graph, writer, path)
    for node in _nodes_in_order(graph):
        yield "  " + _node_line(graph, node, writer, path)
        for number, body in enumerate(graph.regions(node)):
            yield body, body_path(path, node, number)
    yield f"  return {_refs_text(graph.outs, path)}".rstrip()


def body_path(path: str, node: int, number: int = 0) -> str:
    """The prefix of the names of values in a body: the path of its graph, the node, and the number of the body.

    >>> body_path("", 8), body_path("8/", 3, 1)
    ('8/', '8/3.1/')
    """
    return f"{path}{ref_text(reference(node, number))[1:]}/"


def _header(graph: GraphReader, writer: ValueWriter, path: str) -> str:
    extra: dict[str, Any] = {} if graph.keep_effects else {"keep_effects": False}
    if graph.params:
        extra["params"] = tuple(graph.params)
    return f"graph {name_text(graph.title)}({_refs_text(graph.inputs, path)}){writer.attrs(extra)}"


def _nodes_in_order(graph: GraphReader) -> list[int]:
    try:
        return graph.topological()
    except GraphError:  # a graph with a cycle must still be printable
        return sorted(graph)


def _node_line(graph: GraphReader, node: int, writer: ValueWriter, path: str) -> str:
    types = ", ".join(map(str, graph.types(node))) or "()"
    head = f"%{path}{node} = {name_text(graph.op(node).name)}({_refs_text(graph.ins(node), path)})"
    first = ", ".join(f"%{path}{other}({graph.order_kind(other, node)})" for other in graph.before(node))
    lines = ", ".join(dict.fromkeys(map(_loc_text, graph.loc(node))))
    tail = f"{' after ' * bool(first)}{first}{'  # ' * bool(lines)}{lines}"
    return f"{head}{writer.attrs(graph.attrs(node))} : {types}{tail}"


def _refs_text(refs: Iterable[Ref], path: str) -> str:
    return ", ".join(f"%{path}{ref_text(ref)[1:]}" for ref in refs)


def _loc_text(loc: Loc) -> str:
    name, _, line = str(loc).rpartition(":")
    return f"{name if _FILE.fullmatch(name) else json.dumps(name)}:{line}"


# ---- parsing ---------------------------------------------------------------------------------------


def parse(text: str, ops: Mapping[str, Op] | None = None, check: bool = True) -> Graph:
    """Parse the text of a graph; ``ops`` adds operators to the table's.

    Parameter objects are not in the text: ``graph.params`` maps their keys to ``None``. Raises ``ParseError`` with the
    line at a syntax error, and ``VerifyError`` for a graph that is not well formed, unless ``check`` is false.

    >>> g = parse('graph f(%0)\\n  %0 = input() {name="x"} : f32[2]\\n  return %0')
    >>> print(to_text(g), end="")
    graph f(%0)
      %0 = input() {name="x"} : f32[2]
      return %0
    """
    lines = [(f"graph text, line {k}", line.strip()) for k, line in enumerate(text.split("\n"), 1)]
    lines = [(where, line) for where, line in lines if line and line[0] != "#"]
    split = next((k for k, (_, line) in enumerate(lines) if line == "literals:"), len(lines))
    literals = dict(_convert_errors(parse_packed_literal, Scanner(line, where)) for where, line in lines[split + 1 :])
    parser = _Parser(ChainMap(dict(ops or {}), TABLE))
    for where, line in lines[:split]:
        _convert_errors(parser.line, Scanner(line, where, literals))
    if parser.whole is None:
        raise ParseError("graph text: it ends before a 'return' line; print a graph with str(graph) and compare")
    if check:
        verify(parser.whole)
    return parser.whole


def _convert_errors(read: Function, scanner: Scanner) -> Any:
    try:
        return read(scanner)
    except ParseError:
        raise
    except (ValueError, OverflowError) as error:  # a number out of the range of Python or numpy
        raise scanner.error(str(error)) from None


@dataclass
class _Draft:
    """A graph under construction; edges are added at ``return``, because ids may come in any order."""

    graph: Graph
    inputs: list[Ref]
    path: str
    scanners: dict[int, Scanner] = field(default_factory=dict)
    before: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    bodies: dict[int, list[Graph]] = field(default_factory=dict)


class _Parser:
    """Parses line after line; ``open`` holds the unfinished graphs, outermost first."""

    def __init__(self, ops: Mapping[str, Op]) -> None:
        self.ops = ops
        self.open: list[_Draft] = []
        self.whole: Graph | None = None

    def line(self, scan: Scanner) -> None:
        """Parse one line: a header, a node or a return."""
        if self.whole is not None:
            raise scan.error("expected the end after the graph's 'return'")
        scan.path = self.open[-1].path if self.open else ""
        if scan.text.startswith("%") and self.open:
            self._node(scan)
        elif scan.accept("graph "):
            self._header(scan)
        elif scan.accept("return") and self.open:
            self._return(scan)
        else:
            raise scan.error("expected 'graph', a node '%1 = ...' or 'return'")

    def _header(self, scan: Scanner) -> None:
        if self.open and not self.open[-1].scanners:
            raise scan.error("a body must follow a node")
        scan.path = self._path_of_next_body()
        graph = Graph(title=scan.name())
        scan.expect("(", "the title")
        inputs = scan.list_of(scan.ref, ")", "the inputs")
        extra = scan.attrs()
        graph.keep_effects = extra.pop("keep_effects", True) is True
        graph.params = dict.fromkeys(extra.pop("params", ()))
        if extra:
            raise scan.error(f"a graph has no '{next(iter(extra))}'; it has keep_effects and params")
        _expect_end(scan)
        self.open.append(_Draft(graph, inputs, scan.path))

    def _path_of_next_body(self) -> str:
        if not self.open:
            return ""
        draft, node = self.open[-1], next(reversed(self.open[-1].scanners))
        return body_path(draft.path, node, len(draft.bodies[node]))

    def _node(self, scan: Scanner) -> None:
        draft, node = self.open[-1], producer(scan.ref())
        if node in draft.scanners:
            raise scan.error(f"%{node} is defined twice")
        scan.expect("=", "the node's id")
        op = self._op(scan)
        scan.expect("(", "the operator")
        ins = tuple(scan.list_of(scan.ref, ")", "operands"))
        attrs, types = scan.attrs(), _parse_types(scan)
        draft.before[node] = _parse_list(scan, _parse_order) if scan.accept("after ") else []
        locs = tuple(_parse_list(scan, Scanner.loc)) if scan.accept("# ") else ()
        _expect_end(scan)
        draft.scanners[node], draft.bodies[node] = scan, []
        draft.graph._node[node] = {
            "op": op, "ins": ins, "attrs": attrs, "types": types, "loc": locs, "prov": Prov("text"), "regions": (),
        }  # fmt: skip
        draft.graph._succ[node], draft.graph._pred[node] = {}, {}

    def _op(self, scan: Scanner) -> Op:
        name = scan.name()
        if name not in self.ops:
            raise scan.error(f"no operator '{name}'{did_you_mean(name, self.ops)}")
        return self.ops[name]

    def _return(self, scan: Scanner) -> None:
        outs = _parse_list(scan, Scanner.ref) if scan.at < len(scan.text) else []
        _expect_end(scan)
        graph = _finish_graph(self.open.pop(), outs, scan)
        if self.open:
            node = next(reversed(self.open[-1].scanners))
            self.open[-1].bodies[node].append(graph)
        else:
            self.whole = graph


def _finish_graph(draft: _Draft, outs: list[Ref], scan: Scanner) -> Graph:
    graph = draft.graph
    for node, here in draft.scanners.items():
        data = graph._node[node]
        data["regions"] = tuple(draft.bodies[node])
        _check_defined(graph, (*data["ins"], *(first for first, _ in draft.before[node])), here)
        graph._connect(node, data["ins"])
        for first, kind in draft.before[node]:
            graph.order(first, node, kind)
    _check_defined(graph, (*outs, *draft.inputs), scan)
    graph.inputs = [producer(ref) for ref in draft.inputs]
    graph.next_id = max(graph._node, default=-1) + 1
    graph.set_outs(outs)
    return graph


def _check_defined(graph: Graph, refs: Iterable[Ref], scan: Scanner) -> None:
    for ref in refs:
        if producer(ref) not in graph._node:
            raise scan.error(f"{ref_text(ref)} is not defined in graph '{graph.title}'")


def _parse_order(scan: Scanner) -> tuple[int, str]:
    node = producer(scan.ref())
    scan.expect("(", "the node of an order edge")
    kind = scan.name()
    if kind not in ("depend", "effect"):
        raise scan.error(f"an order edge is 'depend' or 'effect', not '{kind}'")
    scan.expect(")", "the kind of an order edge")
    return node, kind


def _parse_types(scan: Scanner) -> tuple[TensorType, ...]:
    scan.expect(":", "the operands and attributes")
    return () if scan.accept("()") else tuple(_parse_list(scan, Scanner.type))


def _parse_list(scan: Scanner, parse_item: Function) -> list[Any]:
    items = [parse_item(scan)]
    while scan.accept(","):
        items.append(parse_item(scan))
    return items


def _expect_end(scan: Scanner) -> None:
    if scan.at < len(scan.text):
        raise scan.error(f"unexpected text at column {scan.at + 1}")
