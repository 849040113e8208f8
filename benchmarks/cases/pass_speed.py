"""The speed of building, verifying and rewriting graphs of 1,000 to 100,000 nodes.

The baseline is networkx on the same graph: building it as a bare ``MultiDiGraph``, and one topological sort. A pass
that takes as long as a few such traversals cannot be made much faster in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

import minigraph as ms
import passes
from benchmarks.cases.eager import operands
from benchmarks.measuring.harness import Case, Contender, MismatchError, Table, measure
from benchmarks.peers import remote
from benchmarks.peers.local import Peer, peers
from benchmarks.work.workloads import chain
from minigraph import Tensor, ops
from minigraph.execute.compile import compile_graph
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify

SIZES = (1_000, 10_000, 100_000)  # operators of ``network``
FIRST_CALL_OPERATORS = (200, 2_000)  # operators of a function that is called for the first time
OPERATORS_PER_BLOCK = 10  # of ``network``
SINGLE_PASSES = ("dce", "cse", "fuse_elementwise")  # measured one by one, in addition to the default pipeline


class Functions(NamedTuple):
    """The three functions that ``network`` needs, of one framework."""

    tanh: Callable[[Any], Any]
    sigmoid: Callable[[Any], Any]
    exp: Callable[[Any], Any]


def network(functions: Functions, operators: int) -> Callable[[Any, Any, Any], Any]:
    """A residual network of ten-operator blocks, each with one dead and one repeated operator."""

    def run(x: Any, w: Any, b: Any) -> Any:
        for _ in range(operators // OPERATORS_PER_BLOCK):
            preactivation = x @ w + b
            gated = functions.tanh(preactivation) * functions.sigmoid(preactivation)
            repeated = functions.tanh(preactivation)  # common subexpression
            y = gated + repeated * 0.5
            functions.exp(y)  # dead code
            x = y + x
        return x

    return run


def arguments() -> list[np.ndarray]:
    """x f32[4,4], w f32[4,4], b f32[4]: small, because only work on the graph is measured."""
    rng = np.random.default_rng(0)
    shapes = (4, 4), (4, 4), (4,)
    return [(rng.random(shape, np.float32) - np.float32(0.5)) / 2 for shape in shapes]


def capture_network(operators: int) -> Graph:
    """The network as a graph, before any pass."""
    return ms.trace(network(Functions(ops.tanh, ops.sigmoid, ops.exp), operators), *map(Tensor, arguments()))


# ---- capture -------------------------------------------------------------------------------------------


def capture_case(operators: int) -> Case:
    """Building the graph: bare networkx, our tracer, and the peers' tracers; all must record every operator."""
    graph = capture_network(operators).copy()
    nodes = [node for node, _ in graph.nodes(data=True)]
    edges = [(u, v, key) for u, v, key in graph.edges(keys=True)]
    leaves = len(nodes) - operators

    def build_networkx() -> int:
        copy = nx.MultiDiGraph()
        for node in nodes:
            copy.add_node(node, op="op", ins=(), attrs={}, types=())
        for u, v, key in edges:
            copy.add_edge(u, v, key)
        return len(copy) - leaves

    def build_minigraph() -> int:
        graph = capture_network(operators)
        return sum(not graph.op(node).is_leaf for node in graph)

    contenders = [Contender("networkx, bare", build_networkx), Contender("minigraph", build_minigraph)]
    contenders += [TRACERS[peer.name](peer, operators) for peer in peers() if peer.name in TRACERS]
    return Case(f"capture {operators:,}", contenders, operators, rtol=0)


def _jax(peer: Peer, operators: int) -> Contender:
    lax, arrays = peer.module.lax, [peer.array(a) for a in arguments()]
    functions = Functions(lax.tanh, lax.logistic, lax.exp)

    def run() -> int:
        closed_jaxpr = peer.module.make_jaxpr(network(functions, operators))(*arrays)
        # broadcasts are explicit in jaxprs and implicit here
        return sum(eqn.primitive.name not in ("broadcast_in_dim", "reshape") for eqn in closed_jaxpr.jaxpr.eqns)

    return Contender("jax.make_jaxpr", run)


def _torch(peer: Peer, operators: int) -> Contender:
    module = peer.module
    functions = Functions(module.tanh, module.sigmoid, module.exp)

    def run() -> int:
        graph = module.fx.Tracer().trace(network(functions, operators))
        return sum(node.op == "call_function" for node in graph.nodes)

    return Contender("torch.fx", run)


TRACERS = {"jax jit": _jax, "torch eager": _torch}


# ---- passes --------------------------------------------------------------------------------------------


def passes_case(operators: int) -> Case:
    """Sorting, verifying, printing and rewriting one captured graph; values are compared before anything is timed."""
    graph = capture_network(operators)
    networkx_graph, text = graph.copy(), to_text(graph)
    pipeline = passes.as_pipeline("default")
    rewrites: list[tuple[str, Callable[[Graph], Any]]] = [(name, passes.pass_named(name)) for name in SINGLE_PASSES]
    rewrites.append(("default pipeline", pipeline.run))
    check_values(graph, rewrites)
    return Case(
        f"passes {operators:,}",
        [
            Contender("networkx topological_sort", lambda: discard(list(nx.topological_sort(networkx_graph)))),
            Contender("verify", lambda: verify(graph)),
            *(Contender(name, lambda g, run=run: discard(run(g)), lambda: (graph.clone(),)) for name, run in rewrites),
            Contender("clone", lambda: discard(graph.clone())),
            Contender("print", lambda: discard(to_text(graph))),
            Contender("parse", lambda: discard(parse(text))),
            Contender("compile", lambda: discard(compile_graph(graph))),
        ],
        operators,
    )


def check_values(graph: Graph, rewrites: Sequence[tuple[str, Callable[[Graph], Any]]]) -> None:
    """Run the graph before and after each pass; raises ``MismatchError`` if it removes no node or changes a value."""
    before = compile_graph(graph)(*arguments())
    for name, run in rewrites:
        rewritten = graph.clone()
        run(rewritten)
        if len(rewritten) >= len(graph):
            raise MismatchError(f"{name} did nothing to {len(graph)} nodes, so its speed would mean nothing")
        after = compile_graph(rewritten)(*arguments())
        if not all(np.array_equal(x, y) for x, y in zip(before, after, strict=True)):
            raise MismatchError(f"{name} changed what the graph computes")


def discard(result: Any) -> None:
    """Return ``None`` in place of a result, so that contenders are not compared; ``check_values`` compares values."""


# ---- from source to first result -----------------------------------------------------------------------


def first_call_case(operators: int) -> Case:
    """Trace, optimise, compile and run once, as for every new shape; numpy only runs."""
    x, y = operands()
    numpy_chain, tensors = chain(operators), (Tensor(x), Tensor(y))
    jax_peers = [peer for peer in peers() if peer.module.__name__ == "jax"]
    return Case(
        f"first call, {operators:,} operators",
        [
            Contender("numpy", lambda: numpy_chain(x, y)),
            Contender("minigraph jit", lambda: ms.jit(chain(operators))(*tensors).asnumpy()),
            *(Contender(p.name, lambda p=p: p.numpy(p.function(chain(operators))(x, y))) for p in jax_peers),
            *remote.contenders("first call", [x, y], ("jit",), length=operators),
        ],
        operators,
    )


def tables(rounds: int = 5, sizes: Sequence[int] = SIZES) -> list[Table]:
    """Capture, passes and first calls, measured; the largest graphs in three rounds only."""
    rounds_by_size = [(n, min(rounds, 3) if n > 10_000 else rounds) for n in sizes]
    capture_results = [measure(capture_case(n), rounds_of_size) for n, rounds_of_size in rounds_by_size]
    pass_results = [measure(passes_case(n), rounds_of_size) for n, rounds_of_size in rounds_by_size]
    first_calls = [measure(first_call_case(n), rounds) for n in FIRST_CALL_OPERATORS]
    return [
        Table("Building graphs", "residual blocks of ten operators; µs per node", capture_results),
        Table("Passes", "the same graphs; µs per node", pass_results),
        Table("First call", "trace, passes, compile, run; µs per operator", first_calls),
    ]
