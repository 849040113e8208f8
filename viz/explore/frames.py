"""The tree of frames: scopes, repeated blocks, chunks of long levels, and bodies of nodes.

A level has at most ``MAX_LEVEL_ITEMS`` items, so that expanding one frame never draws more than that: a flat program of
20,000 nodes starts as a few dozen frames.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from minigraph.core.scope_guard import reraise_handler_error
from minigraph.ir.graph_reader import producer
from viz.explore.node_table import NodeTable

MAX_LEVEL_ITEMS = 150  # longer levels are divided into chunks
MAX_CHUNK_ITEMS = 60  # longer chunks are nested
MIN_REPEATS = 3  # consecutive equal blocks that are merged into one frame

Path = tuple[str, ...]


@dataclass(slots=True)
class Frame:
    """A frame: ``kind`` is "scope", "repeat", "chunk", "fused" or "region", ``node`` the row whose body it shows."""

    title: str
    kind: str
    parent: int = -1
    node: int = -1


@dataclass
class FrameTree:
    """Frames, outer ones first.

    ``parent`` is the enclosing frame of each row (-1: none), ``body_frames`` the frame around the bodies of a row.
    """

    frames: list[Frame] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    body_frames: dict[int, int] = field(default_factory=dict)

    def add(self, frame: Frame) -> int:
        """Append a frame and return its number."""
        self.frames.append(frame)
        return len(self.frames) - 1

    def items(self) -> dict[int, list[int]]:
        """The items of each level (-1: outside of all frames): rows by number, frames as ``-1 - number``."""
        levels: dict[int, list[int]] = {level: [] for level in range(-1, len(self.frames))}
        for number, frame in enumerate(self.frames):
            levels[frame.parent].append(-1 - number)
        for row, parent in enumerate(self.parent):
            if row not in self.body_frames:
                levels[parent].append(row)
        return levels


@dataclass(slots=True)
class _Scope:
    """A scope during construction of the tree: its rows and inner scopes, in order, and inner scopes by name."""

    name: str = ""
    inner: dict[str, _Scope] = field(default_factory=dict)
    items: list[int | _Scope] = field(default_factory=list)


def frame_tree(table: NodeTable) -> FrameTree:
    """The frames of a node table."""
    tree = FrameTree(parent=[-1] * len(table))
    paths = _scope_paths(table)
    root = _Scope()
    for number, owner in enumerate(table.owner):
        if owner < 0:
            _add_row(root, number, paths.get(number, ()))
    _frame_items(tree, table, root)
    _frame_bodies(tree, table)
    return tree


# ---- scopes ----------------------------------------------------------------------------------------


def _scope_paths(table: NodeTable) -> dict[int, Path]:
    """The scope of every node of the graph; for a node created by a pass, the common scope of its sources."""
    paths: dict[int, Path] = {}
    first_user = _first_users(table)
    for number, data in enumerate(table.data):
        if data is not None and table.owner[number] < 0:
            op, by = data["op"], data["prov"].by
            sources = [paths[table.row_of[node]] for node in data["prov"].sources if table.row_of.get(node) in paths]
            if sources and by not in ("capture", "gradient"):
                paths[number] = _common_prefix(sources)
            elif op.is_leaf and op.role != "input" and number in first_user:
                paths[number] = _scope_path(table.data[first_user[number]])
            else:
                paths[number] = _scope_path(data)
    return paths


def _first_users(table: NodeTable) -> dict[int, int]:
    """The first user of each row; Parameters and constants are placed in its scope."""
    rows = range(len(table) - 1, -1, -1)  # from the last, so that the first remains
    return {ref if ref.__class__ is int else producer(ref): row for row in rows for ref in table.ins[row]}


def _scope_path(data: Mapping[str, Any] | None) -> Path:
    loc = data["loc"] if data is not None else ()
    scope = tuple(loc[0].scope.split("/")) if loc and loc[0].scope else ()
    return ("gradient", *scope) if data is not None and data["prov"].by == "gradient" else scope


def _common_prefix(paths: Sequence[Path]) -> Path:
    """The longest common prefix."""
    first, last = min(paths), max(paths)
    length = next((k for k, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:length]


def _add_row(scope: _Scope, row: int, path: Path) -> None:
    for name in path:
        if name not in scope.inner:
            scope.inner[name] = _Scope(name)
            scope.items.append(scope.inner[name])
        scope = scope.inner[name]
    scope.items.append(row)


# ---- frames ----------------------------------------------------------------------------------------


def _frame_items(tree: FrameTree, table: NodeTable, root: _Scope) -> None:
    """Add frames for scopes, repeated blocks, and chunks of long levels."""
    signatures = _signatures(table, root)
    pending: list[tuple[list[int | _Scope], int]] = [(root.items, -1)]
    for items, parent in pending:
        grouped = items if parent >= 0 and tree.frames[parent].kind == "repeat" else _merge_repeats(items, signatures)
        if len(grouped) > MAX_LEVEL_ITEMS:
            grouped = _chunks(grouped)
        for item in grouped:
            if isinstance(item, int):
                tree.parent[item] = parent
            elif len(item.items) == 1 and item.name and isinstance(item.items[0], int):
                tree.parent[item.items[0]] = parent  # a frame around a single node is redundant
            else:
                kind = "scope" if item.name[:1] != "\0" else item.name[1:].partition("\0")[0]
                title = item.name.rpartition("\0")[2]
                pending.append((item.items, tree.add(Frame(title, kind, parent))))


def _signatures(table: NodeTable, root: _Scope) -> dict[int, Hashable]:
    """Signatures by scope identity, equal for scopes with the same operators; computed bottom-up (hash-consing).

    Constants do not count: one that several blocks use lies in the first of them.
    """
    order = list(root.inner.values())
    for scope in order:
        order += scope.inner.values()
    signatures: dict[int, Hashable] = {}
    numbers: dict[Hashable, int] = {}
    for scope in reversed(order):
        parts: list[Hashable] = []
        for item in scope.items:
            data = None if isinstance(item, _Scope) else table.data[item]
            if data is None:
                parts.append(signatures[id(item)])
            elif data["op"].role != "const":
                parts.append((data["op"].name, data["types"]))
        signatures[id(scope)] = numbers.setdefault(tuple(parts), len(numbers))
    return signatures


def _merge_repeats(items: Sequence[int | _Scope], signatures: Mapping[int, Hashable]) -> list[int | _Scope]:
    """Merge consecutive scopes with equal signatures; nodes between them keep their positions."""
    scopes = [item for item in items if isinstance(item, _Scope)]
    merged: dict[int, _Scope] = {}
    for _, run in groupby(scopes, key=lambda scope: signatures[id(scope)]):
        equal = list(run)
        if len(equal) >= MIN_REPEATS and all(scope.name[:1] != "\0" for scope in equal):
            title = f"{equal[0].name} … {equal[-1].name} ×{len(equal)}"
            repeat = _Scope(f"\0repeat\0{title}", items=list(equal))
            merged |= {id(scope): repeat for scope in equal}
    if not merged:
        return list(items)
    replaced = (merged.get(id(item), item) if isinstance(item, _Scope) else item for item in items)
    return list({id(item): item for item in replaced}.values())


def _chunks(items: Sequence[int | _Scope]) -> list[int | _Scope]:
    """Consecutive chunks of equal size, at most ``MAX_LEVEL_ITEMS``."""
    size = MAX_CHUNK_ITEMS
    while len(items) > size * MAX_LEVEL_ITEMS:
        size *= MAX_CHUNK_ITEMS
    chunks: list[int | _Scope] = []
    for start in range(0, len(items), size):
        chunk = list(items[start : start + size])
        chunks.append(_Scope(f"\0chunk\0{start} … {start + len(chunk) - 1}", items=chunk))
    return chunks


def _frame_bodies(tree: FrameTree, table: NodeTable) -> None:
    """Add a frame for every node with bodies, and one per body if there are several."""
    frame_of: dict[tuple[int, int], int] = {}
    for number, (data, owner) in enumerate(zip(table.data, table.owner, strict=True)):
        if owner >= 0:
            tree.parent[number] = frame_of[owner, table.region[number]]
        bodies = table.bodies.get(number, ())
        if not bodies:
            continue
        assert data is not None
        kind = "fused" if data["op"].role == "fused" else "region"
        outer = tree.body_frames[number] = tree.add(Frame("", kind, tree.parent[number], number))
        for region, body in enumerate(bodies):
            inner = outer if len(bodies) == 1 else tree.add(Frame(body.graph.title, "region", outer))
            frame_of[number, region] = inner


def node_label(data: Mapping[str, Any]) -> str:
    """The operator's label for these attributes; its name if the label function fails."""
    try:
        return str(data["op"].label_of(data["attrs"]))
    except Exception as error:
        reraise_handler_error(error)
        return str(data["op"].name)
