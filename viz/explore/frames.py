"""What is inside what: frames for scopes, repeated blocks, stretches of long levels, and bodies of nodes.

Every level holds at most ``MAX_LEVEL_ITEMS`` items, so that opening one frame never draws more than that: a flat program of
20,000 nodes opens as a few dozen frames.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from minigraph.ir.reading import producer
from viz.explore.node_table import Row, NodeTable

MAX_LEVEL_ITEMS = 150  # items of one level; more are put into stretches
MAX_CHUNK_ITEMS = 60  # items of a stretch, at most; more make stretches of stretches
MIN_REPEATS = 3  # blocks that look the same, one after the other, make one frame

Path = tuple[str, ...]


@dataclass
class Frame:
    """A frame: ``kind`` is "scope", "repeat", "stretch", "fused" or "region"; ``node`` the row whose body it is."""

    title: str
    kind: str
    parent: int = -1
    node: int = -1


@dataclass
class FrameTree:
    """Frames, outer ones first, and per row the frame around it (-1: none); ``own`` is the frame of a row's bodies."""

    frames: list[Frame] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    own: dict[int, int] = field(default_factory=dict)

    def add(self, frame: Frame) -> int:
        """Append a frame and return its number."""
        self.frames.append(frame)
        return len(self.frames) - 1

    def items(self) -> dict[int, list[int]]:
        """What each level holds, -1 for the picture itself: rows as their numbers, frames as ``-1 - number``."""
        levels: dict[int, list[int]] = {level: [] for level in range(-1, len(self.frames))}
        for number, frame in enumerate(self.frames):
            levels[frame.parent].append(-1 - number)
        for row, parent in enumerate(self.parent):
            if row not in self.own:
                levels[parent].append(row)
        return levels


@dataclass
class _Scope:
    """A scope while the tree is made: rows directly inside, and scopes by name, both as they were met."""

    name: str = ""
    inner: dict[str, _Scope] = field(default_factory=dict)
    items: list[int | _Scope] = field(default_factory=list)


def frame_tree(table: NodeTable) -> FrameTree:
    """The frames of a table of rows."""
    tree = FrameTree(parent=[-1] * len(table))
    paths = _scope_paths(table)
    root = _Scope()
    for number, row in enumerate(table.rows):
        if row.owner < 0:
            _add_row(root, number, paths.get(number, ()))
    _frame_items(tree, table, root)
    _frame_bodies(tree, table)
    return tree


# ---- scopes ----------------------------------------------------------------------------------------


def _scope_paths(table: NodeTable) -> dict[int, Path]:
    """The scope of every node of the graph: of a made one what its sources have in common."""
    paths: dict[int, Path] = {}
    first_user = _first_users(table)
    for number, row in enumerate(table.rows):
        if row.data is not None and row.owner < 0:
            sources = [paths[table.of[node]] for node in row.data["prov"].sources if table.of.get(node) in paths]
            made = bool(sources) and row.data["prov"].by not in ("capture", "gradient")
            leaf = row.data["op"].is_leaf and row.data["op"].role != "input" and number in first_user
            paths[number] = _common_prefix(sources) if made else _scope_path(table.rows[first_user[number]] if leaf else row)
    return paths


def _first_users(table: NodeTable) -> dict[int, int]:
    """By row the first that takes it: Parameters and constants stand with that."""
    users: dict[int, int] = {}
    for number, row in enumerate(table.rows):
        for ref in row.wiring.ins:
            users.setdefault(producer(ref), number)
    return users


def _scope_path(row: Row) -> Path:
    loc = row.data["loc"] if row.data is not None else ()
    scope = tuple(loc[0].scope.split("/")) if loc and loc[0].scope else ()
    return ("gradient", *scope) if row.data is not None and row.data["prov"].by == "gradient" else scope


def _common_prefix(paths: Sequence[Path]) -> Path:
    """The longest beginning that all paths share."""
    first, last = min(paths), max(paths)
    length = next((k for k, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:length]


def _add_row(root: _Scope, row: int, path: Path) -> None:
    for name in path:
        if name not in root.inner:
            root.inner[name] = _Scope(name)
            root.items.append(root.inner[name])
        root = root.inner[name]
    root.items.append(row)


# ---- frames ----------------------------------------------------------------------------------------


def _frame_items(tree: FrameTree, table: NodeTable, root: _Scope) -> None:
    """Frames for scopes, for blocks that repeat, and for stretches of long levels."""
    looks = _signatures(table, root)
    waiting: list[tuple[list[int | _Scope], int]] = [(root.items, -1)]
    for items, parent in waiting:
        grouped = items if parent >= 0 and tree.frames[parent].kind == "repeat" else _repeats(items, looks)
        if len(grouped) > MAX_LEVEL_ITEMS:
            grouped = _chunks(grouped)
        for item in grouped:
            if isinstance(item, int):
                tree.parent[item] = parent
            elif len(item.items) == 1 and item.name and isinstance(item.items[0], int):
                tree.parent[item.items[0]] = parent  # a frame around one node says nothing
            else:
                kind = "scope" if item.name[:1] != "\0" else item.name[1:].partition("\0")[0]
                title = item.name.rpartition("\0")[2]
                waiting.append((item.items, tree.add(Frame(title, kind, parent))))


def _signatures(table: NodeTable, root: _Scope) -> dict[int, Hashable]:
    """By identity of a scope something that is equal for scopes that compute the same, from the inside out."""
    order = [root]
    for scope in order:
        order += [item for item in scope.items if isinstance(item, _Scope)]
    looks: dict[int, Hashable] = {}
    numbers: dict[Hashable, int] = {}
    for scope in reversed(order):
        shape = tuple(_row_signature(table.rows[item]) if isinstance(item, int) else looks[id(item)] for item in scope.items)
        looks[id(scope)] = numbers.setdefault(shape, len(numbers))
    return looks


def _row_signature(row: Row) -> Hashable:
    return (row.data["op"].name, row.data["types"]) if row.data is not None else "output"


def _repeats(items: Sequence[int | _Scope], looks: Mapping[int, Hashable]) -> list[int | _Scope]:
    """Scopes that look the same, one after the other, put into one; nodes between them stay where they are."""
    scopes = [item for item in items if isinstance(item, _Scope)]
    merged: dict[int, _Scope] = {}
    for _, run in groupby(scopes, key=lambda scope: looks[id(scope)]):
        alike = list(run)
        if len(alike) >= MIN_REPEATS and all(scope.name[:1] != "\0" for scope in alike):
            title = f"{alike[0].name} … {alike[-1].name} ×{len(alike)}"
            whole = _Scope(f"\0repeat\0{title}", items=list(alike))
            merged |= {id(scope): whole for scope in alike}
    return list({id(item): item for item in _merged(items, merged)}.values())


def _merged(items: Sequence[int | _Scope], merged: Mapping[int, _Scope]) -> Iterator[int | _Scope]:
    return (merged.get(id(item), item) if isinstance(item, _Scope) else item for item in items)


def _chunks(items: Sequence[int | _Scope]) -> list[int | _Scope]:
    """As many items as fit, in stretches of their order, those of one size."""
    size = MAX_CHUNK_ITEMS
    while len(items) > size * MAX_LEVEL_ITEMS:
        size *= MAX_CHUNK_ITEMS
    found: list[int | _Scope] = []
    for start in range(0, len(items), size):
        part = list(items[start : start + size])
        found.append(_Scope(f"\0stretch\0{start} … {start + len(part) - 1}", items=part))
    return found


def _frame_bodies(tree: FrameTree, table: NodeTable) -> None:
    """A frame for every node with bodies, and one per body where there are several."""
    inside: dict[tuple[int, int], int] = {}
    for number, row in enumerate(table.rows):
        if row.owner >= 0:
            tree.parent[number] = inside[row.owner, row.region]
        bodies = table.bodies.get(number, ())
        if not bodies:
            continue
        assert row.data is not None
        kind = "fused" if row.data["op"].role == "fused" else "region"
        whole = tree.own[number] = tree.add(Frame("", kind, tree.parent[number], number))
        for region, body in enumerate(bodies):
            inner = whole if len(bodies) == 1 else tree.add(Frame(body.graph.title, "region", whole))
            inside[number, region] = inner


def node_label(data: Mapping[str, Any]) -> str:
    """What a node is called in a picture: the operator's short text for this use."""
    try:
        return str(data["op"].label_of(data["attrs"]))
    except Exception:
        return str(data["op"].name)
