"""Rules: ``fuse`` outlines the matches of a pattern into fused nodes, ``@rule`` replaces them by an equal expression.

>>> MATMUL_BIAS = fuse("MatMulBias", lambda x, w, b: x @ w + b)
>>> @rule
... def neg_neg(x):
...     '''Flipping the sign bit twice gives the same bits.'''
...     return -(-x), x
>>> print(neg_neg)
neg_neg: neg(neg(x)) -> x

========================  ==========================================================================
``x @ w + b``             commutative operands match in either order; ``x``, ``w``, ``b`` may be one value
``x * x``, ``x * 2``      one name is one value; a number matches a constant of this number
``a | b``                 the first alternative that matches; ``maybe("relu", x)`` is ``relu(x) | x``
``chain(is_cheap, x)``    one or more nodes that satisfy a predicate; ``reapply(c, y)`` repeats them
``many(xs)``              all other operands of an operator, ``many(xs, relu)`` each a relu of something
``axis=S.axis``           captures an attribute; in ``@rule``, others must have their default values
``x + S.eps``             a captured attribute as a number, in a replacement
``return a, b``           (in ``fuse``, or as one side of ``@rule``) several results that share a value
``where=lambda m: ...``   a predicate: ``m.x.shape``, ``.dtype``, ``.uses``, ``.const``, ``m.attrs["axis"]``
========================  ==========================================================================

A rule is also a pass: use it in a pipeline, or in the list of rules of your own pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from minigraph.core.aliases import Function
from minigraph.core.deprecated_names import renamed_arguments
from minigraph.core.errors import UsageError
from minigraph.core.op import Op, op_named
from minigraph.ir.graph import Graph, Ref
from passes.rewrite.definition_checks import (
    check_callable,
    check_options,
    check_pattern,
    check_sides,
    file_of,
    location_of,
    with_rule_location,
)
from passes.rewrite.driver import Rule
from passes.rewrite.match import Match
from passes.rewrite.matcher import compile_pattern
from passes.rewrite.pattern import Call, Chain, Term, Var, chains_of, expand_alternatives, kept_terms
from passes.rewrite.replacement import Refs, Template
from passes.rewrite.rule_spec import Variant, Where
from passes.rewrite.rule_text import rule_text
from passes.rewrite.tracing import TracedPattern, trace_pattern, trace_rule


@renamed_arguments(on="examples")
def fuse(
    name: str,
    pattern: Function,
    *,
    where: Where | None = None,
    recompute: bool = False,
    target: str = "",
    examples: Callable[[], Sequence[Graph]] | None = None,
) -> Rule:
    """A rule that outlines every match into a fused node called ``name``; no operator has to be defined.

    Attributes that the pattern does not mention may have any value, because the body keeps them. ``where`` is a
    predicate on matches: ``where=lambda m: m.w.shape[0] >= 16``. With ``recompute``, inner values may have other uses;
    they are then computed twice, which the statistics report. ``target`` and ``examples``: see ``RuleSpec``. Raises
    ``RuleError`` for an invalid pattern.
    """

    def make() -> Rule:
        """Trace, check and compile the pattern."""
        tree = trace_pattern(pattern)
        check_pattern(tree, strict=False)
        variants = tuple(
            Variant(_root_op(roots[0]), compile_pattern(roots, False, recompute, tree.parameters), None, roots)
            for roots in expand_alternatives(tree.results)
        )
        text = f"{name}: {rule_text(tree.results, (Var('fused'),))}"
        return Rule(name, variants, text, location_of(pattern), where=where, recompute=recompute, target=target,
                    examples=examples, file=file_of(pattern))  # fmt: skip

    if not isinstance(name, str) or not name:
        raise UsageError(f'fuse: {name!r} is not a name; write fuse("Name", pattern)')
    check_callable(f"fuse '{name}'", pattern)
    return with_rule_location(name, pattern, make)


@overload
def rule(function: Function, /) -> Rule: ...
@overload
def rule(
    *,
    root: Op | str | None = None,
    where: Where | None = None,
    recompute: bool = False,
    once: bool = False,
    same_memory: bool = False,
    target: str = "",
    exact: bool = True,
    tol: float = 0.0,
    examples: Callable[[], Sequence[Graph]] | None = None,
) -> Callable[[Function], Rule]: ...
@renamed_arguments(on="examples")
def rule(
    function: Function | None = None, /, *, root: Op | str | None = None, **options: object
) -> Rule | Callable[[Function], Rule]:
    """Make a rule of a function that returns (pattern, replacement), both computed from its parameters.

    The replacement must equal the pattern in shape, dtype and value; a match where shape or dtype differ is rejected.
    Attributes that the pattern does not mention must have their default values. A part of the pattern that the
    replacement reuses stays in the graph. Options are the fields of ``RuleSpec``.

    With ``root``, the function is ``f(graph, node)``, called at every node of that operator. It returns the value that
    replaces the node's result (a list for several results), of a new or an existing node, or ``None``, with nothing
    emitted, if it does not apply.

    Raises ``RuleError``, naming the rule and its line, for definitions that cannot be right: an unbound variable, an
    unused operator, a replacement that contains the pattern.
    """
    check_options(options)
    if function is not None:
        return _pattern_rule(function, options)
    if root is None:
        return lambda f: _pattern_rule(f, options)
    op = op_named(root) if isinstance(root, str) else root
    return lambda f: _computed_rule(f, op, options)


def _pattern_rule(function: Function, options: dict[str, Any]) -> Rule:
    def make() -> Rule:
        """Trace, check and compile the pattern and its replacement."""
        tree = trace_rule(function)
        pattern, replacement = tree.sides
        check_pattern(tree, strict=True)
        check_sides(pattern, replacement, terminates=bool(options.get("where") or options.get("once")))
        variants = _rule_variants(tree, bool(options.get("recompute")))
        text = f"{function.__name__}: {rule_text(pattern, replacement)}"
        return Rule(function.__name__, variants, text, location_of(function), function.__doc__ or "",
                    file=file_of(function), **options)  # fmt: skip

    check_callable("rule", function)
    return with_rule_location(function.__name__, function, make)


def _rule_variants(tree: TracedPattern, recompute: bool) -> tuple[Variant, ...]:
    """One variant for each choice of alternatives, which both sides make together."""
    pattern, replacement = tree.sides
    result = []
    for sides in expand_alternatives((*pattern, *replacement)):
        roots, results = sides[: len(pattern)], sides[len(pattern) :]
        kept = {f"_{k}": term for k, term in enumerate(kept_terms(roots, results))}
        search = compile_pattern(roots, True, recompute, tree.parameters, kept)
        template = Template(results, kept, chains_of(roots))
        result.append(Variant(_root_op(roots[0]), search, template.build, roots, results, template))
    return tuple(result)


def _root_op(root: Term) -> Op | None:
    assert isinstance(root, Call | Chain)
    return root.op if isinstance(root, Call) else None


def _computed_rule(function: Callable[[Graph, int], Any], op: Op, options: dict[str, Any]) -> Rule:
    def search(graph: Graph, node: int, accept: Function) -> object:
        return accept((node,), {}, {}, ())

    def build(match: Match) -> Refs | str | None:
        result: Ref | list[Ref] | str | None = function(match.graph, match.root)
        if result is None or isinstance(result, str):
            return result
        return tuple(result) if isinstance(result, list) else (result,)

    name = function.__name__
    doc = function.__doc__ or ""
    summary = doc.strip().partition("\n")[0].rstrip(".")
    text = f"{name}: {summary if '->' in summary else f'{op}(...) -> computed'}"
    return Rule(name, (Variant(op, search, build),), text, location_of(function), doc,
                file=file_of(function), **options)  # fmt: skip
