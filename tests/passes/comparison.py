"""Runs passes on functions and graphs and compares the results."""

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph import Tensor, grad, interpret, jit, trace
from minigraph.core.errors import MinigraphError
from minigraph.ir.graph import Graph
from passes import PassRecord, as_pipeline


def leaves(results: Any) -> list[Tensor]:
    """The tensors of a result: one tensor, or nested tuples of tensors."""
    return [tensor for part in results for tensor in leaves(part)] if isinstance(results, tuple | list) else [results]


def bits_of(results: Any) -> list[bytes]:
    """The bytes of one tensor or of several."""
    return [tensor.asnumpy().tobytes() for tensor in leaves(results)]


def keep_bits(pipeline: Any, graph: Graph, *inputs: Tensor) -> PassRecord:
    """Run a pipeline on a graph and check that every bit stays; returns the record of the last pass."""
    before = bits_of(interpret(graph, *inputs))
    record = as_pipeline(pipeline).run(graph)[-1]
    assert bits_of(interpret(graph, *inputs)) == before
    return record


def keep_gradients(pipeline: Any, graph: Graph, *inputs: Tensor, tol: float) -> None:
    """Run a pipeline on a graph of one result and check its gradients within a tolerance."""
    gradient = grad(lambda *args: interpret(graph, *args)[0].sum(), tuple(range(len(inputs))))
    before = gradient(*inputs)
    as_pipeline(pipeline).run(graph)
    assert_near(gradient(*inputs), before, rtol=1e-5, atol=tol)


def assert_near(result: Any, expected: Any, rtol: float, atol: float) -> None:
    """Check that two results, of one or several tensors, are equal within a tolerance."""
    for actual, reference in zip(leaves(result), leaves(expected), strict=True):
        np.testing.assert_allclose(actual.asnumpy(), reference.asnumpy(), rtol=rtol, atol=atol, equal_nan=False)


def changes(pipeline: Any, function: Callable[..., Any], *inputs: Tensor) -> bool:
    """Whether the last pass of a pipeline changes a captured function."""
    return as_pipeline(pipeline).run(trace(function, *inputs))[-1].changed


def optimize_exactly(pipeline: Any, function: Callable[..., Any], *inputs: Tensor) -> Graph:
    """The graph of a function after a pipeline, checked to keep every bit."""
    jitted = jit(function, pipeline=pipeline)
    assert bits_of(jitted(*inputs)) == bits_of(function(*inputs))
    return jitted.graph(*inputs)


def changes_no_bits(
    change: Callable[[Graph], Any], function: Callable[..., Any], *inputs: Tensor, bits: Any = np.ndarray.tobytes
) -> bool:
    """Whether a pipeline changes a captured function, checked to keep every bit; false for unsuitable inputs."""
    try:
        graph = trace(function, *inputs)
    except MinigraphError:
        return False
    graph.journal = []
    with np.errstate(all="ignore"):
        before = interpret(graph, *inputs)
        change(graph)
        after = interpret(graph, *inputs)
    for old, new in zip(before, after, strict=True):
        assert (new.dtype, new.shape, bits(new.array)) == (old.dtype, old.shape, bits(old.array))
    return bool(graph.journal)
