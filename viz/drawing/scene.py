"""The scene of a graph: boxes for nodes, arrows for edges, groups for bodies; ``layout`` gives them positions.

Keys consist of node ids only ("n7", inside a fused node "n9_2"), so they are valid in every format and stable across
passes. Names and source text of the user appear only in labels and tooltips.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from minigraph.ir.graph_reader import GraphReader, Ref, producer, result_index
from minigraph.ir.text import body_path
from viz.common.labels import node_label, node_tooltip, operator_count, value_lines
from viz.common.style import kind_of

MAX_DRAWN_BOXES = 400  # a picture with more boxes is not readable
MAX_EXPANDED_DEPTH = 4  # levels of nested bodies that are expanded; deeper ones are drawn as one box


@dataclass(frozen=True, slots=True)
class Box:
    """One node: ``lines`` of text (the first is its title), ``kind`` (a key of ``style.NODE_STYLES``), a tooltip.

    ``status`` is "" or a key of ``style.CHANGE_STYLES``, ``parent`` the key of the enclosing group; ``highlighted``
    boxes have a heavy outline.
    """

    key: str
    lines: tuple[str, ...]
    kind: str
    tooltip: str = ""
    status: str = ""
    parent: str = ""
    highlighted: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge from the box ``tail`` to the box ``head``, with the label ``text``.

    ``kind`` is "data", "depend", "effect" or "body".
    """

    tail: str
    head: str
    text: str = ""
    kind: str = "data"
    status: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of boxes: an expanded fused node, or one region of an operator."""

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
        parallel = self.arrows.get(key)
        text = arrow.text if parallel is None else _merge_texts(parallel.text, arrow.text)
        self.arrows[key] = arrow if parallel is None else replace(parallel, text=text)

    def boxes_and_groups(self) -> list[Box | Group]:
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
    bodies: dict[int, _Frame] = field(default_factory=dict)  # of expanded fused nodes, by node
    nodes: list[int] = field(init=False)
    inputs: dict[int, int] = field(init=False)  # positions of its inputs, by node, if it is inlined

    def __post_init__(self) -> None:
        self.nodes = self.graph.topological()
        self.inputs = {node: position for position, node in enumerate(self.graph.inputs)} if self.inlined else {}

    def drawn_nodes(self) -> Iterable[int]:
        """The nodes with their own box."""
        return (node for node in self.nodes if node not in self.bodies and node not in self.inputs)

    def key(self, node: int) -> str:
        """The key of the box of a node."""
        return f"{self.prefix}{node}"


def scene_of(
    graph: GraphReader,
    *,
    bodies: bool = True,
    values: Mapping[int, object] | None = None,
    highlight: Collection[int] = (),
) -> Scene:
    """The whole graph as a scene; with ``bodies``, fused nodes and regions are expanded.

    ``values`` (node id -> any value) are shown below the node's title, ``highlight`` outlines nodes.
    """
    scene = Scene(title=graph.title)
    frames = [_Frame(graph)]
    for frame in frames:
        for node in frame.nodes:
            frames += _expand_bodies(scene, frame, node, bodies)
    for frame in frames:
        _add_boxes(scene, frame, values or {}, highlight)
    for frame in frames:
        _add_arrows(scene, frame)
    return scene


def box_count(graph: GraphReader, limit: int) -> int:
    """The number of boxes with all bodies expanded; counting stops soon after ``limit``."""
    worklist, count = [graph], 0
    while worklist and count <= limit:
        current = worklist.pop()
        count += len(current)
        if len(current) <= limit:
            worklist += [body for node in current for body in current.regions(node)]
    return count


def _expand_bodies(scene: Scene, frame: _Frame, node: int, bodies: bool) -> list[_Frame]:
    """Add a group for each body of a node; returns the frames of the bodies."""
    regions = frame.graph.regions(node)
    if not regions or not bodies or frame.depth == MAX_EXPANDED_DEPTH:
        return []
    is_fused = frame.graph.op(node).role == "fused"
    key, kind = frame.key(node), "fused" if is_fused else "region"
    inner_frames = []
    for r, body in enumerate(regions):
        title, tooltip = _group_title(frame, node, r), node_tooltip(frame.graph, node, frame.path)
        group = Group(f"{key}g{r}", title, kind, tooltip, parent=frame.group)
        scene.groups[group.key] = group
        path = body_path(frame.path, node, r)
        inner_frames.append(_Frame(body, f"{key}_{r}_", path, group.key, frame, node, frame.depth + 1, is_fused))
    if is_fused:
        frame.bodies[node] = inner_frames[0]
    return inner_frames


def _group_title(frame: _Frame, node: int, region: int) -> str:
    title = f"%{frame.path}{node} {node_label(frame.graph, node)}"
    return f"{title}, region {region}" if len(frame.graph.regions(node)) > 1 else title


# ---- boxes -----------------------------------------------------------------------------------------


def _add_boxes(scene: Scene, frame: _Frame, values: Mapping[int, object], highlight: Collection[int]) -> None:
    is_top, graph = frame.outer is None, frame.graph
    for node in frame.drawn_nodes():
        shown_value = value_lines(values[node]) if is_top and node in values else ()
        box = Box(
            frame.key(node), (_title(frame, node), *shown_value), kind_of(graph.op(node)),
            node_tooltip(graph, node, frame.path), parent=frame.group, highlighted=is_top and node in highlight,
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
    """The title of a node's box: its id and label, inside a fused node only the label."""
    text = node_label(frame.graph, node)
    count = sum(operator_count(body) for body in frame.graph.regions(node))
    text += f" ({count} operators)" if count else ""
    return text if frame.inlined else f"%{frame.path}{node} {text}"


# ---- arrows ----------------------------------------------------------------------------------------


def _add_arrows(scene: Scene, frame: _Frame) -> None:
    graph = frame.graph
    for node in frame.drawn_nodes():
        _add_operands(scene, frame, frame.key(node), graph.ins(node))
    for node in frame.nodes:
        for predecessor in graph.before(node):
            kind = graph.order_kind(predecessor, node)
            scene.add(Arrow(_edge_box(frame, predecessor, -1), _edge_box(frame, node, 0), kind, kind))
    if not frame.inlined:
        for position, ref in enumerate(graph.outs):
            _add_operands(scene, frame, f"{frame.prefix}out{position}", [ref])
        if frame.outer is not None and len(graph):
            scene.add(Arrow(frame.outer.key(frame.node), _edge_box(frame, frame.nodes[0], 0), kind="body"))


def _add_operands(scene: Scene, frame: _Frame, head: str, refs: Iterable[Ref]) -> None:
    for ref in refs:
        tail, name = _producing_box(frame, ref)
        scene.add(Arrow(tail, head, name + str(frame.graph.type(ref))))


def _producing_box(frame: _Frame, ref: Ref) -> tuple[str, str]:
    """The box that produces a value, inside of expanded bodies, and the result's name if the node has several."""
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


def _edge_box(frame: _Frame, node: int, end: int) -> str:
    """The box where an order edge of a node is drawn: in an expanded body at its first (0) or last (-1) operator."""
    while node in frame.bodies:
        frame = frame.bodies[node]
        inner = [n for n in frame.nodes if n not in frame.inputs]
        if not inner:
            break
        node = inner[end]
    return frame.key(node)


def _merge_texts(first: str, second: str) -> str:
    """The label of merged arrows: "f32[2] ×3" for three equal labels, else the labels as a list."""
    label, _, count = first.partition(" ×")
    if label == second:
        return f"{label} ×{int(count or 1) + 1}"
    return f"{label}, {second}" if second else label
