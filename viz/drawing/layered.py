"""Layered drawing of any directed graph in pure Python.

The problem: place nodes of given sizes so that edges point down, cross rarely and stay short. The method is the
framework of Sugiyama, Tagawa and Toda (1981), in four steps: break cycles by reversing the back edges of a depth-first
search; assign layers by longest paths; order each layer by the barycentre heuristic; assign x coordinates. The last
step minimises the squared distance of each node to its neighbours, subject to minimum gaps, exactly for one layer at a
time: that is isotonic regression, solved by pooling adjacent violators (Barlow et al., *Statistical Inference under
Order Restrictions*, 1972). Long edges bend at a dummy node in each layer they pass.

Invariants: nodes of a layer never overlap, every edge that was not reversed points down, the result is deterministic,
and no function is recursive. 20,000 nodes take about a second.

Not handled: a minimum number of reversed edges or of crossings (both are heuristics), ports, and edge labels. Very long
edges beyond a budget have no bends and may pass behind nodes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]
Point = tuple[float, float]

NODE_GAP = 22.0  # px between neighbours of one layer
LAYER_GAP = 40.0  # px between layers, for an arrow and its label
BEND_WIDTH = 10.0  # px reserved where a long edge passes a layer
CROSSING_SWEEPS = 4  # down and up; more have little effect
LONG_EDGE_WEIGHT = 6.0  # of inner dummy nodes in the least-squares problem, relative to other nodes
DUMMY_NODES_PER_NODE, MIN_DUMMY_NODES = 4, 2000  # limit of dummy nodes: a multiple of the nodes, plus a constant


@dataclass
class LayeredLayout:
    """Positions: centre ``x`` and top ``y`` per node, bend points per edge, in px."""

    x: list[float]
    y: list[float]
    bends: list[list[Point]]
    width: float
    height: float


def layered_layout(sizes: Sequence[Point], edges: Sequence[Edge], top: Iterable[int] = ()) -> LayeredLayout:
    """Place nodes of the given (width, height) so that edges point down, except those reversed to break cycles.

    Nodes of ``top`` are in the first layer, and no edge leads to them.

    >>> layout = layered_layout([(40, 20), (40, 20)], [(0, 1)])
    >>> layout.x, layout.y
    ([20.0, 20.0], [0.0, 60.0])
    """
    count = len(sizes)
    forward = break_cycles(count, edges)
    layer = layers_of(count, forward)
    for node in top:
        layer[node] = 0
    widths = [width for width, _ in sizes]
    chains = _chains(forward, layer, widths)
    links = [link for chain in chains for link in pairwise(chain)]
    above, below = _neighbors(len(widths), links)
    rows = _minimize_crossings(_rows(layer), above, below)
    x = _assign_x(rows, above, below, widths)
    tops, middles = _assign_y(rows, sizes)
    bends = [[(x[n], middles[layer[n]]) for n in chain[1:-1]] for chain in chains]
    bends = [path if edge == down else path[::-1] for path, edge, down in zip(bends, edges, forward, strict=True)]
    right = max((x[n] + widths[n] / 2 for n in range(len(x))), default=0.0)
    bottom = max((tops[layer[n]] + sizes[n][1] for n in range(count)), default=0.0)
    return LayeredLayout(x[:count], [tops[layer[n]] for n in range(count)], bends, right, bottom)


def break_cycles(count: int, edges: Sequence[Edge]) -> list[Edge]:
    """The edges, with those that close a cycle reversed; self-loops are unchanged.

    >>> break_cycles(2, [(0, 1), (1, 0)])
    [(0, 1), (0, 1)]
    """
    if all(tail <= head for tail, head in edges):
        return list(edges)
    successors: list[list[int]] = [[] for _ in range(count)]
    for tail, head in edges:
        successors[tail].append(head)
    rank = _postorder(successors)
    return [(tail, head) if rank[tail] >= rank[head] else (head, tail) for tail, head in edges]


def _postorder(successors: list[list[int]]) -> list[int]:
    """The postorder number of each node in a depth-first search: it decreases along every edge of a DAG."""
    rank, clock = [-1] * len(successors), 0
    seen = [False] * len(successors)
    for root in range(len(successors)):
        stack = [] if seen[root] else [(root, iter(successors[root]))]
        seen[root] = True
        while stack:
            node, heads = stack[-1]
            child = next((head for head in heads if not seen[head]), None)
            if child is None:
                stack.pop()
                rank[node], clock = clock, clock + 1
            else:
                seen[child] = True
                stack.append((child, iter(successors[child])))
    return rank


def layers_of(count: int, edges: Sequence[Edge]) -> list[int]:
    """The layer of every node: one below its lowest predecessor; sources are just above their first user.

    >>> layers_of(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    successors: list[list[int]] = [[] for _ in range(count)]
    in_degree = [0] * count
    for tail, head in edges:
        if tail != head:
            successors[tail].append(head)
            in_degree[head] += 1
    layer, sources = [0] * count, [node for node in range(count) if not in_degree[node]]
    ready = list(sources)
    for node in ready:
        for head in successors[node]:
            layer[head] = max(layer[head], layer[node] + 1)
            in_degree[head] -= 1
            if not in_degree[head]:
                ready.append(head)
    for node in sources:
        layer[node] = min((layer[head] for head in successors[node]), default=1) - 1
    return layer


def _chains(edges: Sequence[Edge], layer: list[int], widths: list[float]) -> list[list[int]]:
    """Per edge its nodes, with a dummy node in each layer it passes, appended to ``layer`` and ``widths``.

    Very long edges beyond the budget have no dummy nodes, which would otherwise outnumber the nodes.
    """
    budget, longest = DUMMY_NODES_PER_NODE * len(layer) + MIN_DUMMY_NODES, 0
    spans = Counter(layer[head] - layer[tail] - 1 for tail, head in edges)
    for span, count in sorted(spans.items()):
        budget -= span * count
        if budget < 0:
            break
        longest = span
    chains = []
    for tail, head in edges:
        crossed = range(layer[tail] + 1, layer[head])
        bends = range(len(layer), len(layer) + len(crossed)) if len(crossed) <= longest else ()
        if bends:
            layer.extend(crossed)
            widths.extend([BEND_WIDTH] * len(bends))
        chains.append([tail, *bends, head])
    return chains


def _neighbors(count: int, links: Sequence[Edge]) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for tail, head in links:
        if tail != head:
            above[head].append(tail)
            below[tail].append(head)
    return above, below


def _rows(layer: list[int]) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, row in enumerate(layer):
        rows[row].append(node)
    return rows


def _minimize_crossings(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """The rows sorted by barycentre in sweeps down and up; returns the order with the fewest crossings."""
    positions = [0] * len(above)
    for row in rows:
        _store_positions(row, positions)
    best, fewest = [list(row) for row in rows], _crossings(rows, below, positions)
    for _ in range(CROSSING_SWEEPS):
        for sweep, neighbors in ((rows[1:], above), (rows[-2::-1], below)):
            for row in sweep:
                targets = {node: _mean(neighbors[node], positions, positions[node]) for node in row}
                row.sort(key=targets.__getitem__)
                _store_positions(row, positions)
        crossings = _crossings(rows, below, positions)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _store_positions(row: list[int], positions: list[int]) -> None:
    for k, node in enumerate(row):
        positions[node] = k


def _mean(nodes: list[int], positions: Sequence[float], default: float) -> float:
    return sum(positions[node] for node in nodes) / len(nodes) if nodes else default


def _crossings(rows: list[list[int]], below: list[list[int]], positions: list[int]) -> int:
    """The number of crossings between neighbouring rows."""
    total = 0
    for row in rows:
        seen: list[int] = []
        for node in row:
            heads = [positions[head] for head in below[node]]
            total += sum(len(seen) - bisect_right(seen, head) for head in heads)
            for head in heads:
                insort(seen, head)
    return total


def _assign_x(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]], widths: list[float]
) -> list[float]:
    """The centre of every node: sweeps down and up, each towards one side, then two towards both sides."""
    x = [0.0] * len(widths)
    for row in rows:
        left = 0.0
        for node in row:
            x[node], left = left + widths[node] / 2, left + widths[node] + NODE_GAP
    both = [up + down for up, down in zip(above, below, strict=True)]
    for neighbors, order in ((above, rows), (below, rows[::-1])) * 3 + ((both, rows), (both, rows[::-1])):
        weights = [_weight(node, neighbors[node], widths) for node in range(len(x))]
        for row in order:
            _place_row(row, [_mean(neighbors[node], x, x[node]) for node in row], x, widths, weights)
    _straighten(rows, x)
    left = min((x[node] - widths[node] / 2 for node in range(len(x))), default=0.0)
    return [center - left for center in x]


def _straighten(rows: list[list[int]], x: list[float]) -> None:
    """Remove the drift that accumulates over rows: subtract the regression line of the rows' centres."""
    if len(rows) < 3:
        return
    centers = [sum(x[node] for node in row) / len(row) for row in rows]
    middle, mean = (len(rows) - 1) / 2, sum(centers) / len(centers)
    spread = sum((r - middle) ** 2 for r in range(len(rows)))
    slope = sum((r - middle) * (center - mean) for r, center in enumerate(centers)) / spread
    for r, row in enumerate(rows):
        for node in row:
            x[node] -= slope * (r - middle)


def _weight(node: int, neighbors: list[int], widths: list[float]) -> float:
    """The weight of a node in the least-squares problem: larger for inner dummy nodes, to straighten long edges."""
    is_inner = widths[node] == BEND_WIDTH and all(widths[neighbor] == BEND_WIDTH for neighbor in neighbors)
    return LONG_EDGE_WEIGHT if is_inner else 1.0


def _place_row(row: list[int], targets: list[float], x: list[float], widths: list[float], weights: list[float]) -> None:
    """Place one row as close to its targets as the gaps allow: least squares, by pooling adjacent violators."""
    blocks: list[list[float]] = []  # mean position, weight, number of nodes
    offsets: list[float] = []
    offset = last = 0.0
    for node, target in zip(row, targets, strict=True):
        half = widths[node] / 2
        offset = offset + last + half + NODE_GAP if offsets else 0.0
        offsets.append(offset)
        last = half
        mean, weight, size = target - offset, weights[node], 1.0
        while blocks and blocks[-1][0] >= mean:
            other_mean, other_weight, other_size = blocks.pop()
            mean = (mean * weight + other_mean * other_weight) / (weight + other_weight)
            weight, size = weight + other_weight, size + other_size
        blocks.append([mean, weight, size])
    positions = [mean for mean, _, size in blocks for _ in range(int(size))]
    for node, position, offset in zip(row, positions, offsets, strict=True):
        x[node] = position + offset


def _assign_y(rows: list[list[int]], sizes: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Top and middle of every layer; dummy nodes have no height."""
    tops, middles, y = [], [], 0.0
    for row in rows:
        height = max((sizes[node][1] for node in row if node < len(sizes)), default=0.0)
        tops.append(y)
        middles.append(y + height / 2)
        y += height + LAYER_GAP
    return tops, middles
