"""The checkers of the lessons on passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import passes
from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.core.tensor import Parameter, Tensor
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph, producer
from minigraph.ir.verify import verify
from minigraph.lessons.told import NotYet, listed, named, numbers, operators
from minigraph.npu import cycles

ORDER = ("canonicalize", "cse", "fuse_matmul_bias", "fuse_elementwise")  # the passes of the exercise, in the best order


def check_order(program: Callable[..., Any], inputs: Sequence[Tensor], order: str | None) -> None:
    """The same bits, the four passes once each, one product left, and no more cycles than the best order leaves."""
    if order is None:
        raise NotYet("ORDER is None: write the four names in another order, with commas between them")
    names = [name.strip() for name in order.split(",")]
    wrong = [f"'{name}' is none of them" for name in names if name not in ORDER]
    wrong += [f"'{name}' is missing" for name in ORDER if name not in names]
    wrong += [f"'{name}' comes twice" for name in ORDER if names.count(name) > 1]
    if wrong:
        raise NotYet(f"an order uses each of the four passes once; {wrong[0]}")
    captured = trace(program, *inputs)
    graph, best = (_after(captured, chosen) for chosen in (names, ORDER))
    if cycles(graph) > cycles(best):
        raise NotYet(f"{cycles(graph):,} cycles, {cycles(best):,} are possible: {_why_dear(graph)}")
    print(f"Right: {cycles(captured):,} cycles became {cycles(graph):,}, {len(operators(graph))} operators are left.")


def _after(captured: Graph, names: Sequence[str]) -> Graph:
    graph = captured.clone()
    passes.as_pipeline(",".join(names)).run(graph)
    return graph


def _why_dear(graph: Graph) -> str:
    """What the wrong order left: two products, or one without its bias."""
    products = [node for node in operators(graph) if graph.work(node).macs]
    if len(products) > 1:
        why = "cse merges only what reads alike, before fusion hides it in bodies"
        return f"two products are left: {listed(graph, products)}; {why}"
    alone = [node for node in products if graph.op(node).role != "fused"]
    return f"{listed(graph, alone or products)} stands alone: its bias was taken by another fusion first"


def check_dce(dce: Callable[..., None], programs: int = 50) -> None:
    """Values and Parameters unchanged, exactly the dead nodes gone, every one erased once: on random programs."""
    erased = 0
    for seed in range(programs):
        graph = random_graph(seed)
        before, needed = graph.clone(), needed_nodes(graph)
        graph.journal = []
        dce(graph, options={})
        try:
            erased += _check_nodes(before, graph, needed)
        except NotYet as told:
            raise NotYet(f"{told}; to see the program: print(minigraph.lessons.random_graph({seed}))") from None
        verify(graph)
        _check_run(before, graph)
        if len(graph.journal) > len(before) - len(needed):
            raise NotYet(
                f"{len(graph.journal)} edits to erase {len(before) - len(needed)} nodes: erase(nodes) takes a set"
            )
    print(f"Right: {programs} random programs compute the same; {erased} dead nodes went, nothing else did.")


def random_graph(seed: int) -> Graph:
    """A random program with dead code, assignments, and depends that wait for some of the assignments."""
    rng = np.random.default_rng(seed)
    parameters = [Parameter(numbers(seed + i, 3), name=f"p{i}") for i in range(2)]
    unary = [ops.tanh, ops.exp, ops.sin, ops.neg]

    def program(x: Tensor) -> Any:
        values, assigned = [x, *parameters], []
        for _ in range(12):
            a, b = (values[i] for i in rng.integers(len(values), size=2))
            kind = rng.integers(4)
            if kind == 0:
                assigned.append(ops.assign(parameters[rng.integers(2)], ops.tanh(a)))
            elif kind == 1 and assigned:
                values.append(ops.depend(ops.tanh(a), assigned[rng.integers(len(assigned))]))
            else:
                values.append(a + b if kind == 2 else unary[rng.integers(4)](a))
        return values[-1] * 1.0

    graph = trace(program, numbers(seed, 3), auto_depend=False)
    passes.pass_named("lower_depend")(graph)
    return graph


def needed_nodes(graph: Graph) -> set[int]:
    """What the outputs need, found from the back: the nodes that a needed node takes or waits for."""
    needed = {*map(producer, graph.outs), *graph.inputs}
    for node in reversed(graph.topological()):
        if not needed.isdisjoint(graph.users(node)) or not needed.isdisjoint(graph.after(node)):
            needed.add(node)
    return needed


def _check_nodes(before: Graph, after: Graph, needed: set[int]) -> int:
    lost, left = needed - set(after), set(after) - needed
    if lost:
        waiting = {node for node in lost if any(user in after for user in before.after(node))}
        why = "a later node waits for it by an order edge" if waiting else "a later node takes its value"
        raise NotYet(f"erased {listed(before, waiting or lost)}, but {why}")
    if left == set(before) - needed and left:
        raise NotYet(f"nothing was erased yet: {listed(before, left)} can go, for no output needs it")
    if left:
        raise NotYet(f"left {listed(before, left)}, which no output needs")
    return len(before) - len(after)


def _check_run(before: Graph, after: Graph) -> None:
    arrays, found = [numbers(7, 3).asnumpy()], []
    first = {key: p.asnumpy().copy() for key, p in before.params.items()}
    for graph in (before, after):
        for key, parameter in before.params.items():
            parameter.set_data(Tensor(first[key]))
        found.append(compile_graph(graph)(*arrays))
    if not all(np.array_equal(x, y) for x, y in zip(*found, strict=True)):
        raise NotYet(f"{named(after, producer(after.outs[0]))} has another value than before")
