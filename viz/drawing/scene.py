"""The scene of a graph: boxes, arrows and groups, before layout.

Keys are made of node ids only ("n7", inside a fused node "n9_2"), so they are valid in every format and stable across
passes. Names and source text of the user appear only in labels and tooltips.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from minigraph.ir.text import body_path
from viz.common.labels import node_label, node_tooltip, operator_count, value_lines
from viz.common.style import kind_of

MAX_DRAWN_BOXES = 400  # boxes; a larger picture is not readable
MAX_OPEN_DEPTH = 4  # nested bodies that are drawn open


@dataclass(frozen=True, slots=True)
class Box:
    """One node: ``lines`` of text (the first is its title), ``kind`` (a key of ``style.LOOKS``), a tooltip.

    ``status`` is "" or a key of ``style.MARKS``, ``parent`` the key of the enclosing group; ``strong`` boxes have a
    heavy outline.
    """

    key: str
    lines: tuple[str, ...]
    kind: str
    tooltip: str = ""
    status: str = ""
    parent: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge with a label ``text``; ``kind`` is "data", "depend", "effect" or "body"."""

    tail: str
    head: str
    text: str = ""
    kind: str = "data"
    status: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of boxes: a fused node drawn open, or one region of an operator."""

    key: str
    title: str
    kind: str
    tooltip: str = ""
    status: str = ""
    parent: str = ""


@dataclass
class Scene:
    """Everything that a picture shows; ``note`` says what it omits."""

    title: str = ""
    note: str = ""
    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: dict[tuple[str, str, str], Arrow] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)

    def add(self, arrow: Arrow) -> None:
        """Add an arrow; parallel arrows are merged into one with a count."""
        key = arrow.tail, arrow.head, arrow.kind
        first = self.arrows.get(key)
        self.arrows[key] = arrow if first is None else replace(first, text=_merge_texts(first.text, arrow.text))

    def parts(self) -> list[Box | Group]:
        """All groups, outer ones first, then all boxes."""
        return [*self.groups.values(), *self.boxes.values()]

    def groups_around(self, box: str) -> list[str]:
        """The keys of the groups that contain a box, inner ones first."""
        keys, key = [], self.boxes[box].parent
        while key:
            keys.append(key)
            key = self.groups[key].parent
        return keys

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass
class _Frame:
    """One graph of the scene: the top graph, or a body of ``node`` in the ``outer`` frame."""

    graph: GraphReader
    prefix: str = "n"
    path: str = ""  # the prefix of its value names
    group: str = ""
    outer: _Frame | None = None
    node: int = -1
    depth: int = 0
    inlined: bool = False  # draw edges to its inputs and outputs as edges of the outer graph
    bodies: dict[int, _Frame] = field(default_factory=dict)
    nodes: list[int] = field(init=False)
    inputs: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = self.graph.topological()
        self.inputs = {node: position for position, node in enumerate(self.graph.inputs)} if self.inlined else {}

    def drawn_nodes(self) -> Iterable[int]:
        """The nodes with their own box."""
        return (node for node in self.nodes if node not in self.bodies and node not in self.inputs)

    def key(self, node: int) -> str:
        return f"{self.prefix}{node}"


def scene_of(
    graph: GraphReader,
    *,
    bodies: bool = True,
    values: Mapping[int, object] | None = None,
    highlight: Collection[int] = (),
) -> Scene:
    """The whole graph as a scene; ``bodies`` draws fused nodes open.

    ``values`` (node id -> any value) are shown below the node's title, ``highlight`` outlines nodes.
    """
    scene = Scene(title=graph.title)
    frames = [_Frame(graph)]
    for frame in frames:
        for node in frame.nodes:
            frames += _open_bodies(scene, frame, node, bodies)
    for frame in frames:
        _add_boxes(scene, frame, values or {}, highlight)
    for frame in frames:
        _add_arrows(scene, frame)
    return scene


def drawn_size(graph: GraphReader, stop: int) -> int:
    """The number of boxes with all bodies open; counting stops soon after ``stop``."""
    stack, total = [graph], 0
    while stack and total <= stop:
        current = stack.pop()
        total += len(current)
        if len(current) <= stop:
            stack += [body for node in current for body in current.regions(node)]
    return total


def _open_bodies(scene: Scene, frame: _Frame, node: int, bodies: bool) -> list[_Frame]:
    regions = frame.graph.regions(node)
    if not regions or not bodies or frame.depth == MAX_OPEN_DEPTH:
        return []
    fused = frame.graph.op(node).role == "fused"
    key, kind = frame.key(node), "fused" if fused else "region"
    inner = []
    for r, body in enumerate(regions):
        title, text = _group_title(frame, node, r), node_tooltip(frame.graph, node, frame.path)
        group = Group(f"{key}g{r}", title, kind, text, parent=frame.group)
        scene.groups[group.key] = group
        path = body_path(frame.path, node, r)
        inner.append(_Frame(body, f"{key}_{r}_", path, group.key, frame, node, frame.depth + 1, fused))
    if fused:
        frame.bodies[node] = inner[0]
    return inner


def _group_title(frame: _Frame, node: int, region: int) -> str:
    title = f"%{frame.path}{node} {node_label(frame.graph, node)}"
    return f"{title}, region {region}" if len(frame.graph.regions(node)) > 1 else title


# ---- boxes -----------------------------------------------------------------------------------------


def _add_boxes(scene: Scene, frame: _Frame, values: Mapping[int, object], highlight: Collection[int]) -> None:
    top, graph = frame.outer is None, frame.graph
    for node in frame.drawn_nodes():
        shown = value_lines(values[node]) if top and node in values else ()
        box = Box(
            frame.key(node), (_title(frame, node), *shown), kind_of(graph.op(node)),
            node_tooltip(graph, node, frame.path), parent=frame.group, strong=top and node in highlight,
        )  # fmt: skip
        scene.boxes[box.key] = box
    if not frame.inlined:
        _add_outputs(scene, frame)


def _add_outputs(scene: Scene, frame: _Frame) -> None:
    for position, ref in enumerate(frame.graph.outs):
        name = f"output {position}" if len(frame.graph.outs) > 1 else "output"
        key = f"{frame.prefix}out{position}"
        scene.boxes[key] = Box(key, (name,), "output", f"{name}: {frame.graph.type(ref)}", parent=frame.group)


def _title(frame: _Frame, node: int) -> str:
    """Id and label; inside a fused node only the label."""
    text = node_label(frame.graph, node)
    inside = sum(operator_count(body) for body in frame.graph.regions(node))
    text += f" ({inside} operators)" if inside else ""
    return text if frame.inlined else f"%{frame.path}{node} {text}"


# ---- arrows ----------------------------------------------------------------------------------------


def _add_arrows(scene: Scene, frame: _Frame) -> None:
    graph = frame.graph
    for node in frame.drawn_nodes():
        _add_operands(scene, frame, frame.key(node), graph.ins(node))
    for node in frame.nodes:
        for first in graph.before(node):
            kind = graph.order_kind(first, node)
            scene.add(Arrow(_edge_box(frame, first, -1), _edge_box(frame, node, 0), kind, kind))
    if not frame.inlined:
        for position, ref in enumerate(graph.outs):
            _add_operands(scene, frame, f"{frame.prefix}out{position}", [ref])
        if frame.outer is not None and len(graph):
            scene.add(Arrow(frame.outer.key(frame.node), _edge_box(frame, frame.nodes[0], 0), kind="body"))


def _add_operands(scene: Scene, frame: _Frame, head: str, refs: Iterable[Ref]) -> None:
    for ref in refs:
        tail, name = _source(frame, ref)
        scene.add(Arrow(tail, head, name + str(frame.graph.type(ref))))


def _source(frame: _Frame, ref: Ref) -> tuple[str, str]:
    """The box that produces a value, looking through open bodies, and the result's name if there are several."""
    while True:
        node, result = producer(ref), result_index(ref)
        if node in frame.bodies:
            frame = frame.bodies[node]
            ref = frame.graph.outs[result]
        elif frame.outer is not None and node in frame.inputs:
            ref = frame.outer.graph.ins(frame.node)[frame.inputs[node]]
            frame = frame.outer
        else:
            return frame.key(node), f".{result} " if len(frame.graph.types(node)) > 1 else ""


def _edge_box(frame: _Frame, node: int, which: int) -> str:
    """The box that represents an open body in order edges: its first (0) or last (-1) operator."""
    while node in frame.bodies:
        frame = frame.bodies[node]
        inner = [n for n in frame.nodes if n not in frame.inputs]
        if not inner:
            break
        node = inner[which]
    return frame.key(node)


def _merge_texts(first: str, second: str) -> str:
    base, _, count = first.partition(" ×")
    same = base if base == second or not second else f"{base}, {second}"
    return f"{same} ×{int(count or 1) + 1}" if base == second else same
