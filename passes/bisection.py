"""Bisection: find the pass, rule and node whose rewrite makes a program wrong, by binary search over rewrite limits.

>>> from minigraph import Tensor, ops, trace
>>> from passes.rewrite.rule import rule
>>> @rule
... def careless(x):
...     '''exp(log(x)) is x only where x is positive.'''
...     return ops.exp(ops.log(x)), x
>>> program = trace(lambda x: ops.tanh(ops.exp(ops.log(ops.neg(x)))), Tensor([1.0, 2.0]))
>>> print(bisect(program, ("cse", careless, "dce")))
rule 'careless' (<doctest ...>:1) at %3 (<doctest ...>:1) in pass 'careless', step 3 of 4, found after 3 runs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import trace
from minigraph.core.aliases import Array, Function
from minigraph.core.context import get_context
from minigraph.core.errors import MinigraphError, UsageError
from minigraph.core.pytree import leaves_of
from minigraph.ir.graph import Graph
from passes.pipeline_spec import as_pipeline
from passes.validate.validator import Culprit, Validator, find_culprit

GraphPredicate = Callable[[Graph], object]


def bisect(
    program: Graph | Function,
    pipeline: object = None,
    ok: GraphPredicate | None = None,
    *args: object,
    inputs: Sequence[Array] | None = None,
    seed: int = 0,
) -> Culprit:
    """The first pass or rewrite of a pipeline after which the program is no longer right.

    ``program`` is a captured graph, or a function that is captured with ``args``. ``pipeline`` is anything that
    ``as_pipeline`` accepts (``None``: the context's). ``ok(graph)`` decides whether an optimised graph is right: it
    returns true, or returns false or raises. Without ``ok``, the graph and the program are run and compared, on
    ``args``, on the arrays ``inputs``, or on random inputs of ``seed``. Takes one full run and ceil(log2(steps)) more.

    Raises ``UsageError`` if the program is right after the whole pipeline, or wrong before it.
    """
    graph = program if isinstance(program, Graph) else trace(program, *args)
    passes = as_pipeline(get_context("pipeline") if pipeline is None else pipeline)
    arrays = inputs or [leaf.array for leaf in leaves_of((args, {}), is_tensor)] or None
    is_wrong = _difference_predicate(graph, arrays, seed) if ok is None else _negation(ok)
    if is_wrong(graph):
        raise UsageError(f"bisect: the predicate ok rejects '{graph.title}' before any pass; check the predicate")
    culprit = find_culprit(graph, lambda copy: passes.run(copy, validate=False), is_wrong)
    if culprit is None:
        raise UsageError(f"bisect: '{passes}' does not change what '{graph.title}' computes; use a failing pipeline")
    return culprit


def _difference_predicate(graph: Graph, inputs: Sequence[Array] | None, seed: int) -> Callable[[Graph], bool]:
    validator = Validator(graph, seed, inputs)
    if validator.skip_reason:
        raise UsageError(f"bisect: '{graph.title}' cannot be run: {validator.skip_reason}; give ok=")
    return lambda after: validator.compare(after) is not None


def _negation(ok: GraphPredicate) -> Callable[[Graph], bool]:
    def is_wrong(graph: Graph) -> bool:
        try:
            return not ok(graph)
        except (MinigraphError, AssertionError):
            return True

    return is_wrong
