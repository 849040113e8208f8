"""Checkers of the lessons on passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import passes
from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.tensor import Parameter, Tensor
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph, producer
from minigraph.ir.verify import verify
from minigraph.lessons.answers import check_type, checker, result_of
from minigraph.lessons.feedback import WrongAnswerError, node_text, nodes_text, numbers, operators
from minigraph.npu import cycles

ORDER = ("canonicalize", "cse", "fuse_matmul_bias", "fuse_elementwise")  # the best order of the exercise


@checker
def check_order(program: Function, inputs: Sequence[Tensor], order: str | Sequence[str] | None) -> None:
    """Check that the order names each pass once and leaves no more cycles than the best order."""
    if order is None:
        raise WrongAnswerError("ORDER is None: write the four names in the right order, separated by commas")
    check_type("ORDER", order, (str, list, tuple), "write the four names as one text, separated by commas")
    names = [str(name).strip() for name in (order.split(",") if isinstance(order, str) else order)]
    wrong = [f"'{name}' is not one of them" for name in names if name not in ORDER]
    wrong += [f"'{name}' is missing" for name in ORDER if name not in names]
    wrong += [f"'{name}' occurs twice" for name in ORDER if names.count(name) > 1]
    if wrong:
        raise WrongAnswerError(f"the order uses each of the four passes once; {wrong[0]}")
    captured = trace(program, *inputs)
    graph, best = (_optimize(captured, order) for order in (names, ORDER))
    if cycles(graph) > cycles(best):
        raise WrongAnswerError(f"{cycles(graph):,} cycles, {cycles(best):,} are possible: {_why_expensive(graph)}")
    print(f"Right: {cycles(captured):,} cycles became {cycles(graph):,}, {len(operators(graph))} operators are left.")


def _optimize(captured: Graph, names: Sequence[str]) -> Graph:
    graph = captured.clone()
    passes.as_pipeline(",".join(names)).run(graph)
    return graph


def _why_expensive(graph: Graph) -> str:
    """The defect of a wrong order: two products, or one that is not fused with its bias."""
    products = [node for node in operators(graph) if graph.work(node).macs]
    if len(products) > 1:
        reason = "cse merges only identical expressions, and fusion hides them in bodies"
        return f"two products are left: {nodes_text(graph, products)}; {reason}"
    unfused = [node for node in products if graph.op(node).role != "fused"]
    return f"{nodes_text(graph, unfused or products)} is not fused: another fusion took its bias first"


@checker
def check_dce(dce: Callable[..., None], programs: int = 50) -> None:
    """Check on random programs that exactly the dead nodes are erased, each once, and that results stay the same."""
    erased = 0
    for seed in range(programs):
        graph = random_graph(seed)
        before, needed = graph.clone(), needed_nodes(graph)
        graph.journal = []
        result_of("dce(graph)", dce, graph, options={})
        try:
            erased += _check_nodes(before, graph, needed)
        except WrongAnswerError as error:
            raise WrongAnswerError(
                f"{error}; to see the program: print(minigraph.lessons.random_graph({seed}))"
            ) from None
        verify(graph)
        _check_results(before, graph)
        if len(graph.journal) > len(before) - len(needed):
            raise WrongAnswerError(
                f"{len(graph.journal)} edits to erase {len(before) - len(needed)} nodes: erase(nodes) takes a set"
            )
    print(f"Right: {programs} random programs compute the same; {erased} dead nodes were erased, and no others.")


def random_graph(seed: int) -> Graph:
    """A random program with dead code, assignments, and ``depend`` on some of the assignments."""
    rng = np.random.default_rng(seed)
    parameters = [Parameter(numbers(seed + i, 3), name=f"p{i}") for i in range(2)]
    unary = [ops.tanh, ops.exp, ops.sin, ops.neg]

    def program(x: Tensor) -> Any:
        """A random program of twelve operators with assignments, depends and shared values."""
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
    """The live nodes: outputs, inputs, and all predecessors along data and order edges."""
    needed = {*map(producer, graph.outs), *graph.inputs}
    for node in reversed(graph.topological()):
        if not needed.isdisjoint(graph.users(node)) or not needed.isdisjoint(graph.after(node)):
            needed.add(node)
    return needed


def _check_nodes(before: Graph, after: Graph, needed: set[int]) -> int:
    lost, dead = needed - set(after), set(after) - needed
    if lost:
        ordered = {node for node in lost if any(user in after for user in before.after(node))}
        reason = "a later node depends on it by an order edge" if ordered else "a later node uses its value"
        raise WrongAnswerError(f"erased {nodes_text(before, ordered or lost)}, but {reason}")
    if dead == set(before) - needed and dead:
        raise WrongAnswerError(f"nothing was erased yet: no output needs {nodes_text(before, dead)}")
    if dead:
        raise WrongAnswerError(f"not erased: {nodes_text(before, dead)}, although no output needs it")
    return len(before) - len(after)


def _check_results(before: Graph, after: Graph) -> None:
    arrays, results = [numbers(7, 3).asnumpy()], []
    initial = {key: p.asnumpy().copy() for key, p in before.params.items()}
    for graph in (before, after):
        for key, parameter in before.params.items():
            parameter.set_data(Tensor(initial[key]))
        results.append(compile_graph(graph)(*arrays))
    if not all(np.array_equal(x, y) for x, y in zip(*results, strict=True)):
        raise WrongAnswerError(f"{node_text(after, producer(after.outs[0]))} has a different value than before")
