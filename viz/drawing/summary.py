"""Summaries of graphs that are too large to draw: one box per source line (or coarser), with counts.

The finest of ``GROUPINGS`` within the limit is used, so a training step of 50,000 nodes becomes a picture of the user's
program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

from minigraph.ir.graph_reader import GraphReader, producer
from viz.common.labels import truncate
from viz.common.style import kind_of
from viz.drawing.scene import MAX_DRAWN_BOXES, Arrow, Box, Scene, box_count, scene_of

MAX_SUMMARY_BOXES = 120

Grouping = Callable[[GraphReader, int], Hashable]


def _source_line(graph: GraphReader, node: int) -> Hashable:
    loc = graph.loc(node)
    return f"{loc[0]}  {truncate(loc[0].text, 36)}" if loc else graph.op(node).name


def _source_function(graph: GraphReader, node: int) -> Hashable:
    loc = graph.loc(node)
    return f"{loc[0].function or 'module'} ({str(loc[0]).partition(':')[0]})" if loc else graph.op(node).name


GROUPINGS: tuple[tuple[str, Grouping], ...] = (
    ("source line and operator", lambda graph, node: (_source_line(graph, node), graph.op(node).name)),
    ("source line", _source_line),
    ("function", _source_function),
    ("operator", lambda graph, node: graph.op(node).name),
    ("kind of operator", lambda graph, node: kind_of(graph.op(node))),
)


def readable_scene(graph: GraphReader, limit: int = MAX_DRAWN_BOXES, **annotations: object) -> Scene:
    """The graph with expanded bodies, else with collapsed bodies, else a summary: the first that fits ``limit``.

    ``annotations`` are ``values`` and ``highlight`` of ``scene_of``. The scene's ``note`` says what is omitted.
    """
    if box_count(graph, limit) <= limit:
        return scene_of(graph, **annotations)  # type: ignore[arg-type]
    if len(graph) <= limit:
        scene = scene_of(graph, bodies=False, **annotations)  # type: ignore[arg-type]
        scene.note = f"fused bodies are collapsed; expanded, the graph has more than {limit} boxes"
        return scene
    return summary_of(graph, min(limit, MAX_SUMMARY_BOXES))


def summary_of(graph: GraphReader, max_boxes: int = MAX_SUMMARY_BOXES) -> Scene:
    """The graph in at most ``max_boxes`` boxes (or one per kind of operator), with counts and source lines."""
    name, group_of = _group_nodes(graph, max_boxes)
    scene = Scene(graph.title)
    keys = {group: f"s{i}" for i, group in enumerate(dict.fromkeys(group_of[n] for n in graph.topological()))}
    _add_boxes(scene, graph, group_of, keys)
    _add_arrows(scene, graph, group_of, keys)
    scene.note = f"summary: {len(graph):,} nodes in {len(keys)} boxes, one per {name}; single nodes are not drawn"
    return scene


def _group_nodes(graph: GraphReader, max_groups: int) -> tuple[str, dict[int, Hashable]]:
    """The finest grouping with at most ``max_groups`` groups, else the coarsest: its name, and each node's group."""
    for name, grouping in GROUPINGS:
        group_of = {node: grouping(graph, node) for node in graph}
        if len(set(group_of.values())) <= max_groups:
            return name, group_of
    return name, group_of


def _add_boxes(scene: Scene, graph: GraphReader, group_of: dict[int, Hashable], keys: dict[Hashable, str]) -> None:
    operators: dict[Hashable, Counter[str]] = {group: Counter() for group in keys}
    kinds: dict[Hashable, Counter[str]] = {group: Counter() for group in keys}
    for node, group in group_of.items():
        operators[group][graph.op(node).name] += 1
        kinds[group][kind_of(graph.op(node))] += 1
    for group, key in keys.items():
        ranked = operators[group].most_common()
        counts = ", ".join(f"{name} ×{count:,}" for name, count in ranked[:3]) + (", …" if len(ranked) > 3 else "")
        name = group[0] if isinstance(group, tuple) else group
        lines = (counts,) if name in operators[group] else (counts, truncate(str(name), 48))
        all_counts = "\n".join(f"{name} ×{count:,}" for name, count in ranked[:20])
        scene.boxes[key] = Box(key, lines, kinds[group].most_common(1)[0][0], all_counts)


def _add_arrows(scene: Scene, graph: GraphReader, group_of: dict[int, Hashable], keys: dict[Hashable, str]) -> None:
    counts: Counter[tuple[str, str, str]] = Counter()
    for tail, head, kind in graph.edges(data="kind"):
        ends = keys[group_of[tail]], keys[group_of[head]]
        if ends[0] != ends[1]:
            counts[*ends, kind] += 1
    for (source, target, kind), count in counts.items():
        scene.add(Arrow(source, target, f"×{count:,}" if count > 1 else "", kind))
    for key, count in Counter(keys[group_of[producer(ref)]] for ref in graph.outs).items():
        scene.boxes[f"{key}out"] = Box(f"{key}out", (f"output ×{count}" if count > 1 else "output",), "output")
        scene.add(Arrow(key, f"{key}out"))
