"""The checkers of the exercises: each compares values, then structure, then cost, and names the node that is wrong.

Read them after you have solved the exercise: they are ordinary uses of the library.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from lesson import NotYet, listed, named

import minigraph as ms
import passes
from minigraph import Parameter, Tensor, ops
from minigraph.ir.graph import Graph, producer
from minigraph.ir.verify import verify
from minigraph.npu import cycles
from minigraph.run.compile import compile_graph


def numbers(seed: int, *shape: int) -> Tensor:
    """Random float32 numbers around zero, the same for the same seed."""
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def operators(graph: Graph) -> list[int]:
    """The nodes that compute: no inputs, constants or Parameters."""
    return [node for node in graph.topological() if not graph.op(node).is_leaf]


# ---- 1. a gradient rule --------------------------------------------------------------------------------


def check_rule_of_tanh(rule: Callable[..., Any]) -> None:
    """Values: finite differences on 20 inputs. Structure: ``out`` is used. Cost: at most three operators."""
    for seed in range(20):
        x, g = numbers(seed, 4), numbers(seed + 100, 4)
        answer = rule(g, ops.tanh(x), x)
        if answer is None:
            raise NotYet("tanh_rule returns nothing yet: return what arrives at x when g arrives at out = tanh(x)")
        wide = x.asnumpy().astype(np.float64)
        slope = (np.tanh(wide + 1e-6) - np.tanh(wide - 1e-6)) / 2e-6
        if not np.allclose(answer.asnumpy(), g.asnumpy() * slope, atol=1e-4):
            raise NotYet(_wrong_gradient(rule, x, answer, slope))
    graph = ms.trace(rule, numbers(0, 4), numbers(1, 4), numbers(2, 4))
    again = [node for node in operators(graph) if graph.op(node) is ms.op_named("tanh")]
    if again:
        raise NotYet(f"right values, but {named(graph, again[0])} computes tanh a second time: it stands in out")
    if len(operators(graph)) > 3:
        raise NotYet(
            f"right values, but {len(operators(graph))} operators where three do: {listed(graph, operators(graph))}"
        )
    print(f"Right: 20 inputs agree with finite differences; {len(operators(graph))} operators, none of them tanh.")


def _wrong_gradient(rule: Callable[..., Any], x: Tensor, answer: Tensor, slope: np.ndarray) -> str:
    graph = ms.trace(rule, x, x, x)
    g, out, operand = graph.inputs
    if not graph.users(g):
        return f"g (%{g}) is not used: a rule multiplies what arrives with the slope"
    if graph.users(operand) and not graph.users(out):
        node = graph.users(operand)[0]
        return f"{named(graph, node)} uses x; the slope 1 - tanh(x)² is made of out"
    last = producer(graph.outs[0])
    return f"{named(graph, last)} is wrong: at x = {x.asnumpy()[0]:.3f} the slope of tanh is {slope[0]:.3f}"


# ---- 2. what runs when -----------------------------------------------------------------------------------


def check_predictions(program: Callable[..., Any], answers: Mapping[str, Any]) -> None:
    """Values: how often Python printed. Structure: operators in the graph. Cost: compilations."""
    missing = [name for name, answer in answers.items() if answer is None]
    if missing:
        raise NotYet(f"no prediction yet for {', '.join(missing)}: write a number for each")
    inputs = [numbers(0, 2), numbers(1, 2), numbers(2, 3)]
    compiled = ms.jit(program, capture_mode="trace")
    graph = compiled.graph(inputs[0], pipeline=())
    truth = {
        "eager_prints": _lines_printed(program, inputs),
        "jit_prints": _lines_printed(compiled, inputs),
        "graph_operators": len(operators(graph)),
        "compiles": compiled.cache_info().misses,
    }
    why = {
        "eager_prints": "Python runs the function at every call",
        "jit_prints": "Python runs only while the graph is captured",
        "graph_operators": f"the loop was unrolled into {listed(graph, operators(graph))}",
        "compiles": "; ".join(compiled.cache_info().reasons),
    }
    for name, found in truth.items():
        if answers[name] != found:
            raise NotYet(f"{name}: you said {answers[name]}, it was {found}: {why[name]}")
    print(f"Right: {truth}")


def _lines_printed(function: Callable[..., Any], inputs: list[Tensor]) -> int:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for x in inputs:
            function(x)
    return len(out.getvalue().splitlines())


# ---- 3. dead code ----------------------------------------------------------------------------------------


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
            raise NotYet(f"{told}; to see the program: print(checks.random_graph({seed}))") from None
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

    graph = ms.trace(program, numbers(seed, 3), auto_depend=False)
    passes.pass_named("lower_depend")(graph)
    return graph


def needed_nodes(graph: Graph) -> set[int]:
    """What the outputs need, by networkx's own words: their ancestors along data and order edges."""
    outs = set(map(producer, graph.outs))
    return outs.union(graph.inputs, *(nx.ancestors(graph, node) for node in outs))


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


# ---- 4. a fusion rule ------------------------------------------------------------------------------------


def scores(q: Tensor, k: Tensor) -> Tensor:
    """Attention scores: the pattern of the exercise."""
    return ops.softmax(q @ k * 0.125)


def leaking_scores(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """The same, but the product is also returned: it must not disappear into a fused node."""
    product = q @ k
    return ops.softmax(product * 0.125), product


def check_scores_rule(rule: Any) -> None:
    """Values equal in every bit, two nodes fewer per match, none where an inner value is used, fewer cycles."""
    if rule is None:
        raise NotYet('SCORES is None: make a rule, fuse("Scores", lambda q, k: ...)')
    inputs = numbers(0, 256, 64), numbers(1, 64, 256)
    before, after = _fused(scores, rule, *inputs)
    fused = [node for node in operators(after) if after.op(node).role == "fused"]
    outside = [node for node in operators(after) if node not in fused]
    if not fused:
        raise NotYet(f"the rule matches nothing: {listed(before, operators(before))} are all still there")
    if outside:
        raise NotYet(f"{listed(after, outside)} is still outside of the fused node: the pattern has to contain it")
    if not _equal(before, after, *inputs):
        raise NotYet(f"{named(after, fused[0])} computes something else than {listed(before, operators(before))}")
    _, kept = _fused(leaking_scores, rule, *inputs)
    if any(kept.op(node).role == "fused" for node in operators(kept)):
        raise NotYet(f"{listed(kept, operators(kept))}: fused although the product inside is also returned")
    costs = cycles(before), cycles(after)
    if costs[1] >= costs[0]:
        raise NotYet(f"{named(after, fused[0])} costs {costs[1]:,} cycles, its parts cost {costs[0]:,}")
    count = len(operators(before))
    print(f"Right: the same bits, {count} nodes became 1, {costs[0]:,} cycles became {costs[1]:,}.")


def _fused(function: Callable[..., Any], rule: Any, *inputs: Tensor) -> tuple[Graph, Graph]:
    before = ms.trace(function, *inputs)
    after = before.clone()
    passes.Pipeline([rule]).run(after)
    return before, after


def _equal(before: Graph, after: Graph, *inputs: Tensor) -> bool:
    arrays = [x.asnumpy() for x in inputs]
    pairs = zip(compile_graph(before)(*arrays), compile_graph(after)(*arrays), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


# ---- 5. the cube likes large products --------------------------------------------------------------------


def check_projections(slow: Callable[..., Any], fast: Callable[..., Any], x: Tensor, weights: list[Tensor]) -> None:
    """The three results agree, one product computes them, and the chip needs at most half of the cycles."""
    together = ops.concat(weights, 1)
    results = fast(x, together)
    if results is None:
        raise NotYet("fast returns nothing yet: return the three products of x, made with one matmul")
    before, after = ms.jit(slow).graph(x, *weights), ms.jit(fast).graph(x, together)
    for i, (want, got) in enumerate(zip(slow(x, *weights), results, strict=True)):
        if want.shape != got.shape or not np.allclose(want.asnumpy(), got.asnumpy(), atol=1e-3):
            node = named(after, producer(after.outs[i]))
            raise NotYet(f"result {i}, {node}, is {got.type} but not x @ weights[{i}], which is {want.type}")
    products = [node for node in operators(after) if after.work(node).macs]
    if len(products) != 1:
        raise NotYet(
            f"right values, but {len(products)} products: {listed(after, products)}; the cube should work once"
        )
    costs = cycles(before), cycles(after)
    if costs[1] > costs[0] / 2:
        extra = [node for node in operators(after) if node not in products]
        raise NotYet(f"{costs[1]:,} cycles of {costs[0]:,}: besides the product there is {listed(after, extra)}")
    print(f"Right: the same three results, one product, {costs[0]:,} cycles became {costs[1]:,}.")
